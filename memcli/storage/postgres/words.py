"""Words search in PostgreSQL: how many memories hold a word, and which hold most of those asked for, by GIN.

A phrase is searched for by its words, and then in the words in text order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import Any

from memcli.model import Filter, Match, Ref
from memcli.named_tuple import NamedTuple
from memcli.storage import Word
from memcli.storage.conditions import filter_condition, space_condition
from memcli.storage.postgres.levels import levels_of, next_levels
from memcli.storage.postgres.session import POSTGRES, PostgresSession
from memcli.storage.postgres.stemming import stemmed
from memcli.storage.postgres.word_index import WordCounts, quoted

# Up to how many holders, of all words of a question together, are read at once.
_FEW = 1000
# How many words are combined exhaustively; and the contract's bound of holders beyond them.
_COMBINED, _READ = 8, 60_000
# The factor by which more are searched for if the first were not enough.
_MORE = 4
# If the store has fewer than this many times the memories of the spaces, the index need not restrict to them.
_MOST = 1.5
_ROUNDING = 1e-9
# Matches a token, as the word index of a file splits text.
_SPLIT = re.compile(r"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+")


class _Asked(NamedTuple):
    """A word to search for: its index query, and the exact condition of holding it."""

    query: str
    condition: str
    values: tuple[str, ...]
    only: str | None
    """The word itself if it is a single one."""


class _Expected(NamedTuple):
    """Counts of the memories in some spaces: all of them, and those that hold a word."""

    spaces: Sequence[str] | None
    total: int
    is_most: bool
    """True if nearly all memories are in these spaces, so that an index need not restrict to them."""
    numbers: dict[_Asked, int]


class PostgresWords(PostgresSession):
    """The part of `memcli.storage.Store` that finds memories by their words."""

    _expected: _Expected | None = None
    """The last counts, by which the cost of a search is estimated; the answer does not depend on them."""

    def total(self, spaces: Sequence[str] | None) -> int:
        return self._expect(spaces).total

    def frequencies(self, asked: Sequence[Word], spaces: Sequence[str] | None) -> list[int]:
        each = [_asked(word) for word in asked]
        counts = self._counts([one.only for one in each if one.only is not None], spaces)
        found = [counts.get(one.only, 0) if one.only else self._number(one, spaces) for one in each]
        if self._expected and self._expected.spaces == spaces:
            self._expected.numbers.update(zip(each, found, strict=True))
        return found

    def _expect(self, spaces: Sequence[str] | None) -> _Expected:
        """Count the memories of these spaces, and whether they are nearly all."""
        within, values = space_condition(spaces, POSTGRES)
        sql = (
            f"SELECT coalesce(sum(number), 0)::bigint, (SELECT reltuples FROM pg_class "
            "WHERE oid = 'memcli.memories'::regclass) FROM memcli.word_counts "
            f"WHERE word = '' AND {within}"
        )
        [(total, rows)] = self._rows(sql, values)
        self._expected = _Expected(spaces, total, spaces is None or 0 < rows < _MOST * total, {})
        return self._expected

    def _counts(self, some: Sequence[str], spaces: Sequence[str] | None) -> dict[str, int]:
        """Return how many memories hold each of these words, from the maintained counts."""
        if not some:
            return {}
        within, values = space_condition(spaces, POSTGRES)
        sql = (
            "SELECT word, sum(number)::bigint FROM memcli.word_counts "
            f"WHERE word = ANY(%s) AND {within} GROUP BY word"
        )
        return dict(self._rows(sql, [list(some), *values]))

    def _number(self, one: _Asked, spaces: Sequence[str] | None) -> int:
        """Return how many hold what no single word tells; capped at `_READ`."""
        if not one.query:
            return 0
        within = _within(one.query, spaces)
        sql = (
            "SELECT count(*) FROM (SELECT 1 FROM memcli.memories m "
            f"WHERE m.words @@ %s::tsquery AND {one.condition} LIMIT {_READ}) found"
        )
        return int(self._rows(sql, [within, *one.values])[0][0])

    def top_by_words(self, asked: Mapping[Word, float], where: Filter, limit: int) -> list[Match]:
        weights: dict[_Asked, float] = {}
        for word, weight in asked.items():
            if (one := _asked(word)).query:  # two words may have one stem
                weights[one] = weights.get(one, 0.0) + weight
        if not weights or limit < 1:
            return []
        expected = self._expected
        if not (expected and expected.spaces == where.spaces):
            expected = self._expect(where.spaces)
        numbers = expected.numbers
        if unknown := [word for word in asked if _asked(word) not in numbers]:
            self.frequencies(unknown, where.spaces)
        if sum(numbers[one] for one in weights) <= _FEW:
            return self._holding_most(_any(list(weights)), weights, where, limit)
        return self._by_thresholds(weights, numbers, expected.total, where, limit)

    def _by_thresholds(
        self,
        weights: Mapping[_Asked, float],
        numbers: Mapping[_Asked, int],
        total: int,
        where: Filter,
        limit: int,
    ) -> list[Match]:
        """Return the greatest sums of weights: memories that can reach a high one are read first, then lower.

        Which sums there are, and how many memories may reach each, is estimated from the frequencies, as if
        words were independent. Only the cost depends on that.
        """
        heaviest = sorted(weights, key=lambda one: -weights[one])[:_COMBINED]
        beyond = sum(weights.values()) - sum(weights[one] for one in heaviest)
        levels = levels_of([(weights[one], numbers[one] / max(total, 1)) for one in heaviest], total)
        most = max(_FEW, (limit * total) ** 0.5)
        found: dict[Ref, float] = {}
        best: list[Match] = []
        wanted, whole, done = float(limit), 0.0, 0
        while done < len(levels):
            above, (done, number) = (
                levels[done - 1].least if done else None,
                next_levels(levels, done, wanted, most),
            )
            least = levels[done - 1].least
            reaching = _reaching(heaviest, weights, least)
            if number <= most:
                found |= self._holding_most(reaching, weights, where, limit)
            else:
                found |= self._newest(reaching, weights, where, limit, least, above)
            best = _greatest(found, limit)
            below = levels[done].least if done < len(levels) else 0.0
            whole += number
            # Stop if no other memory can reach the last of these; beyond the bound, by the heaviest words
            # only.
            rest = below + (beyond if whole <= _READ else 0.0)
            if len(best) == limit and best[-1].score > rest + _ROUNDING:
                break
            wanted *= _MORE
        else:
            others = _any([one for one in weights if one not in heaviest])
            if others and whole <= _READ:
                found |= self._holding_most(others, weights, where, limit)
            elif others:
                found |= self._newest(others, weights, where, limit, 0.0, None)
            best = _greatest(found, limit)
        return best

    def _inside(self, query: str, spaces: Sequence[str] | None) -> str:
        """Return a query that the index restricts to these spaces, if there is much outside of them."""
        return query if self._expected and self._expected.is_most else _within(query, spaces)

    def _holding_most(
        self, query: str, weights: Mapping[_Asked, float], where: Filter, limit: int
    ) -> list[Match]:
        """Return the greatest sums of weights among the index's matches within a filter, then the newest."""
        score, bound = _score(weights)
        sql, values = filter_condition(where, POSTGRES)
        rows = self._rows(
            f"SELECT seq, score FROM (SELECT m.seq, {score} AS score FROM memcli.memories m "
            f"WHERE m.words @@ %s::tsquery AND {sql} OFFSET 0) found WHERE score > 0 "
            "ORDER BY score DESC, seq DESC LIMIT %s",
            [*bound, self._inside(query, where.spaces), *values, limit],
        )
        return [Match(seq, score) for seq, score in rows]

    def _newest(
        self,
        query: str,
        weights: Mapping[_Asked, float],
        where: Filter,
        limit: int,
        least: float,
        below: float | None,
    ) -> list[Match]:
        """Return the newest of many matches within a filter whose sums are in these bounds."""
        score, bound = _score(weights)
        sql, values = filter_condition(where, POSTGRES)
        bounds = [least - _ROUNDING, (below or 2 * sum(weights.values())) - _ROUNDING]
        rows = self._rows(
            f"SELECT seq, score FROM (SELECT m.seq, {score} AS score FROM memcli.memories m "
            f"WHERE m.words @@ %s::tsquery AND {sql} ORDER BY m.seq DESC OFFSET 0) found "
            "WHERE score >= %s AND score < %s LIMIT %s",
            [*bound, self._inside(query, where.spaces), *values, *bounds, limit],
        )
        return [Match(seq, score) for seq, score in rows]

    def holding(self, asked: Sequence[Word], refs: Sequence[Ref]) -> list[frozenset[Ref]]:
        each = [_asked(word) for word in asked]
        if not (each and refs):
            return [frozenset()] * len(each)
        held: list[set[Ref]] = [set() for _ in each]
        conditions, values = [], list[Any]()
        for one in each:
            # An empty query would only raise a notice.
            conditions.append(f"(m.words @@ %s::tsquery AND {one.condition})" if one.query else "FALSE")
            values += [one.query, *one.values] if one.query else []
        sql = f"SELECT m.seq, {', '.join(conditions)} FROM memcli.memories m WHERE m.seq = ANY"
        for ref, *holds in self._among(sql, refs, before=values):
            for place, held_here in enumerate(holds):
                if held_here:
                    held[place].add(ref)
        return [frozenset(some) for some in held]

    def spelled_like(self, word: str, limit: int) -> list[str]:
        from memcli.text.spelling import words_like  # only where nothing holds a word

        sql = (
            "SELECT DISTINCT word FROM memcli.word_counts WHERE word >= %s AND word < %s AND number > 0 "
            "AND (length(word) BETWEEN %s AND %s OR left(word, %s) = %s)"
        )
        size = len(word)
        values = (word[:1], word[:1] + "\U0010ffff", size - 4, size + 2, size, word)
        terms = [row[0] for row in self._rows(sql, values) if row[0]] if word else []
        return words_like(word, terms, limit)

    def filter_refs(self, refs: Sequence[Ref], where: Filter) -> set[Ref]:
        sql, values = filter_condition(where, POSTGRES)
        query = f"SELECT m.seq FROM memcli.memories m WHERE {sql} AND m.seq = ANY"
        return {row[0] for row in self._among(query, refs, before=values)}

    def _count_words(self, changes: WordCounts) -> None:
        """Record by how much the numbers of holders changed; drop the rows of words without any."""
        rows = [
            (space, word, number)
            for space, counts in sorted(changes.items())
            for word, number in sorted(counts.items())
            if number
        ]
        if not rows:
            return
        spaces, some, numbers = zip(*rows, strict=True)
        self._run(
            "INSERT INTO memcli.word_counts AS w (space, word, number) "
            "SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[]) "
            "ON CONFLICT (space, word) DO UPDATE SET number = w.number + EXCLUDED.number",
            (list(spaces), list(some), list(numbers)),
        )
        if lost := [(space, word) for space, word, number in rows if number < 0]:
            self._run(
                "DELETE FROM memcli.word_counts WHERE number <= 0 AND (space, word) IN "
                "(SELECT * FROM unnest(%s::text[], %s::text[]))",
                ([space for space, _ in lost], [word for _, word in lost]),
            )


