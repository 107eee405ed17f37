"""Words search in SQLite: how many memories hold a word, and which hold most of those asked for, by FTS5."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from itertools import combinations
from json import dumps, loads
from typing import Any, TypeVar

from memcli.errors import StoreDamaged
from memcli.model import Filter, Match, Ref
from memcli.named_tuple import NamedTuple
from memcli.storage import Word
from memcli.storage.conditions import filter_condition, source_of, space_condition
from memcli.storage.sqlite.session import SqliteSession

T = TypeVar("T")

# Up to how many holders, of all words of a question together, are read (0.3 us each); of the most common
# words beyond that, only memories that hold another word, too.
_READ = 60_000
# How many common words are combined exhaustively.
_COMBINED = 8
# How often memories that hold more of them are searched for.
_ROUNDS = 8
# How many times the limit are fetched first, to see which of them match the filter; if fewer than one in
# _SELECTIVE do, everything that matches the filter is read instead.
_AHEAD, _SELECTIVE = 2, 8
# Checking whether a word's holders can be skipped costs as much as reading so many of them.
_WORTHWHILE = 1000
# The rounding difference of sums of weights in different orders.
_ROUNDING = 1e-9


class _Part(NamedTuple):
    """A part of all memories, given by those inside it, or those outside."""

    refs: frozenset[Ref]
    inside: bool

    def of(self, refs: frozenset[Ref]) -> frozenset[Ref]:
        return refs & self.refs if self.inside else refs - self.refs


class SqliteWords(SqliteSession):
    """The part of `memcli.storage.Store` that finds memories by their words."""

    # A cache: the holders by word, their counts under `numbers`, and the part of memories by spaces.
    _looked_up: dict[Any, Any]
    _looked_up_at: tuple[int, int] | None = None

    def total(self, spaces: Sequence[str] | None) -> int:
        self._look_anew()
        if self._space_part(spaces) is None:
            return int(self._rows("SELECT count(*) FROM memories")[0][0])
        sql, values = space_condition(spaces)
        return int(self._rows(f"SELECT count(*) FROM memories WHERE {sql}", values)[0][0])

    def frequencies(self, asked: Sequence[Word], spaces: Sequence[str] | None) -> list[int]:
        self._look_anew()
        part = self._space_part(spaces)
        nobody = [0] * len(asked)
        return self._unless_damaged(lambda: [self._number(word, part) for word in asked], nobody)

    def top_by_words(self, asked: Mapping[Word, float], where: Filter, limit: int) -> list[Match]:
        self._look_anew()
        return self._unless_damaged(lambda: self._top_by_words(asked, where, limit), [])

    def holding(self, asked: Sequence[Word], refs: Sequence[Ref]) -> list[frozenset[Ref]]:
        self._look_anew()
        some, among = frozenset(refs), dumps(list(refs))
        nobody: list[frozenset[Ref]] = [frozenset()] * len(asked)
        return self._unless_damaged(lambda: [self._holding(word, some, among) for word in asked], nobody)

    def spelled_like(self, word: str, limit: int) -> list[str]:
        from memcli.text.spelling import words_like  # only where nothing holds a word

        sql = (
            "SELECT term FROM word_counts WHERE term BETWEEN ? AND ? "
            "AND (length(term) BETWEEN ? AND ? OR substr(term, 1, ?) = ?)"
        )
        size = len(word)
        values = (word[:1], word[:1] + "\U0010ffff", size - 4, size + 2, size, word)
        rows: list[Any] = self._unless_damaged(lambda: self._rows(sql, values), [])
        terms = [row[0] for row in rows]
        return words_like(word, terms, limit)

    def filter_refs(self, refs: Sequence[Ref], where: Filter) -> set[Ref]:
        sql, values = filter_condition(where)
        # Look each up by its number: no index on the filter's columns is better.
        query = f"SELECT m.seq FROM memories m NOT INDEXED WHERE {sql} AND m.seq IN "
        return {row[0] for row in self._among(query, refs, before=values)}

    def _unless_damaged(self, search: Callable[[], T], nothing: T) -> T:
        """Return what a search finds; if the index is damaged, `nothing`, which is recorded in `left_out`."""
        try:
            return search()
        except StoreDamaged:
            self.left_out["word index"] = None
            return nothing

    def _top_by_words(self, asked: Mapping[Word, float], where: Filter, limit: int) -> list[Match]:
        part = self._space_part(where.spaces)
        read, common = _divided({word: self._number(word, part) for word in asked})
        if part or not common:
            return self._best(asked, {word: self._holders(word, part) for word in asked}, where, limit)
        if len(asked) == 1 and (newest := self._newest(asked, where, limit)):
            return newest
        held = {word: self._holders(word, None) for word in read}
        if read:
            rarer = " OR ".join(map(_phrase, read))
            held |= {word: self._found(f"({rarer}) AND {_phrase(word)}") for word in common}
        best = self._best(asked, held, where, limit) if read else []
        if len(best) < limit and len(meant := self._meant(where, _READ + 1)) <= _READ:
            some = dumps(list(meant))
            return self._best(asked, {word: self._holding(word, meant, some) for word in asked}, where, limit)
        # A memory with none of the words read so far holds at most all the common ones.
        least = best[limit - 1].score if len(best) == limit else 0.0
        for _ in range(_ROUNDS):
            reaching = _reaching(common, asked, least)
            more = self._found(reaching)
            if more:
                for word in asked:
                    holders = self._found(f"({reaching}) AND {_phrase(word)}") & more
                    held[word] = held.get(word, frozenset()) | holders
                best = self._best(asked, held, where, limit)
            if len(more) < _READ:
                break
            # Older ones may hold as much; search for those that hold more.
            least = max(least + 2 * _ROUNDING, best[limit - 1].score if len(best) == limit else 0.0)
        return best

    def _newest(self, asked: Mapping[Word, float], where: Filter, limit: int) -> list[Match]:
        """Return the newest matching memories that hold one common word; empty if there are too few."""
        [(word, weight)] = asked.items()
        sql = "SELECT rowid FROM word_index WHERE word_index MATCH ? ORDER BY rowid DESC LIMIT ?"
        refs = [row[0] for row in self._rows(sql, (_phrase(word), _AHEAD * limit))]
        meant = self.filter_refs(refs, where)
        newest = [Match(ref, weight) for ref in refs if ref in meant][:limit]
        return newest if len(newest) == limit else []

    def _found(self, expression: str) -> frozenset[Ref]:
        """Return the newest that an FTS5 expression finds."""
        sql = "SELECT rowid FROM word_index WHERE word_index MATCH ? ORDER BY rowid DESC LIMIT ?"
        return self._rowids(sql, (expression, _READ)) if expression else frozenset()

    def _rowids(self, sql: str, values: Sequence[Any]) -> frozenset[Ref]:
        """Return the `rowid`s of a query, fetched as one text: single rows would take twice as long."""
        [(numbers,)] = self._rows(f"SELECT json_group_array(rowid) FROM ({sql})", values)
        return frozenset(loads(numbers))

    def _holding(self, word: Word, some: frozenset[Ref], among: str) -> frozenset[Ref]:
        if word in self._looked_up:
            return self._holders(word, None) & some
        # The unary plus keeps FTS5 from looking each rowid up by itself.
        sql = (
            "SELECT rowid FROM word_index WHERE word_index MATCH ? "
            "AND +rowid IN (SELECT value FROM json_each(?))"
        )
        return frozenset(row[0] for row in self._rows(sql, (_phrase(word), among)))

    def _meant(self, where: Filter, limit: int = -1) -> frozenset[Ref]:
        """Return the numbers of the memories that match a filter, at most `limit`."""
        sql, values = filter_condition(where)
        query = f"SELECT m.seq FROM {source_of(where)} WHERE {sql} LIMIT ?"
        return frozenset(row[0] for row in self._rows(query, (*values, limit)))

    def _best(
        self, asked: Mapping[Word, float], held: Mapping[Word, frozenset[Ref]], where: Filter, limit: int
    ) -> list[Match]:
        """Return the best matches within a filter by sum of weights, newest first among equals."""
        size = _AHEAD * limit
        while True:
            first = _highest(asked, held, size)
            meant = self.filter_refs([ref for _, ref in first], where)
            if len(meant) >= limit or len(first) < size:
                return [Match(ref, share) for share, ref in first if ref in meant][:limit]
            if _SELECTIVE * len(meant) < size:
                everything = self._meant(where)
                held = {word: refs & everything for word, refs in held.items()}
            size *= 4

    def _number(self, word: Word, part: _Part | None) -> int:
        """Return how many memories of a part hold a word."""
        if part:
            # A part is a set of memories, so counting needs reading them.
            return len(self._holders(word, part))
        numbers = self._looked_up.setdefault("numbers", {})
        if word not in numbers:
            sql = "SELECT count(*) FROM word_index WHERE word_index MATCH ?"
            numbers[word] = int(self._rows(sql, (_phrase(word),))[0][0])
        return int(numbers[word])

    def _holders(self, word: Word, part: _Part | None) -> frozenset[Ref]:
        """Return which memories of a part hold a word."""
        cache = self._looked_up
        if word not in cache:
            sql = "SELECT rowid FROM word_index WHERE word_index MATCH ?"
            cache[word] = self._rowids(sql, (_phrase(word),))
        holders: frozenset[Ref] = cache[word]
        return part.of(holders) if part else holders

    def _space_part(self, spaces: Sequence[str] | None) -> _Part | None:
        """Return the part that is in these spaces; None if that is all memories."""
        if spaces is None:
            return None
        cache = self._looked_up
        if spaces not in cache:
            cache[spaces] = self._found_part(spaces)
        part: _Part | None = cache[spaces]
        return part

    def _found_part(self, spaces: Sequence[str]) -> _Part | None:
        sql = (
            "WITH RECURSIVE each (space) AS (SELECT min(space) FROM memories UNION ALL SELECT "
            "(SELECT min(space) FROM memories WHERE space > each.space) FROM each WHERE space IS NOT NULL) "
            "SELECT space FROM each WHERE space IS NOT NULL"
        )
        others = {row[0] for row in self._rows(sql)} - {*spaces}
        if not others:
            return None
        inside, outside = space_condition(sorted({*spaces})), space_condition(sorted(others))
        count = "SELECT count(*) FROM memories WHERE"
        sizes = [self._rows(f"{count} {sql}", values)[0][0] for sql, values in (inside, outside)]
        is_inside = sizes[0] <= sizes[1]
        sql, values = inside if is_inside else outside
        rows = self._rows(f"SELECT seq FROM memories WHERE {sql}", values)
        return _Part(frozenset(row[0] for row in rows), is_inside)

    def _look_anew(self) -> None:
        """Clear the cache if anybody has written: one recall asks several times."""
        state = (*self._rows("PRAGMA data_version")[0], self._db.total_changes)
        # Not cached within a transaction, which may be rolled back.
        if state != self._looked_up_at or self._db.in_transaction:
            self._looked_up = {}
        self._looked_up_at = None if self._db.in_transaction else state


def _phrase(word: Word) -> str:
    """Return a word as an FTS5 query: quoted terms, which hold letters, marks and digits only."""
    forms = ['"' + " ".join(term).replace('"', "") + '"' for term in word]
    return f"({' OR '.join(forms)})" if forms else '""'


def _highest(
    asked: Mapping[Word, float], held: Mapping[Word, frozenset[Ref]], size: int
) -> list[tuple[float, Ref]]:
    """Return the greatest sums of weights with their memories, newest first among equals."""
    rarest = sorted(asked, key=lambda word: len(held[word]))
    if len(rarest) == 1:
        return [(asked[rarest[0]], ref) for ref in nlargest(size, held[rarest[0]])]
    many = sum(map(len, held.values())) > _WORTHWHILE
    if many and len(rarest) <= _COMBINED:
        return _highest_of_combinations(rarest, asked, held, size)
    return _highest_of_all(rarest, asked, held, size)


def _highest_of_combinations(
    rarest: Sequence[Word], asked: Mapping[Word, float], held: Mapping[Word, frozenset[Ref]], size: int
) -> list[tuple[float, Ref]]:
    """As `_highest`, for few words: intersect the sets of each combination, weightiest first, until enough.

    Sets are intersected in a fraction of the time in which each holder's weights are added up.
    """
    combined: list[tuple[float, tuple[Word, ...]]] = []
    for number in range(len(rarest), 0, -1):
        for words in combinations(rarest, number):
            # Added in the same order as in `_highest_of_all`, so that sums are equal to the bit.
            total = 0.0
            for word in words:
                total += asked[word]
            combined.append((total, words))
    # A stable sort: of equal sums the larger combination stays first.
    combined.sort(key=lambda one: -one[0])
    holding: dict[tuple[Word, ...], frozenset[Ref]] = {}

    def holders(words: tuple[Word, ...]) -> frozenset[Ref]:
        if words not in holding:
            last = held[words[-1]]
            holding[words] = holders(words[:-1]) & last if len(words) > 1 else last
        return holding[words]

    found: list[tuple[float, Ref]] = []
    seen: set[Ref] = set()
    for total, words in combined:
        if len(found) >= size and total < found[size - 1][0]:
            break
        new = holders(words) - seen
        found += [(total, ref) for ref in new]
        seen |= new
    return nlargest(size, found)


def _highest_of_all(
    rarest: Sequence[Word], asked: Mapping[Word, float], held: Mapping[Word, frozenset[Ref]], size: int
) -> list[tuple[float, Ref]]:
    """As `_highest`, for any number of words.

    From the rarest word on, as MaxScore does (Turtle & Flood, "Query evaluation", Information Processing &
    Management 31, 1995): as soon as memories without a word so far cannot reach the best, only memories
    that hold a rarer one are considered for the more common words.
    """
    sums: dict[Ref, float] = {}
    rest, open_to_more = sum(asked.values()), True
    for word in rarest:
        weight, holders = asked[word], held[word]
        if open_to_more and len(holders) > _WORTHWHILE and len(sums) >= size:
            open_to_more = nlargest(size, sums.values())[-1] <= rest + _ROUNDING
        for ref in holders if open_to_more else holders.intersection(sums):
            sums[ref] = sums.get(ref, 0.0) + weight
        rest -= weight
    return nlargest(size, zip(sums.values(), sums.keys(), strict=True))


def _divided(numbers: Mapping[Word, int]) -> tuple[list[Word], list[Word]]:
    """Return the words whose holders are read, and the more common ones, each rarest first."""
    rarest, whole = sorted(numbers, key=lambda word: numbers[word]), 0
    for place, word in enumerate(rarest):
        whole += numbers[word]
        if whole > _READ:
            return rarest[:place], rarest[place:]
    return rarest, []


def _reaching(common: Sequence[Word], asked: Mapping[Word, float], least: float) -> str:
    """Return an expression for memories with enough of these words to reach a sum; of many, the rarest.

    Empty if all of them are not enough.
    """
    some = list(common[:_COMBINED])
    enough: list[frozenset[Word]] = []
    for size in range(1, len(some) + 1):
        for words in map(frozenset, combinations(some, size)):
            if sum(asked[word] for word in words) >= least - _ROUNDING and not any(
                e <= words for e in enough
            ):
                enough.append(words)
    each = (" AND ".join(_phrase(word) for word in some if word in words) for words in enough)
    return " OR ".join(f"({one})" for one in each)
