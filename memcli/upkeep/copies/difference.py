"""Differences between two states of a store, described for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

from memcli import times
from memcli.changes.forgetting.targets import address_of, link_address
from memcli.graph.links import link_statement
from memcli.model import EVERYWHERE, KINDS, Link, Memory, State
from memcli.named_tuple import NamedTuple
from memcli.storage import areas
from memcli.storage.rows import changed_fields
from memcli.upkeep.copies.sides import Side, link_fields, memory_fields


class How(Enum):
    """The kind of a difference: what became of a thing in the later state."""

    ADDED = "added"
    ENDED = "ended"
    CHANGED = "changed"
    RESTORED = "restored"
    """It had ended, and is in force."""
    GONE = "gone"
    """A memory or link that was in force is missing: it was purged or erased."""


class Difference(NamedTuple):
    """One difference. `what` is a kind of memory, `link`, or the noun of a keyed value."""

    what: str
    how: How
    address: str
    """The address that commands accept: an id, `link/ID`, `area/key`."""
    space: str
    text: str
    """The thing's text, of the later state if it is there."""
    fields: dict[str, tuple[Any, Any]]
    """The changed fields, before and after; for an end, how it ended."""

    def to_record(self) -> dict[str, Any]:
        """Return the difference as JSON types."""
        fields = {name: {"before": old, "after": new} for name, (old, new) in self.fields.items()}
        return {
            "what": self.what, "how": self.how.value, "id": self.address, "space": self.space,
            "text": self.text, "fields": fields,
        }  # fmt: skip


# The nouns for keyed values; the parts of a checkpoint are reported as the checkpoint.
_NOUNS = {
    areas.SESSION_AT_HAND.name: "at hand", areas.HELD.name: "review",
    areas.PROPOSED_LINK.name: "proposed link",
    areas.WRITE_RULES.name: "rule", areas.SESSION.name: "session", areas.CHECKPOINT_SAVE.name: "checkpoint",
    areas.CHECKPOINT_STEP.name: "checkpoint", areas.CHECKPOINT_OUTPUT.name: "checkpoint",
    areas.PROCEDURE_FILE.name: "procedure file",
}  # fmt: skip
_ENDING = ("ended_at", "ended_as", "ended_why", "replaced_by")


def differences(old: Side, new: Side) -> list[Difference]:
    """Return all differences: memories by kind, then links, then keyed values by noun; each by age."""
    found = [*_of_memories(old, new), *_of_links(old, new), *_each_once(_of_values(old, new))]
    order = {what: number for number, what in enumerate((*KINDS, "link"))}
    return sorted(found, key=lambda each: (order.get(each.what, len(order)), each.what, each.address))


def counts(found: Iterable[Difference]) -> dict[str, dict[str, int]]:
    """Return the number of differences by `what` and `how`, in their order."""
    counted: dict[str, Counter[str]] = {}
    for each in found:
        counted.setdefault(each.what, Counter())[each.how.value] += 1
    order = [how.value for how in How]
    return {what: {how: number[how] for how in order if number[how]} for what, number in counted.items()}


def as_going_back(found: Iterable[Difference]) -> list[Difference]:
    """Turn the differences from now to a snapshot into what a rollback does, which removes nothing."""
    back = {How.GONE: How.ENDED, How.ADDED: How.RESTORED}
    is_kept = {*KINDS, "link"}
    return [
        each._replace(how=back.get(each.how, each.how)) if each.what in is_kept else each for each in found
    ]


def _of_memories(old: Side, new: Side) -> Iterator[Difference]:
    for memory_id in old.memories.keys() | new.memories.keys():
        before, after = old.memories.get(memory_id), new.memories.get(memory_id)
        shown = after or before
        if shown is None or (how := _how(before, after)) is None:
            continue
        fields: dict[str, tuple[Any, Any]] = {}
        if before and after:
            fields = _changed(_flat(memory_fields(before)), _flat(memory_fields(after)))
        if how is How.CHANGED:
            fields = {name: value for name, value in fields.items() if name not in _ENDING} or fields
        yield Difference(shown.kind, how, memory_id, shown.space, shown.text, fields)


