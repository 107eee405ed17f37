"""Writes of memories, in portions with few round trips, with everything derived from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from memcli.model import FIELD_NAMES, Change, Memory, ModelIdentity, Ref
from memcli.named_tuple import NamedTuple
from memcli.storage import Beginning, Vectors
from memcli.storage.digests import MEMORY, USE, digest_of
from memcli.storage.postgres.errors import error_of_walls
from memcli.storage.postgres.ledger import MANY, PostgresLedger, damaged_row
from memcli.storage.postgres.near import HalfVector, sent_halves
from memcli.storage.postgres.planner_statistics import PostgresPlanning
from memcli.storage.postgres.retry import retried
from memcli.storage.postgres.search import PostgresSearch
from memcli.storage.postgres.word_index import (
    IndexedWords,
    WordCounts,
    as_tsvector,
    count_of,
    indexed_words,
    lexemes,
)
from memcli.storage.rows import MEMORY_COLUMNS, UNREADABLE, memory_from_row, memory_values, recorded_change

# How many memories one round trip writes: many, so that common words are counted once.
_PORTION = 5000
_VECTOR_TYPES = ("text", "int8", "int4", "int4", "bytea")
_DERIVED = ("tag_names", "words", "word_order")
_WRITTEN = (*FIELD_NAMES, "digest", "use_digest")
_WORDS = "array_to_tsvector(%(words)s::text[])"
_INSERT = (
    f"INSERT INTO memcli.memories (seq, {', '.join((*_WRITTEN, *_DERIVED))}) VALUES (%(seq)s, "
    f"{', '.join(f'%({name})s' for name in _WRITTEN)}, %(tag_names)s, {_WORDS}, %(word_order)s)"
)
_INSERT_UNNUMBERED = _INSERT.replace("(seq, ", "(", 1).replace("(%(seq)s, ", "(", 1)
_HERE = "WHERE space = %(standing_space)s AND seq = %(seq)s"
# The origin is updated only if it changes, which only the owner may do.
_UPDATE = (
    f"UPDATE memcli.memories SET {', '.join(f'{each} = %({each})s' for each in _WRITTEN if each != 'origin')}"
    f"{{derived}} {_HERE}"
)
_UPDATE_ORIGIN = f"UPDATE memcli.memories SET origin = %(origin)s {_HERE}"
_UPDATE_ROW = _UPDATE.format(derived="")
_UPDATE_ALL = _UPDATE.format(
    derived=f", tag_names = %(tag_names)s, words = {_WORDS}, word_order = %(word_order)s"
)
_STANDING = (
    f"SELECT m.seq, {MEMORY_COLUMNS}, m.digest, m.use_digest FROM memcli.memories m WHERE m.id = ANY(%s)"
)
_INSERT_VECTOR = (
    "INSERT INTO memcli.vectors (space, memory, model, part, vector) VALUES (%s, %s, %s, %s, %s::halfvec)"
)
_WANTING = "INSERT INTO memcli.wanting (space, memory) VALUES (%s, %s) ON CONFLICT DO NOTHING"


class _StoredMemory(NamedTuple):
    """An existing memory, with its number.

    Also the digest of its row, and that of its uses, if they are wrong; else None.
    """

    seq: Ref
    memory: Memory
    digest: int | None
    use_digest: int | None


class PostgresWrites(PostgresSearch, PostgresLedger, PostgresPlanning):
    """The part of `memcli.storage.Store` that writes memories and their vectors."""

    @retried
    def put(
        self,
        memories: Iterable[Memory],
        change: Change | None,
        at: datetime,
        vectors: Mapping[str, Vectors] | None = None,
    ) -> int:
        changed = 0
        every = memories if isinstance(memories, list | tuple) else list(memories)
        with self.writing():
            model = self._model_number()
            counts: WordCounts = {}
            for some in _portions(every):
                changed += self._put_portion(some, change, at, model, vectors or {}, counts)
            self._count_words(counts)
            self._note_rows(len(every))
        return changed

    def _put_portion(
        self,
        memories: Sequence[Memory],
        change: Change | None,
        at: datetime,
        model: int | None,
        vectors: Mapping[str, Vectors],
        counts: WordCounts,
    ) -> int:
        """Write memories with distinct ids; add the changes in word counts to `counts`."""
        standing = self._standing([each.id for each in memories])
        new = [each for each in memories if each.id not in standing]
        kept = [each for each in memories if each.id in standing and standing[each.id].memory != each]
        written = [each for each in memories if each.id not in standing or standing[each.id].memory != each]
        records = {each.id: each.to_record() for each in written}
        numbers = self._insert(new, records, counts)
        for query, rows in _changed_rows(kept, standing, counts):
            self._change_each(query, rows)
        for each in kept:
            if each.space != standing[each.id].memory.space:
                self._run("UPDATE memcli.history SET space = %s WHERE memory = %s", (each.space, each.id))
        if change:
            self._record_all(written, standing, records, change, at)
        refs = {**numbers, **{each.id: standing[each.id].seq for each in kept}}
        unread = [each for each in kept if each.text != standing[each.id].memory.text]
        if unread:
            seqs = [refs[each.id] for each in unread]
            self._run("DELETE FROM memcli.vectors WHERE memory = ANY(%s)", (seqs,))
        whole = {each.id for each in written if model and _is_whole(vectors.get(each.id))}
        wanting = [each for each in (*new, *unread) if each.id not in whole]
        self._run_each(_WANTING, [(each.space, refs[each.id]) for each in wanting])
        if model:
            given = [(each.space, refs[each.id], vectors[each.id]) for each in written if each.id in vectors]
            self._write_vectors(
                model, given, is_in_use=True, fresh={refs[each.id] for each in (*new, *unread)}
            )
        return len(written)

    def _change_each(self, sql: str, rows: Sequence[Any]) -> None:
        """Run a statement for each of these, which must change one row each time. Raises ReadOnlyStore."""
        # A row that policies keep from this role is passed over by the server without a word.
        if self._run_each(sql, rows) != len(rows):
            raise error_of_walls(self.location)

    def _insert(
        self, new: Sequence[Memory], records: Mapping[str, dict[str, Any]], counts: WordCounts
    ) -> dict[str, Ref]:
        """Add rows of memories, and return their numbers; many are streamed."""
        if not new:
            return {}
        if not self._may_copy:
            # A role under row-level security may not choose numbers: it could take one of another space's.
            self._run_each(_INSERT_UNNUMBERED, [_new_row(each, records[each.id], 0, counts) for each in new])
            return self.refs_by_id([each.id for each in new])
        numbers = dict(zip([each.id for each in new], self._new_numbers(len(new)), strict=True))
        rows = (_new_row(each, records[each.id], numbers[each.id], counts) for each in new)
        if len(new) < MANY:
            self._run_each(_INSERT, list(rows))
            return numbers
        columns = ("seq", *_WRITTEN, *_DERIVED)
        values = itemgetter(*columns)
        self._copy("memories", ", ".join(columns), (values(_streamed(row)) for row in rows))
        return numbers

    def _record_all(
        self,
        written: Sequence[Memory],
        standing: Mapping[str, _StoredMemory],
        records: Mapping[str, dict[str, Any]],
        change: Change,
        at: datetime,
    ) -> None:
        self._changed += [(change.action, change.id, each.id) for each in written]
        before = {name: each.memory for name, each in standing.items()}
        events = (
            recorded_change(before.get(each.id), each, change, at, records[each.id]) for each in written
        )
        self._write_events(events, len(written), {each.id: each.space for each in written})

    def _standing(self, ids: Sequence[str]) -> dict[str, _StoredMemory]:
        """Return the existing memories with these ids, before they are overwritten. Raises DamagedRow."""
        found = {}
        for seq, *row, digest, use in self._rows(_STANDING, (list(ids),)):
            values = dict(zip(FIELD_NAMES, row, strict=True))
            try:
                memory = memory_from_row(row)
            except UNREADABLE as error:
                raise damaged_row(self.location, "memory", str(values["id"])) from error
            found[memory.id] = _StoredMemory(
                seq, memory,
                None if digest_of(MEMORY, values) == digest else digest or 0,
                None if digest_of(USE, values) == use else use or 0,
            )  # fmt: skip
        return found

    def _new_numbers(self, many: int) -> list[Ref]:
        """Return as many numbers for new memories, ascending."""
        sql = "SELECT nextval('memcli.memory_numbers') FROM generate_series(1, %s)"
        return sorted(row[0] for row in self._rows(sql, (many,)))

    # Vectors

    @retried
    def put_vectors(self, model: ModelIdentity, vectors: Mapping[str, Vectors]) -> None:
        with self.writing():
            number = self._number_of(model)
            sql = "SELECT space, seq, id FROM memcli.memories WHERE id = ANY"
            given = [(space, seq, vectors[name]) for space, seq, name in self._among(sql, list(vectors))]
            self._write_vectors(number, given, is_in_use=number == self._model_number())
            self._note_rows(len(given))

    def _write_vectors(
        self,
        model: int,
        given: Sequence[tuple[str, Ref, Vectors]],
        *,
        is_in_use: bool,
        fresh: frozenset[Ref] | set[Ref] = frozenset(),
    ) -> None:
        """Replace all vectors of some memories; those in `fresh` have none yet."""
        if old := [ref for _, ref, _ in given if ref not in fresh]:
            self._run("DELETE FROM memcli.vectors WHERE model = %s AND memory = ANY(%s)", (model, old))
        rows = [
            (space, ref, model, part, vector)
            for space, ref, parts in given
            for part, vector in enumerate(parts)
        ]
        if len(rows) < MANY or not self._may_copy:
            self._run_each(_INSERT_VECTOR, [(*names, HalfVector(vector)) for *names, vector in rows])
        else:
            halves = zip(rows, sent_halves([row[-1] for row in rows]), strict=True)
            streamed = ((*names, half) for (*names, _), half in halves)
            self._copy("vectors", "space, memory, model, part, vector", streamed, _VECTOR_TYPES)
        if not is_in_use:
            return
        # Memories with a beginning only stay on the list of wanting ones.
        whole = [ref for _, ref, parts in given if _is_whole(parts) and ref not in fresh]
        if whole:
            self._run("DELETE FROM memcli.wanting WHERE memory = ANY(%s)", (whole,))
        lost = [(space, ref) for space, ref, parts in given if not _is_whole(parts) and ref not in fresh]
        self._run_each(_WANTING, lost)

    def _number_of(self, model: ModelIdentity) -> int:
        """Return the number of a model, creating it if it has none."""
        sql = "SELECT number FROM memcli.models WHERE (name, weights, dimensions) = (%s, %s, %s)"
        if rows := self._rows(sql, tuple(model)):
            return int(rows[0][0])
        insert = (
            "INSERT INTO memcli.models (name, weights, dimensions, in_use) VALUES (%s, %s, %s, false) "
            "RETURNING number"
        )
        return int(self._rows(insert, tuple(model))[0][0])


def _portions(memories: Sequence[Memory]) -> Iterator[list[Memory]]:
    """Yield memories in portions without repeated ids, in order."""
    some: dict[str, Memory] = {}
    for memory in memories:
        if memory.id in some or len(some) == _PORTION:
            yield list(some.values())
            some = {}
        some[memory.id] = memory
    if some:
        yield list(some.values())


def _is_whole(vectors: Vectors | None) -> bool:
    return bool(vectors) and not isinstance(vectors, Beginning)


def _new_row(memory: Memory, record: Mapping[str, Any], seq: Ref, counts: WordCounts) -> dict[str, Any]:
    found = indexed_words(memory)
    count_of(counts, found.each, memory.space, 1)
    return {**memory_values(memory, record), "seq": seq, **_derived(memory, found)}


def _streamed(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for a stream, which takes texts only."""
    row["words"] = as_tsvector(row["words"])
    # An empty array needs no conversion by the driver.
    row["tag_names"] = row["tag_names"] or "{}"
    return row


