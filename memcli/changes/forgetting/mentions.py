"""Mentions of erased content outside the erased memories: which are deleted, cleaned, or kept and listed."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Set
from dataclasses import replace
from typing import Any

from memcli.changes.forgetting.quotations import (
    NOTE,
    Excerpts,
    distinctive_words,
    distinctive_words_in,
    said_beside,
    strings_in,
)
from memcli.graph.links import link_reasons, link_without_reasons
from memcli.memory_data import CITES, ids_in
from memcli.model import EVERYWHERE, Event, Link, Memory, State
from memcli.named_tuple import NamedTuple
from memcli.storage import areas
from memcli.storage.areas import Content, Naming
from memcli.storage.ledger import StateName
from memcli.text.naming import names

# Areas that hold hashes, and no text.
_HASHES = frozenset({areas.FORGOTTEN.name, areas.FORGOTTEN_TRACE.name})
# The fields in a line of history that may quote something, beside the text.
SAID_BESIDE = ("tags", "session", "ended_why")
# The fields that may contain the name of a forgotten person.
NAMING = ("space", "origin")


def says_beside(event: Event) -> bool:
    """True if a line of history says anything beside the memory's text that could name somebody."""
    if event.reason or ":" in event.actor:
        return True
    for fields in (event.before, event.after):
        if fields and (any(fields.get(name) for name in SAID_BESIDE) or ":" in (fields.get("origin") or "")):
            return True
        data = fields.get("data") if fields else None
        if isinstance(data, dict) and data.get(NOTE):
            return True
    return bool(event.before and event.before.get("space"))


