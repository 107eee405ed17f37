"""Stable facts that a speaker states about themself, by the form of the sentence.

English and first person only: the plainest, of which the judge of disclosure is not sure, for in the
chats that taught it hardly anybody says "I live in Lisbon". What somebody likes, is or does it judges better
(of the facts in the chats of nine authors no form found any). Questions, conditions, quotations and hopes
are left out: a fact missed is said again, a wrong one is believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memcli.model import Kind
from memcli.text.extraction.relation_words import KIN
from memcli.text.sentences import sentences

_NAME = r"[A-Z][\w.'-]*(?:\s+(?:[A-Z][\w.'-]*|de|of|the|van|von|and))*"


class Statement(NamedTuple):
    """A sentence that states a fact, its kind, and how sure the form makes it."""

    text: str
    kind: Kind
    confidence: float


class _Form(NamedTuple):
    kind: Kind
    confidence: float
    pattern: str


_FORMS = (
    _Form("fact", 0.95, rf"my (?:full |first |last )?name(?:'s| is) {_NAME}"),
    _Form("fact", 0.9, rf"I(?: currently| now)? live in {_NAME}"),
    _Form("fact", 0.9, rf"I(?:'m| am) (?:originally )?from {_NAME}"),
    _Form("fact", 0.9, rf"I(?:'ve| have)? (?:just |recently )?moved to {_NAME}"),
    _Form("fact", 0.9, rf"I was born (?:in|on) (?:{_NAME}|\w+ \d{{1,2}}(?:, \d{{4}})?|\d{{4}})"),
    _Form("fact", 0.9, rf"I work (?:at|for) {_NAME}(?: as an? (?:\w+[ -]){{0,3}}\w+)?"),
    _Form("fact", 0.9, rf"I work as an? (?:\w+[ -]){{0,3}}\w+(?: (?:at|for|in) {_NAME})?"),
    _Form("fact", 0.9, rf"my (?:{KIN})(?:'s name is| is (?:called|named)) {_NAME}"),
    _Form("fact", 0.9, r"my birthday is (?:on )?\w+ \d{1,2}(?:st|nd|rd|th)?"),
    _Form("fact", 0.9, rf"I(?:'m| am) married to {_NAME}"),
    _Form("constraint", 0.95, r"I(?:'m| am) (?:severely )?allergic to \w+(?:(?:,| and| or) \w+){0,4}"),
)  # fmt: skip
_PATTERNS = tuple(
    (form, re.compile(rf"(?:\w{{2,5}}[,!] )?(?P<said>{form.pattern})[\s.!]*$", re.IGNORECASE if form.kind != "fact" else 0))
    for form in _FORMS
)  # fmt: skip
_STOPS = re.compile(
    r"\?|\"|“|\b(?:if|unless|would|could|might|maybe|perhaps|wish|used to|imagine|pretend)\b", re.IGNORECASE
)
# A sentence longer than this tells a story.
_LONGEST = 160


def statements(text: str) -> Iterator[Statement]:
    """The facts that a first-person text states, in order, in its own words."""
    for sentence in sentences(text):
        if len(sentence) > _LONGEST or _STOPS.search(sentence):
            continue
        plain = sentence.replace("’", "'").strip()
        for form, pattern in _PATTERNS:
            found = pattern.match(plain) or pattern.match(plain[:1].lower() + plain[1:])
            if found:
                said = found["said"].strip(" .,;")
                yield Statement(said[:1].upper() + said[1:] + ".", form.kind, form.confidence)
                break


def own_sentences(text: str) -> list[str]:
    """The sentences in which a speaker says something of themself, whether it lasts or not."""
    return [
        sentence
        for sentence in sentences(text)
        if 15 <= len(sentence) <= _LONGEST
        and re.match(r"(?:I|My|We|Our)\b(?!')|I'(?:m|ve)\b", sentence)
        and not _STOPS.search(sentence)
    ]
