"""Statements of lasting facts that speakers make about themselves, recognised by the form of the sentence.

English and first person only; each form states one thing that stays true for long. Questions, conditions,
quotations, wishes, hedges and what lasts a day are left out: a missed fact will be said again, a wrong one is
believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.model import Kind
from memcli.named_tuple import NamedTuple
from memcli.text.english.hedges import speculative_phrase, transient_phrase
from memcli.text.extraction.relation_words import KIN
from memcli.text.sentences import sentences

_NAME = r"[A-Z][\w.'-]*(?:\s+(?:[A-Z][\w.'-]*|de|of|the|van|von|and))*"
_WHOSE = rf"(?:{KIN}|advisor)"
# Objects that make it momentary, or an idiom: "I hate this error", "I prefer not to say".
_LASTING = r"(?!(?:not|this|that|these|those|it|when|how|you|him|her|them|my|myself)\b)"


class Statement(NamedTuple):
    """A sentence that states a fact, with its kind and its confidence by the form."""

    text: str
    kind: Kind
    confidence: float


class _Form(NamedTuple):
    kind: Kind
    confidence: float
    pattern: str


_FORMS = (
    _Form("fact", 0.95, rf"my (?:full |first |last )?name(?:'s| is) {_NAME}"),
    _Form("fact", 0.9, rf"I(?: currently| now)? live in {_NAME}(?: with my {_WHOSE})?"),
    _Form("fact", 0.9, rf"I(?:'m| am) (?:originally )?from {_NAME}"),
    _Form("fact", 0.9, rf"I(?:'ve| have)? (?:just |recently )?moved to {_NAME}"),
    _Form("fact", 0.9, rf"I was born (?:in|on) (?:{_NAME}|\w+ \d{{1,2}}(?:, \d{{4}})?|\d{{4}})(?: in {_NAME})?"),
    _Form("fact", 0.85, r"I(?:'m| am) (?:a|an) (?:\w+[ -]){0,3}(?:engineer|developer|programmer|teacher|nurse|doctor|lawyer"
          r"|designer|writer|artist|student|professor|researcher|scientist|manager|consultant|accountant|architect"
          r"|musician|chef|journalist|producer|analyst|vegetarian|vegan|pescatarian)"
          r"(?: (?:at|from|for|in|based in) " + _NAME + r")?"),
    _Form("fact", 0.9, r"I(?:'m| am) (?:a )?(?:vegetarian|vegan|pescatarian|left-handed|colou?r-?blind|diabetic)"),
    _Form("fact", 0.9, rf"I work (?:at|for) {_NAME}(?: as an? (?:\w+[ -]){{0,3}}\w+)?"),
    _Form("fact", 0.9, r"I work as an? (?:\w+[ -]){0,3}\w+(?: (?:at|for|in) " + _NAME + r")?"),
    _Form("fact", 0.9, rf"my {_WHOSE}(?:'s name is| is (?:called|named)) {_NAME}"),
    _Form("fact", 0.9, r"my birthday is (?:on )?\w+ \d{1,2}(?:st|nd|rd|th)?"),
    _Form("fact", 0.9, r"I(?:'m| am) \d{1,3} years old"),
    _Form("fact", 0.9, rf"I(?:'m| am) married to {_NAME}"),
    _Form("constraint", 0.95, r"I(?:'m| am) (?:severely |deathly )?allergic to \w+(?:(?:,| and| or) \w+){0,4}"),
    _Form("preference", 0.85, r"my fav(?:ou?)rite [\w -]{2,40} (?:is|are) [\w' -]{2,60}"),
    _Form("preference", 0.85, r"I(?: always| strongly| really| generally| usually)? prefer " + _LASTING + r"[\w' -]{2,60}"
          r"(?: (?:over|to|instead of|rather than) [\w' -]{2,60})"),
    _Form("preference", 0.85, r"I (?:really )?(?:hate|can't stand|cannot stand|dislike) (?!to say\b)"
          + _LASTING + r"[\w' -]{2,50}"),
    _Form("constraint", 0.85, r"I (?:never|don't|do not|can't|cannot) (?:eat|drink) [\w' -]{2,50}"),
)  # fmt: skip
_CLOSING = r"[\s.!,;:)]*(?:\([^)]*\))?[\s.!]*$"
_PATTERNS = tuple(
    (form, re.compile(rf"(?:(?:so|and|well|also|btw|fyi|hi|hello|hey)\b[,!]?\s+)*(?P<said>{form.pattern}){_CLOSING}", re.IGNORECASE
                      if form.kind != "fact" else 0))
    for form in _FORMS
)  # fmt: skip
_STOPS = re.compile(r"\?|\"|“|\b(?:if|unless|would|could|might|maybe|perhaps|wish|used to|imagine|pretend|hypothetically"
                    r"|example|suppose|character|joking|kidding)\b", re.IGNORECASE)  # fmt: skip
# A sentence longer than this tells a story.
_LONGEST = 160


def statements(text: str) -> Iterator[Statement]:
    """Yield the facts that a first-person text states, in order and in its own words."""
    for sentence in sentences(text):
        if (
            len(sentence) > _LONGEST
            or _STOPS.search(sentence)
            or transient_phrase(sentence)
            or speculative_phrase(sentence)
        ):
            continue
        plain = sentence.replace("’", "'").strip()
        for form, pattern in _PATTERNS:
            found = pattern.match(plain) or pattern.match(plain[:1].lower() + plain[1:])
            if found:
                said = found["said"].strip(" .,;")
                yield Statement(said[:1].upper() + said[1:] + ".", form.kind, form.confidence)
                break


def own_sentences(text: str) -> list[str]:
    """Return the sentences in which speakers say something about themselves, lasting or not."""
    return [
        sentence
        for sentence in sentences(text)
        if 15 <= len(sentence) <= _LONGEST
        and re.match(r"(?:I|My|We|Our)\b(?!')|I'(?:m|ve)\b", sentence)
        and not _STOPS.search(sentence)
    ]
