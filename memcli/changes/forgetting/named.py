"""Everything of a space that names somebody, however much of the name it says.

Where nobody else of that given name is known, the given name alone means them; the same of the
surname. What names a namesake or a relative, and what may mean either, is left, and told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memcli.changes.forgetting.quotations import said_beside, strings_in
from memcli.changes.forgetting.targets import Targets, link_address, value_address
from memcli.changes.space_history import events_in_space
from memcli.errors import BadInput
from memcli.memory_data import is_summary
from memcli.model import EVERYWHERE, Filter, Link, Memory, State
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas
from memcli.storage.ledger import StateName
from memcli.text.naming.full_names import FullName, Mention, NameForms, full_name

# Aliases of aliases: no further.
_ROUNDS = 3
# Which forms mean somebody unless these are there, too: then they may mean another.
_UNLESS = {"given": {"namesake"}, "surname": {"relative", "other title"}, "titled": {"relative"}}
_WORKS = ("procedure", "policy")


class _Unit(NamedTuple):
    """One thing that may name somebody: by its address, what it says."""

    address: str
    texts: list[str]
    thing: Memory | Link | State | None
    """None for a reason on the record of a memory: it is blanked with the rest, and told where it is left."""


class NamedThings(NamedTuple):
    """What names somebody: to be erased, if that is wanted, and how each is written; and what was left."""

    targets: Targets
    works: list[str]
    """Their owner's works that name them, by address: told, and not erased with the rest."""
    taken: dict[str, int]
    """How they are written, and how often."""
    left: dict[str, list[str]]
    """What was taken for another's name, or may be; by how it is written the addresses."""
    doubtful: dict[str, str]
    """What says a word that may be the name or only that word (Will, May): by address its text."""
    proper: bool
    """Whether it is written as a name anywhere."""


def find_named(
    scope: Scope, name: str, where: Filter | None = None, others: Sequence[str] = ()
) -> NamedThings:
    """What of the space at hand names somebody; of memories those that `where` means.

    `others` are names of others, which do not count. Raises BadInput for what is no name.
    """
    wanted, apart = _name(name), tuple(map(_name, others))
    everything = list(_units(scope, where or scope.within(live=False, at=None)))
    names = [_forms(wanted, apart, everything)]
    for _ in range(_ROUNDS):
        # Of another name no part stands for it: "Bee Man" is no bee.
        further = [NameForms(each, frozenset({"full"}), apart) for each in _other_names(everything, names)]
        if not further:
            break
        names += further
    return _named_things(everything, tuple(names))


def _units(scope: Scope, where: Filter) -> Iterator[_Unit]:
    for memory in scope.store.select(where, order="oldest"):
        yield _Unit(memory.id, [memory.text, *said_beside(memory)], memory)
    reasons = (event for event in scope.store.history() if event.reason)
    for event in events_in_space(scope, reasons):
        yield _Unit(event.memory, [event.reason or ""], None)
    for link in scope.store.links((scope.space,)):
        yield _Unit(link_address(link.id), [link.subject, link.object, link.relation], link)
    for state in scope.store.states((scope.space, EVERYWHERE)):
        area = areas.area_named(state.area)
        if area.erased_by_address:
            said = [state.key, *strings_in(state.value, names=False)]
            yield _Unit(value_address(state.area, state.key), said, state)


def _name(text: str) -> FullName:
    if (found := full_name(text)) is None:
        raise BadInput(f"{text!r:.60} is not a name; give a given name, a surname, or both")
    return found


def _forms(name: FullName, others: tuple[FullName, ...], everything: Iterable[_Unit]) -> NameForms:
    """The forms of a name that can mean nobody else here."""
    found = NameForms(name, frozenset(), others)
    seen = {mention.form for unit in everything for mention in _mentions(found, unit)}
    return found._replace(forms=frozenset({"full", *(form for form in _UNLESS if not _UNLESS[form] & seen)}))


def _other_names(everything: Iterable[_Unit], names: Sequence[NameForms]) -> list[FullName]:
    """The names that aliases add, each as far as it is not found by those known already."""
    found = []
    for unit in everything:
        if isinstance(unit.thing, State) and unit.thing.area == areas.ALIAS.name:
            known = [any(each.found_in(text) for each in names) for text in unit.texts]
            new = [full_name(text) for text, is_known in zip(unit.texts, known, strict=True) if not is_known]
            found += [each for each in new if each is not None and any(known)]
    return found


def _named_things(everything: Iterable[_Unit], names: tuple[NameForms, ...]) -> NamedThings:
    """What names them, and what does not for sure."""
    theirs: list[tuple[_Unit, list[Mention]]] = []
    others: list[tuple[_Unit, list[Mention]]] = []
    for unit in everything:
        mentions = [_mentions(name, unit) for name in names]
        meant = [
            mention
            for name, some in zip(names, mentions, strict=True)
            for mention in some
            if mention.form in name.forms
        ]
        # Of another name a part is no part of theirs.
        (theirs if meant else others).append((unit, meant or mentions[0]))
    targets, works = _targets([unit for unit, _ in theirs], names)
    taken: Counter[str] = Counter()
    for _, meant in theirs:
        taken.update(list(dict.fromkeys(mention.written for mention in meant)))
    doubtful: dict[str, str] = {}
    for unit, _ in others:
        if text := _doubtful(names, unit):
            doubtful.setdefault(unit.address, text)
    proper = any(mention.proper for _, meant in theirs for mention in meant)
    return NamedThings(targets, works, dict(taken), _left(others), doubtful, proper)


def _targets(units: Iterable[_Unit], names: tuple[NameForms, ...]) -> tuple[Targets, list[str]]:
    """What is to be erased of the things that name somebody, and the addresses of their owner's works."""
    memories: list[Memory] = []
    links: set[str] = set()
    values: set[StateName] = set()
    works: list[str] = []
    for unit in units:
        match unit.thing:
            case Memory() as memory:
                if _goes(memory):
                    memories.append(memory)
                elif memory.kind in _WORKS:
                    works.append(unit.address)
            case Link() as link:
                links.add(link.id)
            case State() as state:
                area = areas.area_named(state.area)
                if area.only_names:
                    values.add((state.space, state.area, state.key))
                elif area.content is areas.Content.OWNERS:
                    works.append(unit.address)
    return Targets(memories, frozenset(links), frozenset(values), names), works


def _left(others: Iterable[tuple[_Unit, Sequence[Mention]]]) -> dict[str, list[str]]:
    """By how another's name is written, or one that may be another's, the addresses where it is."""
    left: dict[str, dict[str, None]] = {}
    for unit, mentions in others:
        for mention in mentions:
            if mention.form != "unsure":
                left.setdefault(mention.written, {})[unit.address] = None
    return {form: list(addresses) for form, addresses in left.items()}


def _doubtful(names: Sequence[NameForms], unit: _Unit) -> str | None:
    """The first text of a unit with a word that may be one of the names, or only that word."""
    # Of another name than the one that was asked for no part counts.
    whole = [each for n, each in enumerate(names) if n == 0 or each.name.has_one_form]
    said = (text for text in unit.texts for each in whole for m in each.mentions(text) if m.form == "unsure")
    return next(said, None)


def _goes(memory: Memory) -> bool:
    """Whether a memory goes for a name in it.

    A summary of turns is rewritten without them. A procedure or policy in force is its owner's
    work, as a block is: it is named.
    """
    return not is_summary(memory) and (memory.kind not in _WORKS or memory.ended_at is not None)


def _mentions(name: NameForms, unit: _Unit) -> list[Mention]:
    return [mention for text in unit.texts for mention in name.mentions(text)]
