"""Erasure plan: what an erasure deletes and what it writes instead, computed from a snapshot without a lock.

With the chosen memories go the versions that they replaced, memories derived from them that quote them (of
a summary only the lines that do), links with no other evidence, memcli's notes that quote or name them, and
files that no other memory refers to. What the owner wrote and quotes them stays, and is listed in the
receipt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from memcli import ids
from memcli.changes.forgetting.mentions import Mentions, SortedValues, sort_values, unnamed_files
from memcli.changes.forgetting.proof import needles_of, terms_of
from memcli.changes.forgetting.quotations import (
    QUOTABLE,
    Excerpts,
    distinctive_words,
    earlier_versions,
    quoting_derivatives,
    strings_in,
    without_quotes,
)
from memcli.changes.forgetting.snapshot import Snapshot
from memcli.changes.forgetting.targets import Targets, address_of, link_address, values_beside
from memcli.graph.links import evidence_of, link_statement, resting_on_others
from memcli.memory_data import summary_id
from memcli.model import Event, Link, Memory, State
from memcli.scope import Scope
from memcli.storage import areas
from memcli.storage.ledger import StateName
from memcli.text.naming.full_names import NameForms
from memcli.text.naming.names import spelling_key
from memcli.write_policy.forgotten_traces import quotable
from memcli.write_policy.said_again import words_on


@dataclass(frozen=True)
class DoomedMemories:
    """The memories to be erased: the chosen ones, earlier versions of them, derived ones that quote them."""

    chosen: list[Memory]
    earlier: list[Memory]
    derived: list[Memory]

    @cached_property
    def all(self) -> list[Memory]:
        """All of them, each once."""
        return _each_once([*self.chosen, *self.earlier, *self.derived])

    @cached_property
    def ids(self) -> set[str]:
        """Their ids."""
        return {each.id for each in self.all}

    @cached_property
    def spaces(self) -> set[str]:
        """The spaces that they are in."""
        return {each.space for each in self.all}


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasurePlan:
    """A plan of what an erasure deletes, writes in its place, and searches for afterwards."""

    doomed: DoomedMemories
    spaces: list[str]
    """The space that is erased as a whole, if any."""
    rebuilt: dict[str, Memory]
    """Summaries rewritten without the quotations, as new memories, by the ids of the old ones."""
    turns: dict[str, str | None]
    """Turns folded into an erased summary, by id: the id of the rebuilt summary, or None to unfold them."""
    links: list[Link]
    """Links to delete: those of that space, those chosen, and those of a person forgotten by name."""
    kept_links: list[Link]
    """Links that stay but change: they rest on other evidence, or lose a reason in their record."""
    values: SortedValues
    texts: list[str]
    """The current and former texts of the memories."""
    said: list[str]
    """The texts of links and keyed values that are erased as such."""
    names: tuple[NameForms, ...]
    """The names of persons forgotten by name."""
    sentences: set[tuple[str, ...]]
    """The sentences by which quotations of all this are recognised; see `forgotten_traces.quotable`."""
    reason: str | None
    """The reason that goes on record; None if it quotes what is erased."""
    cleaned_events: list[Event]
    """Lines of history that stay, with the quotations removed."""
    cleaned_memories: list[Memory]
    """Memories that stay, without a reason for their end or version that quoted it."""
    shared: list[str]
    """Addresses of what stays and says the same, or quotes it; see `Receipt`."""
    shared_outside: bool
    named_spaces: list[str]
    """Spaces whose own name is that of a person forgotten by name."""
    needles: list[bytes]
    terms: list[str]

    @property
    def forgotten(self) -> list[str]:
        """The texts that are not taken in again; of a rebuilt summary only what it lost."""
        lives_on = {each.text for each in self.doomed.derived if each.id in self.rebuilt}
        return [text for text in self.texts if text not in lives_on]

    @property
    def dropped(self) -> list[State]:
        """The keyed values that are deleted one by one."""
        return [*self.values.notes, *self.values.files, *self.values.chosen]


def _taken_out(
    snapshot: Snapshot,
    cleaned_events: Iterable[Event],
    memories: Iterable[Memory],
    links: Iterable[Link],
    states: Iterable[State],
) -> set[str]:
    """Return the texts that rows which stay lose when they are rewritten."""
    known = {link.id: link for link in snapshot.links}
    values = {(each.space, each.area, each.key): each for each in snapshot.states}
    pairs: list[tuple[Any, Any]] = [(snapshot.remarks[each.number], each) for each in cleaned_events]
    pairs += [(known[each.id], each) for each in links]
    pairs += [(values[each.space, each.area, each.key], each) for each in states]
    said = [(list(old), list(new)) for old, new in pairs]
    said += [(_values(snapshot.memories[each.id]), _values(each)) for each in memories]
    return {text for old, new in said for text in set(strings_in(old)) - set(strings_in(new))}


def _values(memory: Memory) -> list[Any]:
    return list(memory.to_record().values())


def plan_erasure(
    scope: Scope,
    snapshot: Snapshot,
    targets: Targets,
    reason: str | None,
    space: str | None,
    *,
    held: bool = False,
) -> ErasurePlan:
    """Plan the erasure of the targets in their current state; with `space`, of everything in it.

    With `held`, also of everything that waits for review in the current space, or was rejected there.
    """
    names = targets.names
    doomed = _doomed(snapshot.memories, targets.memories, space, names)
    staying = {each: snapshot.memories[each] for each in sorted(snapshot.memories.keys() - doomed.ids)}
    rebuilt = _rebuilt(scope, doomed, staying, names)
    texts = list(dict.fromkeys([*(each.text for each in doomed.all), *_former_texts(scope, doomed)]))
    values_chosen = targets.values | (_held_values(snapshot, scope.space) if held else frozenset())
    chosen = values_chosen | {
        (each.space, each.area, each.key) for each in values_beside(snapshot.states, values_chosen)
    }
    said = _said_beside(snapshot, targets.links, chosen)
    excerpts, here = Excerpts([*texts, *said], names), {scope.space, *doomed.spaces}
    beside = [each for each in snapshot.links if each.space in here and each.space != space and not names]
    entities = _lost_entities(beside, texts, [each.text for each in staying.values()])
    # When a person is forgotten by name, only the name is searched for, not every word of the erased texts.
    lost = set[str]() if names else _lost_words(scope, doomed)
    mentions = Mentions(excerpts, lost, entities, doomed.ids, here)
    files = unnamed_files(snapshot.states, staying.values(), doomed.spaces)
    values = sort_values(snapshot.states, space, files, mentions, chosen)
    links = [
        each for each in snapshot.links
        if each.space == space or each.id in targets.links or mentions.is_named_link(each)
    ]  # fmt: skip
    going = {each.id for each in links}
    left = [each for each in snapshot.links if each.id not in going]
    # The store deletes a link by itself when its last evidence is erased.
    left = [each for each in left if not (told := evidence_of(each)) or not doomed.ids.issuperset(told)]
    kept = {each.id: mentions.link_without_quotes(each) for each in left}
    kept |= {each.id: each for each in resting_on_others(kept.values(), doomed.ids)}
    outside = [each for each in staying.values() if each.space not in here]
    quoting = [each for each in staying.values() if each.space in here and mentions.in_memory(each)]
    cleaned_events = _without_quotes_in(snapshot, doomed, mentions, here, {each.id for each in quoting})
    cleaned_memories = [
        cleaned
        for each in staying.values()
        if each.space in here and (cleaned := mentions.memory_without_quotes(each)) is not each
    ]
    kept_links = [new for old in left if (new := kept[old.id]) != old]
    taken_out = _taken_out(snapshot, cleaned_events, cleaned_memories, kept_links, values.trimmed)
    return ErasurePlan(
        doomed=doomed,
        spaces=[] if space is None else [space],
        rebuilt=rebuilt,
        turns=dict(_turns(scope, staying.values(), doomed, rebuilt)),
        links=links,
        kept_links=kept_links,
        values=values,
        texts=texts,
        said=said,
        names=names,
        sentences=_sentences([*texts, *said], [*rebuilt.values(), *staying.values()]),
        reason=None if reason and mentions.near_reason(reason) else reason,
        cleaned_events=cleaned_events,
        cleaned_memories=cleaned_memories,
        shared=_shared(snapshot, staying.values(), quoting, kept.values(), values.quoting, mentions),
        shared_outside=any(excerpts.quoted_in(each.text) for each in outside),
        named_spaces=_named_spaces(snapshot, excerpts, doomed),
        needles=needles_of(
            scope.store, doomed.all, links, [*values.of_space, *values.chosen], sorted(taken_out)
        ),
        terms=terms_of(doomed.all),
    )  # fmt: skip


def _held_values(snapshot: Snapshot, space: str) -> frozenset[StateName]:
    waiting = (each for each in snapshot.states if each.space == space and each.area == areas.HELD.name)
    return frozenset((each.space, each.area, each.key) for each in waiting)


def _named_spaces(snapshot: Snapshot, excerpts: Excerpts, doomed: DoomedMemories) -> list[str]:
    if not excerpts.has_names:
        return []
    found = {each.space for each in snapshot.memories.values() if each.id not in doomed.ids}
    found |= {each.space for each in snapshot.links} | {each.space for each in snapshot.states}
    return sorted(filter(excerpts.named_in, found))


def _shared(
    snapshot: Snapshot,
    staying: Iterable[Memory],
    quoting: Iterable[Memory],
    links: Iterable[Link],
    values: Iterable[State],
    mentions: Mentions,
) -> list[str]:
    """Return the ids and addresses of what stays and shares the erased text (`ErasurePlan.shared`).

    A file (a keyed value) that memories refer to is listed by those memories.
    """
    found = [each.id for each in quoting]
    found += [link_address(each.id) for each in links if mentions.in_link(each)]
    held = {each.key for each in values if areas.area_named(each.area).named_by_memories}
    if held:
        found += [each.id for each in staying if held & set(strings_in(each.data, names=False))]
    found += [address_of(each, snapshot.states) for each in values if each.key not in held]
    return list(dict.fromkeys(found))


def _said_beside(snapshot: Snapshot, links: Set[str], values: Set[StateName]) -> list[str]:
    """Return the texts of links and keyed values that are erased as such; parts of them may be quoted."""
    told = [link_statement(each) for each in snapshot.links if each.id in links]
    for state in snapshot.states:
        if (state.space, state.area, state.key) in values:
            told += strings_in(state.value, names=False)
    return [text for text in told if len(text) >= QUOTABLE and not ids.is_id(text)]


def _sentences(texts: Iterable[str], staying: Iterable[Memory]) -> set[tuple[str, ...]]:
    """Return the sentences by which quotations are recognised, without those of memories that stay."""
    found = {each for text in texts for each in quotable(text)}
    for memory in staying if found else ():
        found -= quotable(memory.text)
    return found


def _without_quotes_in(
    snapshot: Snapshot, doomed: DoomedMemories, mentions: Mentions, here: Set[str], quoting: Set[str]
) -> list[Event]:
    """Return the cleaned lines of history of memories that stay, where they quote the erased.

    What a memory says itself its history may say as well: such a memory is listed in the receipt.
    """
    found = []
    for event in snapshot.remarks.values():
        memory = snapshot.memories.get(event.memory)
        if event.memory in doomed.ids or (memory and memory.space not in here):
            continue
        cleaned = mentions.event_without_quotes(event)
        if memory and memory.id in quoting:
            cleaned = event._replace(reason=cleaned.reason)
        if cleaned != event:
            found.append(cleaned)
    return found


def _lost_entities(links: Iterable[Link], texts: Iterable[str], staying: Iterable[str]) -> set[str]:
    """Return the entity names of links that only erased texts mention."""
    ends = {spelling_key(end) for link in links for end in (link.subject, link.object)}
    said = _names_in(texts, ends)
    return said - _names_in(staying, said) if said else said


def _names_in(texts: Iterable[str], names: Set[str]) -> set[str]:
    """Return which names (as written by `spelling_key`) occur in one of the texts as whole words."""
    found: set[str] = set()
    for text in texts:
        flat = spelling_key(text)
        for name in names - found:
            if name in flat and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", flat):
                found.add(name)
    return found


def _doomed(
    by_id: Mapping[str, Memory], chosen: Sequence[Memory], space: str | None, names: Sequence[NameForms]
) -> DoomedMemories:
    chosen = [by_id.get(each.id, each) for each in chosen]
    if space is not None:
        chosen = _each_once([*chosen, *(each for each in by_id.values() if each.space == space)])
    earlier = earlier_versions(chosen, by_id)
    return DoomedMemories(chosen, earlier, quoting_derivatives([*chosen, *earlier], by_id, names))


def _rebuilt(
    scope: Scope, doomed: DoomedMemories, staying: Mapping[str, Memory], names: Sequence[NameForms]
) -> dict[str, Memory]:
    """Return the summaries in force without their quotations, as new memories, by the ids of the old ones."""
    derived = {each.id for each in doomed.derived}
    sources = [each for each in doomed.all if each.id not in derived]
    found = {}
    for old in doomed.derived:
        new = without_quotes(old, sources, staying, names) if old.ended_at is None else None
        if new:
            now = scope.now()
            found[old.id] = replace(new, id=scope.new_id(now), created_at=now, updated_at=now)
    return found


def _turns(
    scope: Scope, staying: Iterable[Memory], doomed: DoomedMemories, rebuilt: Mapping[str, Memory]
) -> Iterator[tuple[str, str | None]]:
    """Yield the turns whose summary is erased, each with the id of its replacement (`ErasurePlan.turns`).

    A turn that has ended or expired is left out: it may go on naming a summary that is gone.
    """
    now = scope.now()
    for turn in staying:
        folded = summary_id(turn) if turn.kind == "episode" else None
        if folded is None or folded not in doomed.ids:
            continue
        if folded in rebuilt:
            yield turn.id, rebuilt[folded].id
        elif turn.ended_at is None and (turn.expires_at is None or turn.expires_at > now):
            yield turn.id, None


def _former_texts(scope: Scope, doomed: DoomedMemories) -> Iterator[str]:
    """Yield earlier texts of these memories, and the words in which they were said again."""
    for memory_id in sorted(doomed.ids):
        for event in scope.store.history(memory_id):
            if words := words_on(event):
                yield words
            for fields in (event.before, event.after):
                if fields and isinstance(fields.get("text"), str):
                    yield fields["text"]


def _lost_words(scope: Scope, doomed: DoomedMemories) -> set[str]:
    """Return the distinctive words of these memories that no other memory holds."""
    singles = sorted(distinctive_words(text for each in doomed.all for text in (each.text, *each.tags)))
    asked = [((word,),) for word in singles]
    going = list(scope.store.refs_by_id(list(doomed.ids)).values())
    held = scope.store.holding(asked, going)
    numbers = scope.store.frequencies(asked, None)
    return {word for word, refs, number in zip(singles, held, numbers, strict=True) if len(refs) == number}


def _each_once(memories: Iterable[Memory]) -> list[Memory]:
    return list({each.id: each for each in memories}.values())
