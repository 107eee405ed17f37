"""Looking up memories by their words: how many hold one, which hold most of what is asked, by FTS5."""

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

# So many holders, of all words of a question together, are read whole (0.3 us each); of the words
# beyond that, the most common ones, only who holds another one, too.
_READ = 60_000
# Common words of which every combination is weighed.
_COMBINED = 8
# So often those that hold more of them are asked for.
_ROUNDS = 8
# Of what is found this many times the limit is looked up first, to see which of it a filter means;
# where it means less than this part of them, all that it means is read at once.
_AHEAD, _SELECTIVE = 2, 8
# To look whether a word's holders can be passed over costs as much as so many of them.
_WORTHWHILE = 1000
# Sums of weights may differ by their order.
_ROUNDING = 1e-9


class _Part(NamedTuple):
    """A part of all memories, by those inside it, or by those outside."""

    refs: frozenset[Ref]
    inside: bool

    def of(self, refs: frozenset[Ref]) -> frozenset[Ref]:
        return refs & self.refs if self.inside else refs - self.refs


class SqliteWords(SqliteSession):
    """The part of `memcli.storage.Store` that finds memories by their words."""

    # By word its holders, under `numbers` how many they are; by spaces the part that they are.
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
        # Each by its number: no index of what the filter says is shorter.
        query = f"SELECT m.seq FROM memories m NOT INDEXED WHERE {sql} AND m.seq IN "
        return {row[0] for row in self._among(query, refs, before=values)}

    def _unless_damaged(self, search: Callable[[], T], nothing: T) -> T:
        """What a search finds; where the index is damaged what is found without it is an answer, too."""
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
        # Who holds none of the words that were read holds at most all the common ones.
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
            # There are older ones that hold as much; which of them hold more, still?
            least = max(least + 2 * _ROUNDING, best[limit - 1].score if len(best) == limit else 0.0)
        return best

    def _newest(self, asked: Mapping[Word, float], where: Filter, limit: int) -> list[Match]:
        """Of the newest that hold one common word those that a filter means; none where these are too few."""
        [(word, weight)] = asked.items()
        sql = "SELECT rowid FROM word_index WHERE word_index MATCH ? ORDER BY rowid DESC LIMIT ?"
        refs = [row[0] for row in self._rows(sql, (_phrase(word), _AHEAD * limit))]
        meant = self.filter_refs(refs, where)
        newest = [Match(ref, weight) for ref in refs if ref in meant][:limit]
        return newest if len(newest) == limit else []

    def _found(self, expression: str) -> frozenset[Ref]:
        """The newest that an expression finds."""
        sql = "SELECT rowid FROM word_index WHERE word_index MATCH ? ORDER BY rowid DESC LIMIT ?"
        return self._rowids(sql, (expression, _READ)) if expression else frozenset()

    def _rowids(self, sql: str, values: Sequence[Any]) -> frozenset[Ref]:
        """The `rowid`s that a query gives, in one text: row by row tens of thousands take twice as long."""
        [(numbers,)] = self._rows(f"SELECT json_group_array(rowid) FROM ({sql})", values)
        return frozenset(loads(numbers))

    def _holding(self, word: Word, some: frozenset[Ref], among: str) -> frozenset[Ref]:
        if word in self._looked_up:
            return self._holders(word, None) & some
        # The plus keeps FTS5 from looking each of them up by itself.
        sql = (
            "SELECT rowid FROM word_index WHERE word_index MATCH ? "
            "AND +rowid IN (SELECT value FROM json_each(?))"
        )
        return frozenset(row[0] for row in self._rows(sql, (_phrase(word), among)))

    def _meant(self, where: Filter, limit: int = -1) -> frozenset[Ref]:
        """What a filter means, by number; of many so many."""
        sql, values = filter_condition(where)
        query = f"SELECT m.seq FROM {source_of(where)} WHERE {sql} LIMIT ?"
        return frozenset(row[0] for row in self._rows(query, (*values, limit)))

    def _best(
        self, asked: Mapping[Word, float], held: Mapping[Word, frozenset[Ref]], where: Filter, limit: int
    ) -> list[Match]:
        """The best matches that a filter lets through, by sum of weights; of equals the newest first."""
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
        """How many memories of a part hold a word."""
        if part:
            # It is told by its memories: there is no counting without reading.
            return len(self._holders(word, part))
        numbers = self._looked_up.setdefault("numbers", {})
        if word not in numbers:
            sql = "SELECT count(*) FROM word_index WHERE word_index MATCH ?"
            numbers[word] = int(self._rows(sql, (_phrase(word),))[0][0])
        return int(numbers[word])

    def _holders(self, word: Word, part: _Part | None) -> frozenset[Ref]:
        """Which memories of a part hold a word."""
        cache = self._looked_up
        if word not in cache:
            sql = "SELECT rowid FROM word_index WHERE word_index MATCH ?"
            cache[word] = self._rowids(sql, (_phrase(word),))
        holders: frozenset[Ref] = cache[word]
        return part.of(holders) if part else holders

    def _space_part(self, spaces: Sequence[str] | None) -> _Part | None:
        """The part that is in these spaces; None where all memories are."""
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
        """Forget what was looked up before anybody wrote: one recall asks several times."""
        state = (*self._rows("PRAGMA data_version")[0], self._db.total_changes)
        # What a transaction sees may be rolled back, and is not kept.
        if state != self._looked_up_at or self._db.in_transaction:
            self._looked_up = {}
        self._looked_up_at = None if self._db.in_transaction else state


def _phrase(word: Word) -> str:
    """A word as FTS5 takes it. Terms hold letters, marks and digits only; quoted, they are plain words."""
    forms = ['"' + " ".join(term).replace('"', "") + '"' for term in word]
    return f"({' OR '.join(forms)})" if forms else '""'


def _highest(
    asked: Mapping[Word, float], held: Mapping[Word, frozenset[Ref]], size: int
) -> list[tuple[float, Ref]]:
    """The greatest sums of weights and who has them, of equals the newest first."""
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
    """As `_highest`, of few words: who holds each combination of them, the weightiest first, until these are
    enough. Sets are intersected in a fraction of the time in which each holder's weights are added up.
    """
    combined: list[tuple[float, tuple[Word, ...]]] = []
    for number in range(len(rarest), 0, -1):
        for words in combinations(rarest, number):
            # Added one by one as `_highest_of_all` does, in its order: sums are the same to the bit.
            total = 0.0
            for word in words:
                total += asked[word]
            combined.append((total, words))
    # Of equal sums the larger combination stays first: who holds all of it has been found by it.
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
    """As `_highest`, of any number of words.

    From the rarest word on, as MaxScore does (Turtle & Flood, "Query evaluation", Information
    Processing & Management 31, 1995): as soon as who holds none so far cannot come up to the
    best, of the more common words only those are looked at that hold a rarer one, too.
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
    """The words whose holders are read, and the more common ones, each rarest first."""
    rarest, whole = sorted(numbers, key=lambda word: numbers[word]), 0
    for place, word in enumerate(rarest):
        whole += numbers[word]
        if whole > _READ:
            return rarest[:place], rarest[place:]
    return rarest, []


def _reaching(common: Sequence[Word], asked: Mapping[Word, float], least: float) -> str:
    """An expression for who holds enough of these words to come up to a sum; of many, of the rarest.

    Empty where all of them are not enough.
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
