"""A text as a set of numbered features: pieces of its words, and a few exact marks.

Pieces of words rather than words, and what frequent words mean, because there are never enough
examples of one language; hashed to a fixed width (Weinberger et al. 2009, "Feature hashing"), so that no
vocabulary is kept and nothing a reader typed while labelling stands in the package.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, islice
from math import log2
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from memcli.judgement.senses import sense_features
from memcli.text.expressions import expression

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Of 2 ** 14 columns a sentence takes some three hundred: few collide.
WIDTH = 1 << 14
# What a statement says it says at its beginning; the rest of a page is not looked at.
_READ = 600
_SIZES = (2, 3, 4, 5)
_DIGIT = expression(r"\d")
_WORD = expression(r"[^\W\d_]+|\d+|[^\w\s]")
_CLOCK = expression(r"\b\d{1,2}(?:[:.h]\d\d|\s?[ap]m\b)", re.IGNORECASE)
_SENTENCE_END = expression(r"[.!?](?:\s|$)")


class Features(NamedTuple):
    """Some features of a text or a pair: their columns, each once, and how much each weighs."""

    columns: NDArray[np.int32]
    values: NDArray[np.float32]


# A statement is set against all that are like it; it takes two kilobytes.
@lru_cache(maxsize=1 << 13)
def text_features(text: str) -> Features:
    """The features of a text, columns below `WIDTH`; together of length 1, the marks beside.

    A full stop at its end is none: some people type it, others don't, of whatever they state.
    """
    text = without_stop(text[:_READ].strip())
    words = _WORD.findall(_DIGIT.sub("0", text.lower().replace("’", "'")))
    # A mark says as much as a good handful of pieces.
    marks = set(map(_column, _marks(text)))
    senses = set(map(_column, sense_features(words)))
    pieces = set(_runs(words)).union(*map(_columns_of, words))
    weight = len(pieces) ** -0.5 if pieces else 0.0
    pieces.difference_update(senses, marks)
    senses -= marks
    return _as_features([(marks, _MARK), (senses, _SENSE), (pieces, weight)])


def without_stop(text: str) -> str:
    """A text without the full stop at its end; three are no full stop."""
    return text[:-1] if text.endswith((".", "。")) and not text.endswith("..") else text


def _as_features(weighed: Sequence[tuple[Collection[int], float]]) -> Features:
    """Columns, each once, with what those of each weigh."""
    import numpy as np

    number = sum(len(some) for some, _ in weighed)
    columns, end = chain.from_iterable(some for some, _ in weighed), 0
    values = np.empty(number, np.float32)
    for some, weight in weighed:
        begin, end = end, end + len(some)
        values[begin:end] = weight
    return Features(np.fromiter(columns, np.int32, number), values)


def pieces_apart(newer: str, older: str) -> Sequence[Features]:
    """Of each feature how much more the newer text has, how much more the older, how much both have."""
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
    """What is said around the one place in which two texts differ; columns below `WIDTH`, of length 1."""
    weight = len(words) ** -0.5 if words else 0.0
    return _as_features([({_column(f"frame {word}") for word in words}, weight)])


def side_by_side(parts: Sequence[Features]) -> Features:
    """Several sets of features as one, `WIDTH` columns of each."""
    import numpy as np

    columns = [part.columns + place * WIDTH for place, part in enumerate(parts)]
    return Features(np.concatenate(columns), np.concatenate([part.values for part in parts]))


_MARK, _SENSE = 0.3, 0.2


def _hashed(feature: str) -> int:
    return crc32(feature.encode()) % WIDTH


# Of senses and marks there are few.
_column = lru_cache(maxsize=8192)(_hashed)


# People use few words most of the time.
@lru_cache(maxsize=8192)
def _columns_of(word: str) -> frozenset[int]:
    """The columns of a word, and of the runs of letters in it, with its borders."""
    bordered = f" {word} "
    runs = (bordered[start : start + size] for size in _SIZES for start in range(len(bordered) - size + 1))
    return frozenset(_hashed(piece) for piece in (f"words {word}", *(f"piece {run}" for run in runs)))


# A checksum goes on from that of what stands before: no run is put together, none is read twice.
_WORDS, _BEGINS, _ENDS = crc32(b"words"), crc32(b"begins"), crc32(b"ends")


def _runs(words: Sequence[str]) -> Iterator[int]:
    """The columns of a text's words by two and three, "words one two"; how it begins and ends."""
    told = [f" {word}".encode() for word in words or ("",)]
    firsts = [crc32(word, _WORDS) for word in told]
    twos = [*map(crc32, told[1:], firsts)]
    begins = accumulate(told[:3], lambda before, word: crc32(word, before), initial=_BEGINS)
    runs = chain(twos, map(crc32, told[2:], twos), islice(begins, 1, None), (crc32(told[-1], _ENDS),))
    return (run % WIDTH for run in runs)


def _marks(text: str) -> Iterator[str]:
    yield f"length {min(12, int(3 * log2(len(text.split()) + 1)))}"
    yield f"commas {min(3, text.count(','))}"
    yield f"sentences {min(3, len(_SENTENCE_END.findall(text)))}"
    for name, there in (
        ("question", text.endswith("?")),
        ("exclamation", text.endswith("!")),
        ("digit", any(map(str.isdigit, text))),
        ("clock", _CLOCK.search(text) is not None),
        ("arrow", "->" in text or "→" in text),
        ("colon", ":" in text),
        ("semicolon", ";" in text),
        ("lower case", text[:1].islower()),
    ):
        if there:
            yield name
