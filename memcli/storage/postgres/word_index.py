"""What the index of words holds of a memory, and what is counted of it.

A memory's words stand in a tsvector, made of memcli's own tokens without any of the server's parsers,
stemmed here; beside them `=SPACE`, so that the index itself keeps to a space.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.storage.postgres.stemming import stemmed
from memcli.text import words

# A tsvector holds a megabyte at most (https://www.postgresql.org/docs/current/textsearch-limitations.html),
# with four bytes a word beside it; what is beyond that is found by what stands before it.
_MOST_BYTES, _BESIDE = 900_000, 8
# By space and word by how much the number of those that hold it changed.
WordCounts = dict[str, Counter[str]]
# Under this word stands how many memories there are.
ALL_OF_THEM = ""


class IndexedWords(NamedTuple):
    """The words of one memory: each once, and all as they follow each other."""

    each: list[str]
    order: str


def indexed_words(memory: Memory) -> IndexedWords:
    """The words by which a memory is found."""
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
    """What stands in the tsvector of a memory: its words, and the space they are in."""
    return [*found.each, f"={space}"]


def as_tsvector(some: Sequence[str]) -> str:
    """Lexemes as the text of a tsvector."""
    together = "' '".join(some)
    # Nearly always there is nothing to double.
    if together.count("'") == 2 * (len(some) - 1) and "\\" not in together:
        return f"'{together}'"
    return " ".join(map(quoted, some))


def count_of(changes: WordCounts, found: Iterable[str], space: str, by: int) -> None:
    """Add the words of one memory of a space to what changed, or with -1 take them off."""
    counts = changes.setdefault(space, Counter())
    (counts.update if by > 0 else counts.subtract)((ALL_OF_THEM, *found))


def quoted(word: str) -> str:
    """A word in a query; a quoted one is taken as it is but for these two characters."""
    doubled = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
