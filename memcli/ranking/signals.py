"""Every reason to rank a memory, in units of cosine, and what each weighs.

A signal earns its weight from the memory itself: what helps a short turn of a
conversation (its neighbours, its session) is scaled by how far the memory
leans on them, and is zero for a fact or a long message that stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memcli.ranking.dates import date_match
from memcli.ranking.question import Question

Floats = NDArray[np.float32]

# Weight of the content words' vector beside the whole question's (0.25 to 1: alike).
CONTENT_VECTOR = 0.5
# Part of the store's mean vector that is taken off every memory: what all memories share
# tells none apart (0.3 instead: conversations +0.3, standing facts -0.7 points of R@10).
CENTRE = 0.5
# Tokens at which a turn counts as half self-contained (40 to 100: alike).
HALF_SELF_CONTAINED = 60
# A turn's words also count within so many turns of it.
WINDOW = 3

_SAYS_WHEN = (
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|week|weekend|month|year|day|morning|evening"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
    r"|since|(?:19|20)\d\d|\d+(?:st|nd|rd|th))\b"
)
_SAYS_NUMBER = r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twice|once|couple|few|several)\b"


class Weights(NamedTuple):
    """What each signal weighs; 1 is the memory's own likeness to the question.

    Found by benchmarks/train.py on LoCoMo 0-4, BEAM 1-10 and PrefEval-dev
    together, checked by leaving one conversation out.
    """

    meaning: float = 1.0
    # The share of the question's information that it contains. Outside a session the
    # cube of it counts: there few shared words mislead more than they help.
    words: float = 0.50
    # Said by whom the question names.
    role: float = 0.36
    # It asks itself: who asks does not answer.
    asking: float = -0.30
    # Asked for a time, or a number, it says one.
    when: float = 0.20
    number: float = 0.13
    # Among its neighbours, its session's best turn, words within three turns.
    context: float = 0.60
    session: float = 0.34
    window: float = 0.42
    # Said in, or soon after, the time asked about.
    date: float = 0.41


@dataclass(slots=True, kw_only=True)
class Candidates:
    """C memories that may answer a question with T terms; d is the model's width."""

    texts: Sequence[str]
    roles: Sequence[str]
    happened: Sequence[datetime]
    vectors: Floats  # (C, d) unit, centred; the window nearest to the question
    around: Floats  # (C, d) unit, centred: among its neighbours; its own where there are none
    words: Floats  # (C,) coverage, 0 to 1
    words_around: Floats  # (C,) coverage within WINDOW turns of its session
    session_best: Floats  # (C,) the best meaning in its session; its own where there is none
    in_session: Floats  # (C,) 0 or 1
    leaning: Floats  # (C,) how far it leans on its neighbours, 0 to 1


def unit(vectors: Floats) -> Floats:
    """Vectors, along the last axis, scaled to length 1."""
    scaled: Floats = vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-9)
    return scaled


def question_vector(statement: Floats, content: Floats) -> Floats:
    """The vector searched with, unit: the whole question, and a little its content words. (d,)"""
    return unit(statement + CONTENT_VECTOR * content)


def centred(vectors: Floats, mean: Floats) -> Floats:
    """Vectors without part of what all have in common, unit. (C, d), (d,) -> (C, d)"""
    return unit(vectors - CENTRE * mean)


def leaning(role: str, neighbours: Sequence[str], words: int) -> float:
    """How far a memory leans on its neighbours, 0 to 1: short, and between turns of somebody else."""
    if not neighbours:
        return 0.0
    others = sum(neighbour != role for neighbour in neighbours) / len(neighbours)
    return others * HALF_SELF_CONTAINED**2 / (HALF_SELF_CONTAINED**2 + words**2)


def question_share(text: str) -> float:
    """The share of a text's characters that stand in questions, asides in brackets left out."""
    sentences = re.split(r"(?<=[.!?])\s+", re.sub(r"\[.*?\]", "", text))
    asking = sum(len(sentence) for sentence in sentences if sentence.rstrip().endswith("?"))
    return asking / max(1, sum(map(len, sentences)))


def signals(question: Question, vector: Floats | None, c: Candidates) -> dict[str, Floats]:
    """Each signal of `Weights` for each candidate, by name, shape (C,).

    Without `vector` meaning was not searched, and its signals are zero.
    """
    size = len(c.texts)
    zero = np.zeros(size, dtype=np.float32)
    found = dict.fromkeys(Weights._fields, zero)
    found["words"] = np.where(c.in_session > 0, c.words, c.words**3)
    found["window"] = c.leaning * (c.words_around - c.words)
    found["role"] = _flags(question.names(role) for role in c.roles)
    if c.leaning.any():
        asking = [
            question_share(text) if lean else 0.0 for text, lean in zip(c.texts, c.leaning, strict=True)
        ]
        found["asking"] = c.leaning * np.asarray(asking, dtype=np.float32)
    if question.asks_when:
        found["when"] = _flags(re.search(_SAYS_WHEN, text, re.IGNORECASE) for text in c.texts)
    if question.asks_number:
        found["number"] = _flags(re.search(_SAYS_NUMBER, text, re.IGNORECASE) for text in c.texts)
    if question.dates:
        fits = [date_match(when, question.dates) for when in c.happened]
        found["date"] = np.asarray(fits, dtype=np.float32)
    if vector is not None and size:
        own = c.vectors @ vector
        found["meaning"] = own
        found["context"] = c.leaning * (c.around @ vector - own)
        found["session"] = c.leaning * (np.maximum(c.session_best, own) - own)
    return found


def _flags(values: object) -> Floats:
    return np.asarray([bool(value) for value in values], dtype=np.float32)  # type: ignore[attr-defined]
