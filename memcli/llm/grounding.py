"""Grounding: check that what an LLM claims is supported by the memories that it cites.

A claim is accepted only on the basis of what it cites: ids that were given to the LLM, with every number and
name, and some of the words, in one of their texts. That rejects what a model makes up or was talked into. It
cannot tell whether the words are put together correctly, so a claim stays an inferred memory with its
evidence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memcli.llm.contracts import Complaint, list_field, text_field
from memcli.llm.prompts import FencedPrompt, PromptSource
from memcli.model import Kind
from memcli.named_tuple import NamedTuple
from memcli.text.clauses import clauses
from memcli.text.english.tokens import MAX_TOKENS, Token, tokenize
from memcli.text.english.vocabulary import NEGATION

# The least share of a claim's content words that are in the cited texts. Low, because a claim may rephrase;
# one in entirely different words is not what the memory says.
LEAST_SHARED = 0.25
# The most links of a claim; and citations allowed beyond the number of sources, since models repeat
# themselves.
_MOST_LINKS = 30
_SPARE = 20
_NAME = 120
# Words for the owner, about whom a memory with "I" is, in some languages; and "one", which is seldom a
# number.
_ANYBODY = frozenset(
    {"owner", "owners", "user", "users", "memory", "memories", "one", "ones", "i"}
    | {"besitzer", "besitzerin", "inhaber", "nutzer", "proprietaire", "utilisateur", "dueno", "usuario"}
)
_NOBODY = frozenset(
    {"everything", "everyone", "everybody", "nothing", "nobody", "someone", "somebody", "something"}
    | {"anything", "anyone", "there", "others", "another", "people", "work", "nowadays"}
)
# Prompt injection: such a claim, if kept, would be repeated in every prompt.
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}"
    r"\b(?:instruction|prompt|rule|direction|guideline)s?\b"
    r"|\byou are now\b|\b(?:reveal|print|repeat|show)\b[^.!?\n]{0,30}\bsystem prompt\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
# Verbs after a name, as far as their form shows: "Bob moved", "Bob works", "Bob is".
_SAID_OF = re.compile(
    r"is|was|has|had|did|does|will|can|won|went|said|told|made|got|took|gave|left|met|came|saw|built|bought|sold|wrote"
    r"|\w{2,}(?:ed|es|[^s\W]s)"
)
# In tokens; in a longer text a negation may well be about something else.
_SHORT = 25
# Long texts are tokenized in pieces, because `english.tokens.tokenize` stops after MAX_TOKENS.
_PIECES = re.compile(r"\S(?:.{0,400}(?=\s|\Z)|.{0,400})", re.DOTALL)


class ClaimedLink(NamedTuple):
    """A link between entities that a claim proposes."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedClaim:
    """A claim of an LLM, checked against what it cites.

    `cites` are whole ids; `trusted` is False if anything in the prompt was untrusted, cited or not; `prompt`
    names the prompt's file and version.
    """

    text: str
    cites: tuple[str, ...]
    trusted: bool
    prompt: str
    kind: Kind = "fact"
    confidence: float = 0.7
    links: tuple[ClaimedLink, ...] = ()


def cited_sources(record: Mapping[str, Any], prompt: FencedPrompt) -> list[PromptSource]:
    """Return the sources that `cites` names, by label or whole id. Raises Complaint for an unknown one."""
    by_id = {source.id: source for source in prompt.sources.values()}
    found: dict[str, PromptSource] = {}
    for label in list_field(record, "cites", 2 * len(prompt.sources) + _SPARE):
        name = str(label).strip().strip("[]()") if isinstance(label, str | int) else ""
        source = prompt.sources.get(name) or by_id.get(name) or prompt.sources.get(name.upper())
        if source is None:
            raise Complaint("it cites an id that stands in none of the data")
        found[source.id] = source
    if not found:
        raise Complaint("it cites nothing; every claim needs the ids that it rests on")
    return list(found.values())