def _changed_rows(
    memories: Sequence[Memory], standing: Mapping[str, _StoredMemory], counts: WordCounts
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the statements that change memories, each with the rows it is run with."""
    plain, derived, from_elsewhere = (list[dict[str, Any]]() for _ in range(3))
    for after in memories:
        seq, before, digest, use_digest = standing[after.id]
        row = {**memory_values(after), "seq": seq, "standing_space": before.space}
        # A damaged row keeps its digest, so that it stays recognisable.
        if digest is not None:
            row["digest"] = digest
        if use_digest is not None:
            row["use_digest"] = use_digest
        if before.origin != after.origin:
            from_elsewhere.append(row)
        if (before.text, before.tags, before.space) == (after.text, after.tags, after.space):
            plain.append(row)
            continue
        count_of(counts, indexed_words(before).each, before.space, -1)
        found = indexed_words(after)
        count_of(counts, found.each, after.space, 1)
        derived.append({**row, **_derived(after, found)})
    yield _UPDATE_ORIGIN, from_elsewhere
    yield _UPDATE_ROW, plain
    yield _UPDATE_ALL, derived


def _derived(memory: Memory, found: IndexedWords) -> dict[str, Any]:
    """Return the columns that are derived from a memory."""
    words = lexemes(found, memory.space)
    return {"tag_names": list(memory.tags), "words": words, "word_order": found.order}