def _of_links(old: Side, new: Side) -> Iterator[Difference]:
    for link_id in old.links.keys() | new.links.keys():
        before, after = old.links.get(link_id), new.links.get(link_id)
        shown = after or before
        if shown is None or (how := _how(before, after)) is None:
            continue
        fields = _changed(_as_json(before), _as_json(after)) if before and after else {}
        yield Difference("link", how, link_address(link_id), shown.space, link_statement(shown), fields)


def _of_values(old: Side, new: Side) -> Iterator[Difference]:
    everything = [*old.values.values(), *new.values.values()]
    for name in old.values.keys() | new.values.keys():
        before, after = old.values.get(name), new.values.get(name)
        shown = after or before
        if shown is None or (before and after and before.value == after.value):
            continue
        how = How.ENDED if after is None else How.ADDED if before is None else How.CHANGED
        said = (_said(before) if before else {}, _said(after) if after else {})
        if (
            how is How.CHANGED
            and "text" in said[0]
            and (said[0]["text"] is None) != (said[1].get("text") is None)
        ):
            how = How.RESTORED if said[0]["text"] is None else How.ENDED
        fields = _changed(*said) if before and after else {}
        text = _text(said[1] or said[0]) or _text(said[0])
        noun = _NOUNS.get(shown.area, shown.area)
        space = "" if shown.space == EVERYWHERE else shown.space
        yield Difference(noun, how, address_of(shown, everything), space, text, fields)


def _how(before: Memory | Link | None, after: Memory | Link | None) -> How | None:
    """Return how a memory or link differs; None if it does not, or is in force in neither state."""
    if before is None or after is None:
        shown = before or after
        if shown is None or shown.ended_at:
            return None
        return How.ADDED if before is None else How.GONE
    if bool(before.ended_at) != bool(after.ended_at):
        return How.ENDED if after.ended_at else How.RESTORED
    return None if _fields(before) == _fields(after) else How.CHANGED


def _fields(thing: Memory | Link) -> dict[str, Any]:
    return memory_fields(thing) if isinstance(thing, Memory) else link_fields(thing)


def _each_once(found: Iterable[Difference]) -> Iterator[Difference]:
    """Merge the differences in the parts of one checkpoint; its own record's `how` counts, if it has one."""
    by_address: dict[tuple[str, str, str], Difference] = {}
    for each in found:
        key = (each.what, each.space, each.address)
        known = by_address.get(key)
        if known is None:
            by_address[key] = each
        elif known.how is not each.how:
            by_address[key] = known._replace(how=How.CHANGED, fields={**each.fields, **known.fields})
    return iter(by_address.values())


def _said(state: State) -> dict[str, Any]:
    """Return what a keyed value says, by field; for a block its current text, for a held one the memory."""
    value = state.value if isinstance(state.value, dict) else {"value": state.value}
    versions = value.get("versions")
    if state.area == areas.BLOCK.name and isinstance(versions, list) and versions:
        last = versions[-1]
        said = {name: each for name, each in value.items() if name != "versions"}
        return {**said, "text": last.get("text") if isinstance(last, dict) else None}
    if state.area == areas.PROCEDURE_FILE.name:
        return {"bytes": len(str(value))}
    return value


def _text(said: dict[str, Any]) -> str:
    memory = said.get("memory")
    for text in (
        said.get("text"),
        said.get("goal"),
        memory.get("text") if isinstance(memory, dict) else None,
    ):
        if isinstance(text, str):
            return text
    return ""


def _flat(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a memory's fields, with those in its data under `data.NAME`."""
    flat = {name: value for name, value in fields.items() if name != "data"}
    return {**flat, **{f"data.{name}": value for name, value in fields["data"].items()}}


def _as_json(link: Link) -> dict[str, Any]:
    fields = link_fields(link)
    return {
        name: times.to_iso(value) if hasattr(value, "isoformat") else value for name, value in fields.items()
    }


def _changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    names = dict.fromkeys([*before, *after])
    old, new = changed_fields({n: before.get(n) for n in names}, {n: after.get(n) for n in names})
    return {name: (old[name], new[name]) for name in new}