def _asked(word: Word) -> _Asked:
    """Return a word as an index query; an empty query if nothing can hold it."""
    forms = [form for term in word if (form := _tokens(term))]
    queries, conditions, values = [], list[str](), list[str]()
    for form in forms:
        queries.append("(" + " & ".join(quoted(token) for token in form) + ")")
        if len(form) > 1:
            conditions.append("(m.words @@ %s::tsquery AND strpos(m.word_order, %s) > 0)")
            values += [queries[-1], f" {' '.join(form)} "]
        else:
            conditions.append("m.words @@ %s::tsquery")
            values.append(queries[-1])
    only = forms[0][0] if len(forms) == 1 and len(forms[0]) == 1 else None
    if all(len(form) == 1 for form in forms):
        conditions, values = [], []  # the query says it all
    condition = f"({' OR '.join(conditions)})" if conditions else "TRUE"
    return _Asked(" | ".join(queries), condition, tuple(values), only)


def _tokens(term: Sequence[str]) -> list[str]:
    """Return the stems of a term's words, split like those of a text."""
    return [stemmed(part.lower()) for each in term for part in _SPLIT.findall(each)]


def _any(some: Sequence[_Asked]) -> str:
    return " | ".join(f"({one.query})" for one in some if one.query)


def _within(query: str, spaces: Sequence[str] | None) -> str:
    """Return a query restricted to these spaces."""
    if spaces is None:
        return query
    return f"({query}) & ({' | '.join(quoted(f'={space}') for space in spaces) or quoted('=')})"


def _score(weights: Mapping[_Asked, float]) -> tuple[str, list[Any]]:
    """Return SQL for the sum of the weights of the words that a memory holds, and its values."""
    shares, bound = [], list[Any]()
    for one, weight in weights.items():
        shares.append(f"CASE WHEN m.words @@ %s::tsquery AND {one.condition} THEN %s::float8 ELSE 0 END")
        bound += [one.query, *one.values, weight]
    return " + ".join(shares), bound


def _greatest(found: Mapping[Ref, float], limit: int) -> list[Match]:
    """Return the best of what was found, newest first among equals."""
    return [Match(*item) for item in nlargest(limit, found.items(), key=lambda item: item[::-1])]


def _reaching(heaviest: Sequence[_Asked], weights: Mapping[_Asked, float], least: float) -> str:
    """Return a query for memories whose words, given heaviest first, reach a sum of weights."""
    if not heaviest or sum(weights[one] for one in heaviest) < least - _ROUNDING:
        return ""
    first, others = heaviest[0], heaviest[1:]
    without = _reaching(others, weights, least)
    held = f"({first.query})"
    if weights[first] < least - _ROUNDING:
        held = f"({held} & ({_reaching(others, weights, least - weights[first])}))"
    return f"{held} | {without}" if without else held
