"""A text as a set of numbered features: pieces of its words, and a few exact marks.

Pieces of words rather than words, and what frequent words mean, because there are never enough
examples of one language; hashed to a fixed width (Weinberger et al. 2009, "Feature hashing"), so that no
vocabulary is kept and nothing a reader typed while labelling stands in the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import log2
from zlib import crc32

from memcli.judgement.senses import sense_features
from memcli.text.expressions import expression

# Of 2 ** 14 columns a sentence takes some three hundred: few collide.
WIDTH = 1 << 14
# What a statement says it says at its beginning; the rest of a page is not looked at.
_READ = 600
_SIZES = (2, 3, 4, 5)
_WORD = expression(r"[^\W\d_]+|\d+|[^\w\s]")
_CLOCK = expression(r"\b\d{1,2}(?:[:.h]\d\d|\s?[ap]m\b)", re.IGNORECASE)
_SENTENCE_END = expression(r"[.!?](?:\s|$)")


@lru_cache(maxsize=256)
def text_features(text: str) -> Mapping[int, float]:
    """The features of a text by their column, below `WIDTH`; together of length 1, the marks beside."""
    text = text[:_READ].strip()
    words = _WORD.findall(re.sub(r"\d", "0", text.lower().replace("’", "'")))
    pieces = {column for word in words for column in _columns_of(word)}
    pieces |= {_column(piece) for piece in _pieces(words)}
    weight = len(pieces) ** -0.5 if pieces else 0.0
    features = dict.fromkeys(pieces, weight)
    features.update(dict.fromkeys(map(_column, sense_features(words)), _SENSE))
    # A mark says as much as a good handful of pieces.
    features.update(dict.fromkeys(map(_column, _marks(text)), _MARK))
    return features


def pieces_apart(newer: str, older: str) -> dict[int, float]:
    """What only the newer of two texts has, only the older, and both: by column, `WIDTH` of each."""
    new, old = text_features(newer), text_features(older)
    in_new, in_old = new.get, old.get  # a thousand times a pair
    apart = {column: more for column, value in new.items() if (more := value - in_old(column, 0.0)) > 0}
    apart |= {
        WIDTH + column: more for column, value in old.items() if (more := value - in_new(column, 0.0)) > 0
    }
    apart |= {2 * WIDTH + column: min(value, old[column]) for column, value in new.items() if column in old}
    return apart


_MARK, _SENSE = 0.3, 0.2


def _column(feature: str) -> int:
    return crc32(feature.encode()) % WIDTH


# People use few words most of the time.
@lru_cache(maxsize=8192)
def _columns_of(word: str) -> tuple[int, ...]:
    """The columns of the runs of letters in a word, with its borders."""
    bordered = f" {word} "
    return tuple(
        _column("piece " + bordered[start : start + size])
        for size in _SIZES
        for start in range(len(bordered) - size + 1)
    )


def _pieces(words: Sequence[str]) -> Iterator[str]:
    """A text's words by one, two, three; how it begins and ends."""
    for length in (1, 2, 3):
        for start in range(len(words) - length + 1):
            yield "words " + " ".join(words[start : start + length])
        yield "begins " + " ".join(words[:length])
    yield "ends " + " ".join(words[-1:])


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
