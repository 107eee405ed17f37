"""Text said again: an incoming text taken for a known memory is kept as words in that memory's history.

The words are the reason of a history line. A `confirm` line made the memory surer; a `repeat` line changed
nothing, since a file or an untrusted source confirms nothing. The line's actor is who said the words. Each
text is recorded once, so a file that is read again adds no second line and is recognised by the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from memcli import ids
from memcli.messages import Command, message
from memcli.model import Change, ChangeAction, Event, Memory
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import Store
from memcli.text.comparison.duplicates import text_key
from memcli.text.printable import one_line
from memcli.text.secrets.redaction import without_secrets_in
from memcli.write_policy.decision import Decision, quoted

CONFIRM: ChangeAction = "confirm"
REPEAT: ChangeAction = "repeat"
# The name of `repeat` lines in messages, in the plural.
LINES = "repetitions of what is known"
_SAID_AGAIN = "said again"
# How much of a text is quoted, in characters.
_SHOWN = 100
# How many texts are listed.
_TOLD = 10


def said_again(words: str | None) -> str:
    """Return the reason of a history line for a repetition, with the words where they differ."""
    return f"{_SAID_AGAIN}: {words}" if words else _SAID_AGAIN


def words_on(event: Event) -> str | None:
    """Return the words that a history line records; None if it records none."""
    if event.action not in (CONFIRM, REPEAT):
        return None
    words = (event.reason or "").removeprefix(f"{_SAID_AGAIN}: ")
    return None if words == (event.reason or "") else words


def repetition(known: str, words: str, change: Change, actor: str, at: datetime) -> Event:
    """Return the `repeat` line that records the words in which the memory with the id `known` was said."""
    return Event(0, at, known, REPEAT, actor, said_again(words), {}, {}, change.id)


def speaker(new: Memory, writer: str) -> str:
    """Return the origin whose words a memory holds: the writer, or for an untrusted memory its own origin."""
    return writer if new.trusted else new.origin


def is_on_record(store: Store, event: Event) -> bool:
    """True if the memory's history holds these words already, said by the same actor."""
    words = words_on(event)
    return any(each.actor == event.actor and words_on(each) == words for each in store.history(event.memory))


def said_again_by(store: Store, actor: str) -> Iterator[datetime]:
    """Yield when an actor repeated known memories without changing them."""
    return (line.at for line in store.history(action=REPEAT) if line.actor == actor)


class MatchedText(NamedTuple):
    """An incoming text that was taken for a known memory.

    `place` is where it stood; `likely` the probability that both say the same, None where word comparison
    decided or it was on record already.
    """

    place: str
    text: str
    known: Memory
    likely: float | None = None

    @property
    def in_other_words(self) -> bool:
        """True if the words differ, so that it may be another thing after all."""
        return is_reworded(self.known, self.text)

    def told(self) -> str:
        """Return the finding as a line for people."""
        surely = "" if self.likely is None else f", {self.likely:.0%} likely"
        said = f'"{one_line(self.text, _SHOWN)}"'
        return (
            f"{self.place}: {said} was taken for {quoted(self.known)} ({ids.short_id(self.known.id)}{surely})"
        )

    def to_record(self) -> dict[str, Any]:
        """Return the finding as JSON types."""
        return {
            "place": self.place, "text": self.text, "id": self.known.id, "known": self.known.text,
            "likely": self.likely and round(self.likely, 3),
        }  # fmt: skip


def taken_for(place: str, decision: Decision) -> Iterator[MatchedText]:
    """Yield the known memory for which a decision took a text; nothing if kept, or known word for word."""
    if decision.said is not None and decision.action == "reinforce":
        known = decision.memory
        yield MatchedText(place, decision.said, known, decision.judged.get(f"same: {known.id}"))


class WordsOnRecord:
    """All words by which known memories were restated, read from the store's history when first asked for.

    They are matched per actor: what an agent says of a memory does not hide a text of the owner's.
    """

    def __init__(self, scope: Scope) -> None:
        self._store, self._origin = scope.store, scope.origin

    def taken_for(self, place: str, new: Memory) -> MatchedText | None:
        """Return the memory for which an incoming text was taken before; None if it was not."""
        who = speaker(new, self._origin)
        for text in (new.text, without_secrets_in(new.text)) if self._known else ():
            if known := self._known.get((new.space, who, text.strip())):
                return MatchedText(place, text, known)
        return None

    @cached_property
    def _known(self) -> dict[tuple[str, str, str], Memory]:
        said = [
            (event, words)
            for action in (CONFIRM, REPEAT)
            for event in self._store.history(action=action)
            if (words := words_on(event))
        ]
        memories = {
            each.id: each for each in self._store.get(list({event.memory: None for event, _ in said}))
        }
        return {
            (memories[event.memory].space, event.actor, words.strip()): memories[event.memory]
            for event, words in said
            if event.memory in memories
        }


def is_reworded(known: Memory, text: str) -> bool:
    """True if a text differs from the known one in more than spacing, capitals and punctuation."""
    return text_key(text) != text_key(known.text)


# How to keep all texts that were taken for known ones.
ALL_BY = "import with --force"


def told(found: Sequence[MatchedText], file: str = "", *, all_by: str = ALL_BY) -> Iterator[str]:
    """Yield lines on the texts of a file that were taken for known: the first ones, a count, advice.

    `all_by` says how to keep all of them; empty if the importer may not do so.
    """
    if not found:
        return
    yield from (f"{file}: {each.told()}" if file else each.told() for each in found[:_TOLD])
    if len(found) > _TOLD:
        yield f"… and {len(found) - _TOLD:,} more were taken for known in other words; --json names all"
    yield (
        message(
            Command("history ID"),
            " shows their words; to keep such a text as well: ",
            Command("remember --both-hold ID TEXT"),
            f", or to keep them all, {all_by}" if all_by else "",
        )
    )
