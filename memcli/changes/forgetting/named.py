"""Named things: everything in a space that names a person, in full or in part.

If nobody else with that given name is known, the given name alone means the person; likewise the surname.
What names a namesake or a relative, and what is ambiguous, is left and reported.
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

# How far aliases of aliases are followed.
_ROUNDS = 3
# The short forms that mean the person, unless mentions of these forms show that they may mean another.
_UNLESS = {"given": {"namesake"}, "surname": {"relative", "other title"}, "titled": {"relative"}}
_WORKS = ("procedure", "policy")


class _Unit(NamedTuple):
    """One thing that may name somebody: its address, and its texts."""

    address: str
    texts: list[str]
    thing: Memory | Link | State | None
    """None for a reason in a memory's history: it is blanked with the rest, and reported where it is left."""


class NamedThings(NamedTuple):
    """The records that name a person: those to erase, the forms of the name, and those that are left."""

    targets: Targets
    works: list[str]
    """Addresses of the owner's works that name the person: reported, and not erased with the rest."""
    taken: dict[str, int]
    """The written forms of the name, and how often each occurs."""
    left: dict[str, list[str]]
    """Other people's names, certain or possible: the addresses by written form."""
    doubtful: dict[str, str]
    """Texts with a word that may be the name or an ordinary word (Will, May), by address."""
    proper: bool
    """True if it is written as a name anywhere."""


def find_named(
    scope: Scope, name: str, where: Filter | None = None, others: Sequence[str] = ()
) -> NamedThings:
    """Find what names a person in the current space; of memories, those that `where` matches.

    `others` are names of other people, which do not count. Raises BadInput for what is no name.
    """
    wanted, apart = _name(name), tuple(map(_name, others))
    everything = list(_units(scope, where or scope.within(live=False, at=None)))
    names = [_forms(wanted, apart, everything)]
    for _ in range(_ROUNDS):
        # An alias counts only as a whole: "Bee Man" is no bee.
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
    """Return the name with the forms of it that can mean nobody else here."""
    found = NameForms(name, frozenset(), others)
    seen = {mention.form for unit in everything for mention in _mentions(found, unit)}
    return found._replace(forms=frozenset({"full", *(form for form in _UNLESS if not _UNLESS[form] & seen)}))


def _other_names(everything: Iterable[_Unit], names: Sequence[NameForms]) -> list[FullName]:
    """Return the names that aliases add, unless the known names find them already."""
    found = []
    for unit in everything:
        if isinstance(unit.thing, State) and unit.thing.area == areas.ALIAS.name:
            known = [any(each.found_in(text) for each in names) for text in unit.texts]
            new = [full_name(text) for text, is_known in zip(unit.texts, known, strict=True) if not is_known]
            found += [each for each in new if each is not None and any(known)]
    return found


def _named_things(everything: Iterable[_Unit], names: tuple[NameForms, ...]) -> NamedThings:
    """Sort the units into those that name the person, and those that do not or may not."""
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
        # Partial mentions of an alias are ignored.
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
    """Return what is to be erased of these things, and the addresses of the owner's works among them."""
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
    """Map each written form of other (or possibly other) people's names to the addresses where it stands."""
    left: dict[str, dict[str, None]] = {}
    for unit, mentions in others:
        for mention in mentions:
            if mention.form != "unsure":
                left.setdefault(mention.written, {})[unit.address] = None
    return {form: list(addresses) for form, addresses in left.items()}


def _doubtful(names: Sequence[NameForms], unit: _Unit) -> str | None:
    """Return the first text of a unit with a word that may be one of the names, or an ordinary word."""
    # Parts count only for the name that was asked for, not for its aliases.
    whole = [each for n, each in enumerate(names) if n == 0 or each.name.has_one_form]
    said = (text for text in unit.texts for each in whole for m in each.mentions(text) if m.form == "unsure")
    return next(said, None)


def _goes(memory: Memory) -> bool:
    """True if a memory is erased because of a name in it.

    A summary of turns is rewritten instead. A procedure or policy in force is the owner's work, like a
    block: it is reported.
    """
    return not is_summary(memory) and (memory.kind not in _WORKS or memory.ended_at is not None)


def _mentions(name: NameForms, unit: _Unit) -> list[Mention]:
    return [mention for text in unit.texts for mention in name.mentions(text)]