class Mentions:
    """Recognises erased content by `excerpts`, by distinctive words that are `lost`, and by ids.

    Texts are searched in the spaces `here` only: other spaces are not touched.
    """

    def __init__(
        self,
        excerpts: Excerpts,
        lost: Set[str],
        entities: Set[str],
        gone: Set[str],
        here: Container[str],
    ) -> None:
        self._excerpts = excerpts
        self._in_json = excerpts.as_json()
        self._lost = lost
        self._entities = entities
        self._gone = gone
        self._here = here
        self._reasons: dict[str, bool] = {}

    def in_note(self, state: State) -> bool:
        """True if a keyed value is one of memcli's notes that quotes or names erased content, and so goes."""
        area = areas.area_named(state.area)
        if area.only_names and state.space in self._here:
            return any(map(self._excerpts.named_in, strings_in([state.key, state.value], names=False)))
        return area.content is Content.NOTE and (self._named(area.naming, state.value) or self._quoted(state))

    def in_memory(self, memory: Memory) -> bool:
        """True if a memory that stays says the same, or quotes or names it beside its text.

        When a person is forgotten by name, a later version without the name is not theirs, though it says
        much of what the earlier version said.
        """
        later = self._excerpts.has_names and memory.supersedes in self._gone
        quoted_in = self._excerpts.named_in if later else self._excerpts.quoted_in
        return any(map(quoted_in, (memory.text, *said_beside(memory))))

    def state_without_quotes(self, state: State) -> State:
        """Return one of memcli's own lists without names that quote erased content; else unchanged."""
        by_memcli = areas.area_named(state.area).content is Content.BOOKKEEPING and state.space in self._here
        if not by_memcli or not isinstance(state.value, list):
            return state
        kept = [each for each in state.value if not (isinstance(each, str) and self._in_reason(each))]
        return state._replace(value=kept) if kept != state.value else state

    def in_link(self, link: Link) -> bool:
        """True if a link that stays states what only erased memories said, or names what only they named."""
        if link.space not in self._here:
            return False
        said = [link.subject, link.relation.replace("_", " "), link.object]
        if any(map(self._excerpts.quoted_in, (*said, " ".join(said)))):
            return True
        ends = {names.spelling_key(link.subject), names.spelling_key(link.object)}
        return bool(ends & self._entities or distinctive_words(said) & self._lost)

    def is_named_link(self, link: Link) -> bool:
        """True if one end of a link is a person forgotten by name."""
        ends = (link.subject, link.object, link.relation)
        return link.space in self._here and any(map(self._excerpts.named_in, ends))

    def link_without_quotes(self, link: Link) -> Link:
        """Return a link without the reasons in its record that quote erased content."""
        quoting = {each for each in link_reasons(link) if self._in_reason(each)}
        return link_without_reasons(link, quoting) if quoting and link.space in self._here else link

    def event_without_quotes(self, event: Event) -> Event:
        """Return a line of history without the reasons, tags and names that quote erased content."""
        reason = None if event.reason and self._in_reason(event.reason) else event.reason
        return event._replace(
            actor=self._excerpts.without_names(event.actor), reason=reason,
            before=self._cleaned(event.before), after=self._cleaned(event.after),
        )  # fmt: skip

    def _cleaned(self, fields: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return the fields of a line of history without quotations, except its text."""
        if not fields:
            return fields
        changed: dict[str, Any] = {}
        for name in SAID_BESIDE:
            value = fields.get(name)
            if isinstance(value, list):
                kept = [each for each in value if not self._in_reason(str(each))]
                changed |= {name: kept} if kept != value else {}
            elif isinstance(value, str) and self._in_reason(value):
                changed[name] = None
        if isinstance(data := fields.get("data"), dict) and (unnoted := self._unnoted(data)) != data:
            changed["data"] = unnoted
        for name in NAMING:
            if isinstance(value := fields.get(name), str) and self._excerpts.named_in(value):
                changed[name] = self._excerpts.without_names(value)
        return {**fields, **changed} if changed else fields

    def in_kept_value(self, state: State) -> bool:
        """True if a keyed value that is not deleted quotes erased content."""
        return areas.area_named(state.area).content is not Content.NOTE and self._quoted(state)

    def near_reason(self, reason: str) -> bool:
        """True if the reason of the erasure itself has as little as one long word of the erased content."""
        return self._excerpts.hinted_at_in(reason) or self._in_reason(reason)

    def memory_without_quotes(self, memory: Memory) -> Memory:
        """Return a memory that stays without quotations in its origin, its note and its end's reason."""
        if memory.ended_why and self._in_reason(memory.ended_why):
            memory = replace(memory, ended_why=None)
        if self._excerpts.named_in(memory.origin):
            memory = replace(memory, origin=self._excerpts.without_names(memory.origin))
        return replace(memory, data=data) if (data := self._unnoted(memory.data)) != memory.data else memory

    def _unnoted(self, data: dict[str, Any]) -> dict[str, Any]:
        note = data.get(NOTE)
        return {**data, NOTE: None} if isinstance(note, str) and self._in_reason(note) else data

    def _in_reason(self, reason: str) -> bool:
        # Cached, since session names recur on many lines.
        if (known := self._reasons.get(reason)) is None:
            known = self._reasons[reason] = self._quoted_in_reason(reason)
        return known

    def _quoted_in_reason(self, reason: str) -> bool:
        return self._excerpts.quoted_in(reason) or bool(distinctive_words([reason]) & self._lost)

    def _quoted(self, state: State) -> bool:
        if state.space not in self._here and state.space != EVERYWHERE:
            return False
        if state.area in _HASHES:
            return False
        flat = json.dumps([state.key, state.value], ensure_ascii=False)
        if self._in_json.quoted_in(flat):
            return True
        return bool(self._lost and distinctive_words_in([state.key, state.value]) & self._lost)

    def _named(self, naming: Naming, value: Any) -> bool:
        if naming is Naming.ANY:
            return not self._gone.isdisjoint(strings_in(value))
        return naming is Naming.ALL and _concluded_from(value, self._gone)


class SortedValues(NamedTuple):
    """The keyed values touched by an erasure; all but the `quoting` are deleted or trimmed."""

    of_space: list[State]
    """Those of the space that is erased as a whole."""
    files: list[State]
    """File contents that no memory refers to any more."""
    notes: list[State]
    """memcli's own notes that quote or name erased content."""
    chosen: list[State]
    """Those that were chosen, with what belongs to them."""
    trimmed: list[State]
    """Lists of names that stay, without those that quote erased content."""
    quoting: list[State]


def sort_values(
    states: Iterable[State],
    space: str | None,
    files: Set[StateName],
    mentions: Mentions,
    chosen: Set[StateName],
) -> SortedValues:
    """Sort the keyed values of a store; `files` and `chosen` are the names of those to be deleted."""
    found = SortedValues([], [], [], [], [], [])
    for state in states:
        if state.space == space and areas.area_named(state.area).in_spaces:
            found.of_space.append(state)
        elif (state.space, state.area, state.key) in files:
            found.files.append(state)
        elif (state.space, state.area, state.key) in chosen:
            found.chosen.append(state)
        elif mentions.in_note(state):
            found.notes.append(state)
        elif (trimmed := mentions.state_without_quotes(state)) != state:
            found.trimmed.append(trimmed)
        elif mentions.in_kept_value(state):
            found.quoting.append(state)
    return found


def unnamed_files(
    states: Iterable[State], staying: Iterable[Memory], spaces: Container[str]
) -> set[StateName]:
    """Return values in these spaces that live only while a memory refers to them, and that none refers to."""
    found = [
        each for each in states if each.space in spaces and areas.area_named(each.area).named_by_memories
    ]
    names: dict[str, set[str]] = {each.space: set() for each in found}
    for memory in staying if found else ():
        if memory.space in names:
            names[memory.space].update(strings_in(memory.data, names=False))
    return {(each.space, each.area, each.key) for each in found if each.key not in names[each.space]}


def _concluded_from(value: Any, gone: Set[str]) -> bool:
    """True if a memory held for review was concluded from erased memories alone."""
    memory = value.get("memory") if isinstance(value, dict) else None
    data = memory.get("data") if isinstance(memory, dict) else None
    cites = ids_in(data, CITES) if isinstance(data, dict) else []
    return bool(cites) and all(each in gone for each in cites)