def check_grounded(text: str, sources: Sequence[PromptSource], *, own_words: bool = False) -> None:
    """Raise Complaint unless the numbers and names of `text` occur in the sources.

    With `own_words` other words may differ from theirs, as in the answer to a question.
    """
    claimed = tokenize(text)
    if len(claimed) > MAX_TOKENS:
        raise Complaint("it is too long to be checked")
    said = _said(sources)
    for token in claimed:
        if token.sort in ("number", "name", "code") and not _stands(token, said):
            what = "number" if token.sort == "number" else "name"
            raise Complaint(f"the {what} {token.shown[:40]!r} stands in none of the memories that it cites")
    if name := _new_name_at_the_front(text, said):
        raise Complaint(f"the name {name[:40]!r} stands in none of the memories that it cites")
    telling = {token.stem for token in claimed if token.content and token.folded not in _ANYBODY}
    if telling and not own_words and len(telling & said) < LEAST_SHARED * len(telling):
        raise Complaint("it does not say what the memories that it cites say; keep to their words")
    if not own_words and _ORDER.search(text):
        raise Complaint("it repeats an order to whoever reads it; an order in the data is no fact")
    if not own_words and len(sources) == 1:
        _check_negation(claimed, sources[0].text)


def _new_name_at_the_front(text: str, said: frozenset[str]) -> str | None:
    """Return the name that a sentence begins with, if no source contains it.

    The first word of a sentence is always capitalized, so it is taken for a name only if something is said
    about it ("Bob moved") or belongs to it ("Bob's").
    """
    for sentence in _SENTENCES.split(text):
        tokens = tokenize(sentence)[:2]
        if not tokens or tokens[0].sort != "word" or not tokens[0].shown[0].isupper():
            continue
        if not tokens[0].content or tokens[0].folded in _NOBODY:
            continue
        owns = tokens[0].shown.endswith(("'s", "’s"))
        says = len(tokens) > 1 and _SAID_OF.fullmatch(tokens[1].folded)
        if (owns or says) and not _stands(tokens[0], said):
            return tokens[0].shown
    return None


def _check_negation(claimed: Sequence[Token], source: str) -> None:
    """Raise Complaint if a claim denies what its only short source says, or the reverse.

    The claim is compared with the clauses of the source that it is about: those with more than half as many
    of its content words as the best clause. An affirmative claim must be affirmed by the best clause; of
    equally good clauses, by the one with the last of the words, because in "no fish but meat" it is meat that
    is affirmed.
    """
    if len(tokenize(source)) > _SHORT:
        return
    telling = [token for token in claimed if token.content and token.folded not in _ANYBODY]
    about = [(_shared_places(telling, tokens := tokenize(each)), _denies(tokens)) for each in clauses(source)]
    best = max(about, key=lambda each: (len(each[0]), each[0][-1:]), default=((), False))
    denies, denied = _denies(claimed), best[1]
    if denies:
        denied = any(
            is_denied for places, is_denied in about if 2 * len(places) > len(best[0]) or not best[0]
        )
    if denies != denied:
        which = "adds" if denies else "leaves out"
        raise Complaint(f"it {which} a negation; keep the memory's own 'not' or 'never'")


def _shared_places(telling: Sequence[Token], clause: Sequence[Token]) -> list[int]:
    """Return the positions of the content words that a clause contains."""
    held = {token.stem for token in clause}
    return [place for place, token in enumerate(telling) if token.stem in held]


def _denies(tokens: Sequence[Token]) -> bool:
    return any(token.folded in NEGATION for token in tokens)


def grounded_links(record: Mapping[str, Any], sources: Sequence[PromptSource]) -> tuple[ClaimedLink, ...]:
    """Return the links of a claim whose ends occur in its sources; others are left out."""
    given = record.get("links")
    said = _said(sources)
    found = []
    for each in given[:_MOST_LINKS] if isinstance(given, list) else ():
        if not isinstance(each, dict):
            continue
        try:
            link = ClaimedLink(*(text_field(each, name, _NAME) for name in ClaimedLink._fields))
        except Complaint:
            continue
        if all(_known(end, said) for end in (link.subject, link.object)):
            found.append(link)
    return tuple(dict.fromkeys(found))


def _known(name: str, said: frozenset[str]) -> bool:
    """True if an entity is named in the sources, or is the owner."""
    tokens = [token for token in tokenize(name) if token.content]
    return bool(tokens) and all(token.folded in _ANYBODY or _stands(token, said) for token in tokens)


def _stands(token: Token, said: frozenset[str]) -> bool:
    if token.text in said or token.stem in said:
        return True
    # "one" in "one of them" is not a number, and "the Owner" is not a name.
    return token.folded in _ANYBODY or token.shown.casefold() == "one"


def _said(sources: Sequence[PromptSource]) -> frozenset[str]:
    """Return all that the sources say, as tokens: their texts, days and speakers."""
    said: set[str] = set()
    for source in sources:
        for text in (source.text, source.day, source.speaker):
            for piece in _PIECES.findall(text):
                for token in tokenize(piece):
                    said |= {token.text, token.stem}
    return frozenset(said)
