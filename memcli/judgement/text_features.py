"""Text features: a text as hashed features, namely pieces of its words, their senses and some exact marks.

Pieces of words and senses rather than words, because there are never enough examples of one language; hashed
to a fixed width (Weinberger et al. 2009, "Feature hashing"), so that no vocabulary is kept and nothing that
the labelled texts say is in the package.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, chain, compress, islice, repeat
from math import log2
from typing import TYPE_CHECKING
from zlib import crc32

from memcli.named_tuple import NamedTuple
from memcli.text.expressions import expression
from memcli.text.semantics.senses import SenseFeature, name_of, sense_features

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The number of columns. A sentence takes some three hundred, so few collide.
WIDTH = 1 << 14
# At most so many characters are read: a statement says what it says at its beginning.
_READ = 600
_SIZES = (2, 3, 4, 5)
_DIGIT = expression(r"\d")
_WORD = expression(r"[^\W\d_]+|\d+|[^\w\s]")
_CLOCK = expression(r"\b\d{1,2}(?:[:.h]\d\d|\s?[ap]m\b)", re.IGNORECASE)
_SENTENCE_END = expression(r"[.!?](?:\s|$)")


class Features(NamedTuple):
    """Some features of a text or a pair: their columns, each once, and their values."""

    columns: NDArray[np.int64]
    values: NDArray[np.float32]


# Cached, because one statement is compared with many; an entry takes four kilobytes.
@lru_cache(maxsize=1 << 13)
def text_features(text: str) -> Features:
    """Return the features of a text, in columns below `WIDTH`; its pieces together have length 1.

    A final full stop is ignored: some people type it, others don't, whatever they state.
    """
    import numpy as np

    text = without_stop(text[:_READ].strip())
    words = _WORD.findall(_DIGIT.sub("0", text.lower().replace("’", "'")))
    senses, marks = array("q", map(_of_senses.__getitem__, sense_features(words))).tobytes(), _marks(text)
    columns = np.frombuffer(b"".join([*map(_columns_of, words), _runs(words), senses, marks]), np.int64)
    # Where the senses begin, and the marks.
    first_mark = len(columns) - len(marks) // columns.itemsize
    first_sense = first_mark - len(senses) // columns.itemsize
    pieces = columns[:first_sense]
    # `whose` maps a column to the last feature that has it; other entries are uninitialised and never read.
    whose = np.empty(WIDTH, np.int32)
    numbers = np.arange(len(columns), dtype=np.int32)
    whose[pieces] = numbers[:first_sense]
    # A mark weighs as much as a handful of pieces.
    weights = np.empty(len(columns), np.float32)
    weights[:first_sense] = np.count_nonzero(whose.take(pieces) == numbers[:first_sense]) ** -0.5
    weights[first_sense:first_mark], weights[first_mark:] = 0.2, 0.3
    whose[columns] = numbers
    kept = whose.take(columns) == numbers
    return Features(columns[kept], weights[kept])


def without_stop(text: str) -> str:
    """Return a text without the full stop at its end; an ellipsis is kept."""
    return text[:-1] if text.endswith((".", "。")) and not text.endswith("..") else text


def pieces_apart(newer: str, older: str) -> Sequence[Features]:
    """Return, for each feature, how much more the newer text has, how much more the older, how much both."""
    import numpy as np

    new, old = text_features(newer), text_features(older)
    left = np.zeros(WIDTH, np.float32)
    left[new.columns] = new.values
    both = np.minimum(left[old.columns], old.values)
    left[old.columns] -= both
    return (
        Features(new.columns, left[new.columns]),
        Features(old.columns, old.values - both),
        Features(old.columns, both),
    )


def frame_features(words: Sequence[str]) -> Features:
    """Return the features of the words around the one difference of two texts; below `WIDTH`, of length 1."""
    import numpy as np

    columns = {_column(f"frame {word}") for word in words}
    weight = len(words) ** -0.5 if words else 0.0
    return Features(np.fromiter(columns, np.int64, len(columns)), np.full(len(columns), weight, np.float32))


def side_by_side(parts: Sequence[Features]) -> Features:
    """Concatenate several sets of features, `WIDTH` columns each."""
    import numpy as np

    columns = [part.columns + place * WIDTH for place, part in enumerate(parts)]
    return Features(np.concatenate(columns), np.concatenate([part.values for part in parts]))


def _hashed(feature: str) -> int:
    return crc32(feature.encode()) % WIDTH


# Cached, because frames recur.
_column = lru_cache(maxsize=8192)(_hashed)


class _SenseColumns(dict[SenseFeature, int]):
    """The columns of sense features, computed on demand; there are some thousands at most."""

    def __missing__(self, feature: SenseFeature) -> int:
        column = self[feature] = _hashed(name_of(feature))
        return column


_of_senses = _SenseColumns()


# A checksum is continued from that of the preceding part, so that no run is concatenated or read twice.
_WORDS, _BEGINS, _ENDS, _PIECE = crc32(b"words"), crc32(b"begins"), crc32(b"ends"), crc32(b"piece ")


# Cached: most texts use few different words.
@lru_cache(maxsize=1 << 14)
def _columns_of(word: str) -> bytes:
    """Return the columns of a word, and of the letter n-grams in it, borders included."""
    bordered = f" {word} "
    places = [(start, start + size) for size in _SIZES for start in range(len(bordered) - size + 1)]
    if word.isascii():
        letters = bordered.encode()
        runs = [letters[start:end] for start, end in places]
    else:
        runs = [bordered[start:end].encode() for start, end in places]
    found = [crc32(f" {word}".encode(), _WORDS), *(crc32(run, _PIECE) for run in runs)]
    return array("q", [each % WIDTH for each in found]).tobytes()


def _runs(words: Sequence[str]) -> bytes:
    """Return the columns of a text's word bigrams and trigrams, and of its beginning and end."""
    told = (" " + "\n ".join(words)).encode().split(b"\n")
    firsts = [*map(crc32, told, repeat(_WORDS))]
    twos = [*map(crc32, told[1:], firsts)]
    begins = accumulate(told[:3], lambda before, word: crc32(word, before), initial=_BEGINS)
    runs = chain(twos, map(crc32, told[2:], twos), islice(begins, 1, None), (crc32(told[-1], _ENDS),))
    return array("q", [run % WIDTH for run in runs]).tobytes()


def _marks(text: str) -> bytes:
    """Return the columns of a text's exact marks: punctuation, digits, length."""
    has_digit = _DIGIT.search(text) is not None if text.isascii() else any(map(str.isdigit, text))
    told = (
        text.endswith("?"),
        text.endswith("!"),
        has_digit,
        has_digit and _CLOCK.search(text) is not None,
        "->" in text or "→" in text,
        ":" in text,
        ";" in text,
        text[:1].islower(),
    )
    return _columns_of_marks(
        min(12, int(3 * log2(len(text.split()) + 1))),
        min(3, text.count(",")),
        min(3, len(_SENTENCE_END.findall(text))),
        told,
    )


# The names of the marks, in the order of `told` above.
_MARKS = ("question", "exclamation", "digit", "clock", "arrow", "colon", "semicolon", "lower case")


# Cached: many texts have the same marks.
@lru_cache(maxsize=2048)
def _columns_of_marks(length: int, commas: int, sentences: int, told: Sequence[bool]) -> bytes:
    counted = (f"length {length}", f"commas {commas}", f"sentences {sentences}")
    return array("q", map(_hashed, (*counted, *compress(_MARKS, told)))).tobytes()
