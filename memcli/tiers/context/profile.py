"""Profile of the owner: who they are and how they like things, compiled from memories."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from memcli.memories import Memories
from memcli.model import OF_OTHER, Memory, is_statement, judged_likely
from memcli.named_tuple import NamedTuple
from memcli.recall.agenda.replaced import told_updates
from memcli.recall.closed_questions import ClosedQuestions
from memcli.text.aspects import ASPECTS, Aspect, is_of_somebody_else, names_relationship, own_aspects
from memcli.text.dates.ahead import weekdays_every_week
from memcli.text.dates.called_off import is_given_up
from memcli.text.english.vocabulary import CALENDAR
from memcli.text.kinds import is_goal
from memcli.text.semantics.reported import is_anothers, own_words
from memcli.text.semantics.self_introduction import introduced_aspects, name_introduced
from memcli.text.semantics.senses import has_sense
from memcli.text.words import fold_case
from memcli.tiers.context.answer import Piece
from memcli.tiers.context.background import background_pieces
from memcli.tiers.context.blocks import blocks
from memcli.tiers.context.start import firmness

_MOST = 10
# The kinds whose statements can describe a person: "I can't eat gluten" is a constraint.
_TELLING = ("fact", "preference", "constraint")
_STATED = ("fact", "preference", "outcome")
# Senses of words that mark a habit.
_AGAIN = ("every", "always", "never")


class Profile(NamedTuple):
    """The profile by part; memories with the firmest first, untrusted ones last."""

    blocks: list[tuple[str, str]]
    name: list[Memory]
    home: list[Memory]
    work: list[Memory]
    languages: list[Memory]
    diet: list[Memory]
    allergies: list[Memory]
    preferences: list[Memory]
    constraints: list[Memory]
    habits: list[Memory]
    relationships: list[Memory]
    goals: list[Memory]
    now: list[Piece]
    updated: Mapping[str, str]
    """Maps the id of a memory to that of another that, as judged when it was written, updates it."""


def profile(memories: Memories, *, trusted: bool | None = None) -> Profile:
    """Compile the profile from the live memories of the space; with `trusted` only from trusted ones."""
    found = memories.store.select(memories.within(trusted=trusted))
    everything = sorted(found, key=lambda each: (each.trusted, firmness(each)), reverse=True)
    about = [each for each in everything if each.kind in _STATED]
    # A habit may have been judged an event.
    stated = [each for each in everything if each.kind in _STATED or _is_told_event(each)]

    def those(fits: Callable[[Memory], object]) -> list[Memory]:
        return list(islice(filter(fits, about), _MOST))

    # A description of a person may have been judged an event.
    told: dict[Aspect, list[Memory]] = {}
    own = _own_names(everything)
    for each in everything:
        if (each.kind in _TELLING or _is_told_event(each)) and not _is_judged_anothers(each, own):
            said = own_words(each.text, own)
            for aspect in dict.fromkeys((*own_aspects(said, own), *introduced_aspects(said))):
                told.setdefault(aspect, []).append(each)

    def is_own(each: Memory) -> bool:
        said = own_words(each.text, own)
        if _is_judged_anothers(each, own) or is_anothers(each.text, own):
            return False
        return not is_of_somebody_else(said, own)

    return Profile(
        blocks=[(each.label, each.text or "") for each in blocks(memories)],
        **{aspect: told.get(aspect, [])[:_MOST] for aspect in ASPECTS},
        preferences=those(lambda each: each.kind == "preference" and is_own(each)),
        constraints=[each for each in everything if each.kind == "constraint"],
        habits=[each for each in stated if _is_habit(each.text) and is_own(each)][:_MOST],
        relationships=those(lambda each: names_relationship(each.text)),
        goals=those(lambda each: is_goal(each.text) and is_own(each)),
        now=background_pieces(memories, ["task", "session"], trusted=trusted),
        updated=_updated(memories, everything),
    )


def _updated(memories: Memories, some: Sequence[Memory]) -> dict[str, str]:
    """Map the ids of memories to those that may update them; without pairs of which both hold."""
    closed = ClosedQuestions(memories.store, (memories.space,))
    return {older: newer.id for older, newer in told_updates(some, closed.holds).items()}


def _is_habit(text: str) -> bool:
    """True if a text describes a habit, current or given up, in eight languages."""
    said = re.findall(r"\w+", fold_case(text))
    again = any(has_sense(word, sense) for word in said for sense in _AGAIN)
    # "Most evenings"; English only.
    plural = any(word.endswith("s") and word[:-1] in CALENDAR for word in said)
    return again or plural or is_given_up(text) or bool(weekdays_every_week(text))


def _is_judged_anothers(each: Memory, own: frozenset[str]) -> bool:
    """True if it was judged to be about somebody else; a judge does not know the owner's name."""
    return judged_likely(each, OF_OTHER) > 0 and own.isdisjoint(fold_case(each.text).split())


def _is_told_event(memory: Memory) -> bool:
    """True if a memory is an event that states something by itself, and no turn of a conversation."""
    return memory.kind == "episode" and is_statement(memory)


def _own_names(some: list[Memory]) -> frozenset[str]:
    """Return the words of the owner's names, in lower case, as far as any memory states them."""
    trusted = [own_words(each.text) for each in some if each.trusted]
    told = [text for text in trusted if "name" in own_aspects(text)]
    introduced = frozenset(word for text in trusted for word in fold_case(name_introduced(text)).split())
    return introduced | frozenset(
        fold_case(word) for text in told for word in re.findall(r"\b[A-ZÀ-Þ]\w+", text)[-3:]
    )
