"""What came in and was taken for known: its own words, on the record of what it was taken for.

They are the reason of a line of history. By `confirm` it made that memory surer; by `repeat` it changed
nothing: what a file says, or an untrusted source, vouches for nothing. Who wrote such a line is whose words
they are. It stands there once, so a file that is read again leaves no second one, and is known by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from memcli import ids
from memcli.model import Change, ChangeAction, Event, Memory
from memcli.storage import Store
from memcli.text.comparison.duplicates import text_key
from memcli.text.printable import one_line
from memcli.write_policy.decision import Decision, quoted

CONFIRM: ChangeAction = "confirm"
REPEAT: ChangeAction = "repeat"
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
    """The line that keeps the words in which a memory (by its id) was said again by somebody; it changes
    nothing."""
    return Event(0, at, known, REPEAT, actor, said_again(words), {}, {}, change.id)


def is_on_record(store: Store, event: Event) -> bool:
    """Whether a memory's record holds these words already, said by the same."""
    words = words_on(event)
    return any(each.actor == event.actor and words_on(each) == words for each in store.history(event.memory))


class TakenFor(NamedTuple):
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


def taken_for(place: str, decision: Decision) -> Iterator[TakenFor]:
    """What a decision took a text for; nothing where it is kept, or known word for word."""
    if decision.said is not None and (decision.action == "reinforce" or decision.waits_already):
        known = decision.memory
        yield TakenFor(place, decision.said, known, decision.judged.get(f"same: {known.id}"))


class WordsOnRecord:
    """All words by which something was said again, read from a store's record when first asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def taken_for(self, place: str, space: str, *texts: str) -> TakenFor | None:
        """What a text, in any of the ways in which it may stand there, was taken for in a space."""
        for text in texts:
            if known := self._known.get((space, text.strip())):
                return TakenFor(place, text, known)
        return None

    @cached_property
    def _known(self) -> dict[tuple[str, str], Memory]:
        said = [(event.memory, words) for event in self._lines() if (words := words_on(event))]
        memories = {each.id: each for each in self._store.get(list({memory: None for memory, _ in said}))}
        return {
            (memories[memory].space, words.strip()): memories[memory]
            for memory, words in said
            if memory in memories
        }

    def _lines(self) -> Iterator[Event]:
        for action in (CONFIRM, REPEAT):
            yield from self._store.history(action=action)


def is_reworded(known: Memory, text: str) -> bool:
    """Whether a text says what is known in other words, not only in other spacing, capitals, punctuation."""
    return text_key(text) != text_key(known.text)


def told(found: Sequence[TakenFor], file: str = "") -> Iterator[str]:
    """What of a file was taken for known: the first, a line each, the number of the rest, the way out."""
    if not found:
        return
    yield from (f"{file}: {each.told()}" if file else each.told() for each in found[:_TOLD])
    if len(found) > _TOLD:
        yield f"… and {len(found) - _TOLD:,} more were taken for known in other words; --json names all"
    yield "`mem history ID` has their words; `mem remember --both-hold ID TEXT` keeps both, --force all"
