"""Targets of an erasure: memories, links and keyed values, and the addresses that name them.

A memory and a link are named by their ids, a keyed value by `AREA/KEY` (`block/owner`, `task/move`,
`alias/kev`). A receipt lists what stays by these addresses, and the next erasure accepts them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from memcli import ids
from memcli.errors import BadInput, NotFound
from memcli.messages import Command, message
from memcli.model import DEFAULT_SPACE, EVERYWHERE, Link, Memory, State
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas
from memcli.storage.areas import Area
from memcli.storage.ledger import StateName
from memcli.storage.lookup import waiting_under
from memcli.text.naming import names
from memcli.text.naming.full_names import NameForms

_LINK = "link"
# The areas whose values belong to a checkpoint; their keys begin with its id.
_UNDER_CHECKPOINT = (areas.CHECKPOINT_SAVE, areas.CHECKPOINT_STEP, areas.CHECKPOINT_OUTPUT)


class Targets(NamedTuple):
    """The targets of an erasure: memories, links by id, keyed values by name, and persons by `names`."""

    memories: Sequence[Memory] = ()
    links: frozenset[str] = frozenset()
    values: frozenset[StateName] = frozenset()
    names: tuple[NameForms, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.memories or self.links or self.values)

    @property
    def addresses(self) -> list[str]:
        """The addresses of the targeted links and keyed values, sorted."""
        values = (value_address(area, key) for _, area, key in self.values)
        return sorted([*map(link_address, self.links), *values])


def value_address(area: str, key: str) -> str:
    """Return the address of a keyed value, as in a receipt and for the command that erases it."""
    return f"{area}/{key}"


def address_of(state: State, states: Iterable[State]) -> str:
    """Return the address of a keyed value; for a part of a checkpoint, the address of the checkpoint."""
    inner = state.key.partition("/")[0] if state.area in {each.name for each in _UNDER_CHECKPOINT} else ""
    for each in states if inner else ():
        is_record = each.area == areas.CHECKPOINT.name and isinstance(each.value, dict)
        if each.space == state.space and is_record and each.value.get("id") == inner:
            return value_address(each.area, each.key)
    return value_address(state.area, state.key)


def is_erasable(address: str) -> bool:
    """True if `find_targets` accepts the address, or it is the id of a memory."""
    kind, slash, _ = address.partition("/")
    return not slash or kind == _LINK or areas.area_named(kind).erased_by_address


def link_address(link_id: str) -> str:
    """The address of a link: `link/ID`."""
    return f"{_LINK}/{link_id}"


def find_targets(scope: Scope, named: Sequence[str]) -> Targets:
    """Return what ids and addresses name in the current space, each once.

    Raises NotFound, BadInput as `Scope.find` does; all or none.
    """
    memories: dict[str, Memory] = {}
    links: set[str] = set()
    values: set[StateName] = set()
    for each in named:
        kind, slash, key = each.partition("/")
        if slash and kind == _LINK:
            links.add(_link(scope, key).id)
        elif slash:
            values.add(_value(scope, areas.area_named(kind), key))
        else:
            try:
                memory = scope.find(each)
                memories[memory.id] = memory
            except NotFound:
                if waiting := waiting_under(scope.store, each, (scope.space,)):
                    values |= {(held.space, held.area, held.key) for held in waiting}
                else:
                    links.add(_link(scope, each).id)
    return Targets(list(memories.values()), frozenset(links), frozenset(values))


def removal_command(scope: Scope, addresses: Iterable[str], *, hard: bool = True) -> str:
    """Return the command that erases (or with `hard` False forgets) what the addresses name."""
    where = "" if scope.space == DEFAULT_SPACE else f" --space {shlex.quote(scope.space)}"
    what = f"{' --hard' if hard else ''}{where}{_db(scope)} {' '.join(map(shlex.quote, addresses))}"
    return message(Command("forget", what.strip(), bare=True))


def removal_commands(scope: Scope, addresses: Sequence[str], spaces: Iterable[str]) -> Iterator[str]:
    """Yield the commands that erase those of the addresses that can be erased, and each of the spaces."""
    if erasable := [each for each in addresses if is_erasable(each)]:
        yield removal_command(scope, erasable)
    for space in spaces:
        what = f"--hard --yes{_db(scope)} {shlex.quote(space)}"
        yield message(Command("space forget", what, bare=True))


def _db(scope: Scope) -> str:
    location = str(scope.store.location)
    return "" if location == str(scope.config["db"]) else f" --db {shlex.quote(location)}"


def values_beside(states: Iterable[State], values: frozenset[StateName]) -> Iterator[State]:
    """Yield the keyed values that belong to the named ones and are erased with them."""
    every = list(states)
    tasks = {(space, key) for space, area, key in values if area == areas.TASK.name}
    inner = {
        (each.space, str(each.value.get("id")))
        for each in every
        if (each.space, each.area, each.key) in values
        and each.area == areas.CHECKPOINT.name
        and isinstance(each.value, dict)
    }
    under = {area.name for area in _UNDER_CHECKPOINT}
    for each in every:
        at_hand = each.area == areas.SESSION_AT_HAND.name and isinstance(each.value, dict)
        if (
            (each.area == areas.TASK_RECALLS.name and (each.space, each.key) in tasks)
            or (at_hand and (each.space, each.value.get("task")) in tasks)
            or (each.area in under and (each.space, each.key.partition("/")[0]) in inner)
        ):
            yield each


def _link(scope: Scope, fragment: str) -> Link:
    wanted = ids.normalise_fragment(fragment) or "-"
    found = [
        link for link in scope.store.links((scope.space,))
        if link.id.startswith(wanted) or link.id.endswith(wanted)
    ]  # fmt: skip
    if not found:
        raise NotFound(f"no memory or link {fragment!r:.60} in space {scope.space!r}")
    if len(found) > 1:
        raise BadInput(f"{fragment!r:.40} fits {len(found)} links; give more of the id")
    return found[0]


def _value(scope: Scope, area: Area, key: str) -> StateName:
    if not key.strip():
        raise BadInput(f"{area.name}/ names nothing; say which {area.name} (an unset variable?)")
    spellings = list(dict.fromkeys((key, names.spelling_key(key))))
    for space in (scope.space, EVERYWHERE) if area.erased_by_address else (scope.space,):
        for spelled in spellings:
            if any(scope.store.states((space,), area.name, spelled)):
                return space, area.name, spelled
    raise NotFound(f"there is no {area.name}/{key:.60} in space {scope.space!r}")
