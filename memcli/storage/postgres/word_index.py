"""Word index of a memory: its tsvector, and the counts derived from it.

A memory's words are in a tsvector, made of memcli's own tokens without any of the server's parsers, and
stemmed here; beside them `=SPACE`, so that the index itself can restrict to a space.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.storage.postgres.stemming import stemmed
from memcli.text import words

# A tsvector holds a megabyte at most (https://www.postgresql.org/docs/current/textsearch-limitations.html),
# with four bytes a word beside it; words of the text beyond that are not indexed.
_MOST_BYTES, _BESIDE = 900_000, 8
# By space and word, the change in the number of memories that hold it.
WordCounts = dict[str, Counter[str]]
# The word under which the number of all memories is kept.
ALL_OF_THEM = ""


class IndexedWords(NamedTuple):
    """The words of one memory: each once, and all in the order of the text."""

    each: list[str]
    order: str


def indexed_words(memory: Memory) -> IndexedWords:
    """Return the words by which a memory is found."""
    order = [stemmed(token) for token in words.index_text(memory.text, memory.tags).split()]
    if 4 * len(together := " ".join(order)) + _BESIDE * len(order) <= _MOST_BYTES:
        return IndexedWords(list(dict.fromkeys(order)), f" {together} ")
    each, size = list[str](), 0
    for word in dict.fromkeys(order):
        size += len(word.encode()) + _BESIDE
        if size > _MOST_BYTES:
            break
        each.append(word)
    return IndexedWords(each, f" {together} ")


def lexemes(found: IndexedWords, space: str) -> list[str]:
    """Return the lexemes of a memory's tsvector: its words, and its space."""
    return [*found.each, f"={space}"]


def as_tsvector(some: Sequence[str]) -> str:
    """Return lexemes as the text of a tsvector."""
    together = "' '".join(some)
    # Nearly always there is nothing to escape.
    if together.count("'") == 2 * (len(some) - 1) and "\\" not in together:
        return f"'{together}'"
    return " ".join(map(quoted, some))


def count_of(changes: WordCounts, found: Iterable[str], space: str, by: int) -> None:
    """Add the words of one memory of a space to the changes, or with -1 subtract them."""
    counts = changes.setdefault(space, Counter())
    (counts.update if by > 0 else counts.subtract)((ALL_OF_THEM, *found))


def quoted(word: str) -> str:
    """Return a word quoted for a query: only these two characters need escaping."""
    doubled = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
