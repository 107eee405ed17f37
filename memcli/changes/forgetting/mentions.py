"""What beside memories mentions the erased: keyed values that go with them, and what stays and is named."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Set
from typing import Any, NamedTuple

from memcli.changes.forgetting.quotations import (
    Excerpts,
    distinctive_words,
    distinctive_words_in,
    strings_in,
)
from memcli.changes.space_history import events_in_space
from memcli.model import Event, Memory, State
from memcli.scope import Scope
from memcli.storage import StateName, areas
from memcli.storage.areas import Content, Naming


class Mentions:
    """How the erased are known again: by `excerpts`, by distinctive words that are `lost`, by their ids.

    Texts are looked for in the spaces `here` only: what another space says is its own.
    """

    def __init__(self, excerpts: Excerpts, lost: Set[str], gone: Set[str], here: Container[str]) -> None:
        self._excerpts = excerpts
        self._in_json = excerpts.as_json()
        self._lost = lost
        self._gone = gone
        self._here = here

    def in_note(self, state: State) -> bool:
        """Whether a keyed value is a note of memcli's that goes for what it quotes or names."""
        area = areas.area_named(state.area)
        return area.content is Content.NOTE and (self._named(area.naming, state.value) or self._quoted(state))

    def in_kept_value(self, state: State) -> bool:
        """Whether a keyed value quotes them that stays all the same."""
        return areas.area_named(state.area).content is not Content.NOTE and self._quoted(state)

    def in_event(self, event: Event) -> bool:
        """Whether a line of history that stays gives a reason that quotes them."""
        return bool(event.reason) and event.memory not in self._gone and self._in_reason(event.reason or "")

    def near_reason(self, reason: str) -> bool:
        """Whether the reason of the erasure itself comes as near to them as one long word."""
        return self._excerpts.hinted_at_in(reason) or self._in_reason(reason)

    def _in_reason(self, reason: str) -> bool:
        return self._excerpts.quoted_in(reason) or bool(distinctive_words([reason]) & self._lost)

    def _quoted(self, state: State) -> bool:
        if state.space not in self._here:
            return False
        flat = json.dumps(state.value, ensure_ascii=False)
        if self._in_json.quoted_in(flat):
            return True
        return bool(self._lost and distinctive_words_in(state.value) & self._lost)

    def _named(self, naming: Naming, value: Any) -> bool:
        if naming is Naming.ANY:
            return not self._gone.isdisjoint(strings_in(value))
        return naming is Naming.ALL and _concluded_from(value, self._gone)


def quoting_history(scope: Scope, events: Iterable[Event], mentions: Mentions) -> list[str]:
    """Memories of the space that stay, and on whose record a reason quotes the erased."""
    quoting = [each for each in events if mentions.in_event(each)]
    return list(dict.fromkeys(event.memory for event in events_in_space(scope, quoting)))


class SortedValues(NamedTuple):
    """What becomes of keyed values: all but the `quoting` go, and these are named."""

    of_space: list[State]
    """Those of the space that goes whole."""
    files: list[State]
    """Contents that no memory holds any more."""
    notes: list[State]
    """What memcli noted, for what it quotes or names."""
    quoting: list[State]


def sort_values(
    states: Iterable[State], space: str | None, files: Set[StateName], mentions: Mentions
) -> SortedValues:
    """Tell apart the keyed values of a store; of these the contents that go are known by name."""
    found = SortedValues([], [], [], [])
    for state in states:
        if state.space == space and areas.area_named(state.area).in_spaces:
            found.of_space.append(state)
        elif (state.space, state.area, state.key) in files:
            found.files.append(state)
        elif mentions.in_note(state):
            found.notes.append(state)
        elif mentions.in_kept_value(state):
            found.quoting.append(state)
    return found


def unnamed_files(
    states: Iterable[State], staying: Iterable[Memory], spaces: Container[str]
) -> set[StateName]:
    """Values in these spaces that live as long as a memory there names them, and that none names."""
    found = [
        each for each in states if each.space in spaces and areas.area_named(each.area).named_by_memories
    ]
    names: dict[str, set[str]] = {each.space: set() for each in found}
    for memory in staying if found else ():
        if memory.space in names:
            names[memory.space].update(strings_in(memory.data, names=False))
    return {(each.space, each.area, each.key) for each in found if each.key not in names[each.space]}


def _concluded_from(value: Any, gone: Set[str]) -> bool:
    """Whether what waits for review was concluded from erased memories alone."""
    memory = value.get("memory") if isinstance(value, dict) else None
    data = memory.get("data") if isinstance(memory, dict) else None
    cites = data.get("cites") if isinstance(data, dict) else None
    return isinstance(cites, list) and bool(cites) and all(each in gone for each in cites)
