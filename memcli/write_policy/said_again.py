"""What came in and was taken for known: its own words, on the record of what it was taken for.

They are the reason of a line of history. By `confirm` it made that memory surer; by `repeat` it changed
nothing: what a file says, or an untrusted source, vouches for nothing. Who wrote such a line is whose words
they are. It stands there once, so a file that is read again leaves no second one, and is known by it.
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
# What the lines of `repeat` are called, in the plural.
LINES = "repetitions of what is known"
_SAID_AGAIN = "said again"
# So much of a text that was taken for another is shown, in characters.
_SHOWN = 100
# And so many of them.
_TOLD = 10


def said_again(words: str | None) -> str:
    """The reason of a line of history that says so; with the words, where they are others."""
    return f"{_SAID_AGAIN}: {words}" if words else _SAID_AGAIN


def words_on(event: Event) -> str | None:
    """The words that a line of history keeps; None of one that keeps none."""
    if event.action not in (CONFIRM, REPEAT):
        return None
    words = (event.reason or "").removeprefix(f"{_SAID_AGAIN}: ")
    return None if words == (event.reason or "") else words


def repetition(known: str, words: str, change: Change, actor: str, at: datetime) -> Event:
    """The line that keeps the words in which somebody said a memory (by its id) again; it changes nothing."""
    return Event(0, at, known, REPEAT, actor, said_again(words), {}, {}, change.id)


def speaker(new: Memory, writer: str) -> str:
    """The origin whose words a memory's are: its writer's, of an untrusted one that which it came from."""
    return writer if new.trusted else new.origin


def is_on_record(store: Store, event: Event) -> bool:
    """Whether a memory's record holds these words already, said by the same."""
    words = words_on(event)
    return any(each.actor == event.actor and words_on(each) == words for each in store.history(event.memory))


def said_again_by(store: Store, actor: str) -> Iterator[datetime]:
    """When somebody said again what is known, and changed nothing by it."""
    return (line.at for line in store.history(action=REPEAT) if line.actor == actor)


class MatchedText(NamedTuple):
    """A text that came in and was taken for what is known, and how likely that is so.

    None where words decided, or it was on record already.
    """

    place: str
    text: str
    known: Memory
    likely: float | None = None

    @property
    def in_other_words(self) -> bool:
        """Whether it may be another thing after all."""
        return is_reworded(self.known, self.text)

    def told(self) -> str:
        """It, for people."""
        surely = "" if self.likely is None else f", {self.likely:.0%} likely"
        said = f'"{one_line(self.text, _SHOWN)}"'
        return (
            f"{self.place}: {said} was taken for {quoted(self.known)} ({ids.short_id(self.known.id)}{surely})"
        )

    def to_record(self) -> dict[str, Any]:
        """It as JSON types."""
        return {
            "place": self.place, "text": self.text, "id": self.known.id, "known": self.known.text,
            "likely": self.likely and round(self.likely, 3),
        }  # fmt: skip


def taken_for(place: str, decision: Decision) -> Iterator[MatchedText]:
    """What a decision took a text for; nothing where it is kept, or known word for word."""
    if decision.said is not None and decision.action == "reinforce":
        known = decision.memory
        yield MatchedText(place, decision.said, known, decision.judged.get(f"same: {known.id}"))


class WordsOnRecord:
    """All words by which something was said again, read from a store's record when first asked for.

    Whoever writes here knows their own: what an agent says of a memory hides nothing from its owner.
    """

    def __init__(self, scope: Scope) -> None:
        self._store, self._origin = scope.store, scope.origin

    def taken_for(self, place: str, new: Memory) -> MatchedText | None:
        """What a text that comes in was taken for before; None where it was not."""
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
    """Whether a text says what is known in other words, not only in other spacing, capitals, punctuation."""
    return text_key(text) != text_key(known.text)


# How all of what was taken for known is kept, too.
ALL_BY = "import with --force"


def told(found: Sequence[MatchedText], file: str = "", *, all_by: str = ALL_BY) -> Iterator[str]:
    """What of a file was taken for known: the first, a line each, the number of the rest, the way out.

    `all_by`: how all of them are kept, too; empty where whoever imports may not do so.
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
