"""What an erasure takes away, and what it leaves in its place: found without a lock, from a snapshot.

With the chosen memories go the versions that they replaced, what quotes them and was
made from them (of a summary only the lines that do), links that rest on them alone,
what memcli noted that quotes or names them, and files that no other memory holds.
What its owner wrote and quotes them stays, and is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from memcli.changes.forgetting.mentions import (
    Mentions,
    SortedValues,
    quoting_history,
    sort_values,
    unnamed_files,
)
from memcli.changes.forgetting.proof import needles_of, terms_of
from memcli.changes.forgetting.quotations import (
    Excerpts,
    distinctive_words,
    earlier_versions,
    quoting_derivatives,
    without_quotes,
)
from memcli.changes.forgetting.snapshot import Snapshot
from memcli.graph.links import resting_on_others
from memcli.model import Filter, Link, Memory
from memcli.scope import Scope


@dataclass(frozen=True)
class DoomedMemories:
    """The memories that go: the chosen ones, versions that they replaced, and what quotes them."""

    chosen: list[Memory]
    earlier: list[Memory]
    derived: list[Memory]

    @cached_property
    def all(self) -> list[Memory]:
        """Each once."""
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
    """What goes, what is written in its place, and what is looked for afterwards."""

    doomed: DoomedMemories
    spaces: list[str]
    """The space that goes whole, if one does."""
    rebuilt: dict[str, Memory]
    """Summaries without what they quoted, as new memories, by the ids of the old ones."""
    turns: dict[str, str | None]
    """Turns that an erased summary had folded, by id: the rebuilt one's id, or None: unfolded."""
    links: list[Link]
    """Links of that space."""
    kept_links: list[Link]
    """Links that have other evidence, resting on that."""
    values: SortedValues
    texts: list[str]
    """What the memories say, and said before they were changed."""
    reason: str | None
    """What goes on record; None where it quotes what is erased."""
    shared: list[str]
    """What stays and says the same, or quotes it; see `Receipt`."""
    shared_outside: bool
    needles: list[bytes]
    terms: list[str]

    @property
    def forgotten(self) -> list[str]:
        """The texts that are not taken in again: of a summary that lives on only what it lost."""
        lives_on = {each.text for each in self.doomed.derived if each.id in self.rebuilt}
        return [text for text in self.texts if text not in lives_on]


def plan_erasure(
    scope: Scope, snapshot: Snapshot, chosen: Sequence[Memory], reason: str | None, space: str | None
) -> ErasurePlan:
    """Plan the erasure of the chosen memories, as they are now; with `space` of all that is in it."""
    doomed = _doomed(snapshot.memories, chosen, space)
    staying = {each: snapshot.memories[each] for each in sorted(snapshot.memories.keys() - doomed.ids)}
    rebuilt = _rebuilt(scope, doomed, staying)
    texts = list(dict.fromkeys([*(each.text for each in doomed.all), *_former_texts(scope, doomed)]))
    excerpts, here = Excerpts(texts), {scope.space, *doomed.spaces}
    mentions = Mentions(excerpts, _lost_words(scope, doomed), doomed.ids, here)
    files = unnamed_files(snapshot.states, staying.values(), doomed.spaces)
    values = sort_values(snapshot.states, space, files, mentions)
    links = [each for each in snapshot.links if each.space == space]
    quoting = [each for each in staying.values() if excerpts.quoted_in(each.text)]
    return ErasurePlan(
        doomed=doomed,
        spaces=[] if space is None else [space],
        rebuilt=rebuilt,
        turns=dict(_turns(scope, staying.values(), doomed, rebuilt)),
        links=links,
        kept_links=resting_on_others((each for each in snapshot.links if each.space != space), doomed.ids),
        values=values,
        texts=texts,
        reason=None if reason and mentions.near_reason(reason) else reason,
        shared=[
            *(each.id for each in quoting if each.space in here),
            *(f"{each.area}/{each.key}" for each in values.quoting),
            *(f"history of {each}" for each in quoting_history(scope, snapshot.reasons, mentions)),
        ],
        shared_outside=any(each.space not in here for each in quoting),
        needles=needles_of(scope.store, doomed.all, links, values.of_space),
        terms=terms_of(doomed.all),
    )


def _doomed(by_id: Mapping[str, Memory], chosen: Sequence[Memory], space: str | None) -> DoomedMemories:
    chosen = [by_id.get(each.id, each) for each in chosen]
    if space is not None:
        chosen = _each_once([*chosen, *(each for each in by_id.values() if each.space == space)])
    earlier = earlier_versions(chosen, by_id)
    return DoomedMemories(chosen, earlier, quoting_derivatives([*chosen, *earlier], by_id))


def _rebuilt(scope: Scope, doomed: DoomedMemories, staying: Mapping[str, Memory]) -> dict[str, Memory]:
    """Summaries in force without what they quoted, as new memories, by the ids of the old ones."""
    derived = {each.id for each in doomed.derived}
    sources = [each for each in doomed.all if each.id not in derived]
    found = {}
    for old in doomed.derived:
        new = without_quotes(old, sources, staying) if old.ended_at is None else None
        if new:
            now = scope.now()
            found[old.id] = replace(new, id=scope.new_id(now), created_at=now, updated_at=now)
    return found


def _turns(
    scope: Scope, staying: Iterable[Memory], doomed: DoomedMemories, rebuilt: Mapping[str, Memory]
) -> Iterator[tuple[str, str | None]]:
    """See `ErasurePlan.turns`. Those that are over anyway may stay folded into what is gone."""
    now = scope.now()
    for turn in staying:
        folded = turn.data.get("folded") if turn.kind == "episode" else None
        if not isinstance(folded, str) or folded not in doomed.ids:
            continue
        if folded in rebuilt:
            yield turn.id, rebuilt[folded].id
        elif turn.ended_at is None and (turn.expires_at is None or turn.expires_at > now):
            yield turn.id, None


def _former_texts(scope: Scope, doomed: DoomedMemories) -> Iterator[str]:
    """What these memories said before their texts were changed, as the record has it."""
    for memory_id in sorted(doomed.ids):
        for event in scope.store.history(memory_id):
            for fields in (event.before, event.after):
                if fields and isinstance(fields.get("text"), str):
                    yield fields["text"]


def _lost_words(scope: Scope, doomed: DoomedMemories) -> set[str]:
    """The distinctive words of these memories that no other memory holds."""
    singles = sorted(distinctive_words(text for each in doomed.all for text in (each.text, *each.tags)))
    going = set(scope.store.refs_by_id(list(doomed.ids)).values())
    holding = scope.store.refs_by_term([(word,) for word in singles], Filter(spaces=None, live=False))
    return {word for word, refs in zip(singles, holding, strict=True) if refs <= going}


def _each_once(memories: Iterable[Memory]) -> list[Memory]:
    return list({each.id: each for each in memories}.values())
