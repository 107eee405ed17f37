"""What an erasure takes away, and what it leaves in its place: found without a lock, from a snapshot.

With the chosen memories go the versions that they replaced, what quotes them and was
made from them (of a summary only the lines that do), links that rest on them alone,
what memcli noted that quotes or names them, and files that no other memory holds.
What its owner wrote and quotes them stays, and is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memcli.changes.forgetting.mentions import Mentions, quoting_history, unnamed_files
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
from memcli.model import Filter, Link, Memory, State
from memcli.scope import Scope
from memcli.storage import areas


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What goes, what is written in its place, and what is looked for afterwards."""

    chosen: list[Memory]
    earlier: list[Memory]
    derived: list[Memory]
    rebuilt: dict[str, Memory]
    """Summaries without what they quoted, as new memories, by the ids of the old ones."""
    turns: dict[str, str | None]
    """Turns that an erased summary had folded, by id: the rebuilt one's id, or None: unfolded."""
    links: list[Link]
    """Links of the space that goes whole."""
    values: list[State]
    """Keyed values of that space."""
    kept_links: list[Link]
    """Links that have other evidence, resting on that."""
    notes: list[State]
    """Keyed values that go for what they quote or name."""
    files: list[State]
    """Contents that no memory holds any more."""
    reason: str | None
    """What goes on record; None where it quotes what is erased."""
    texts: list[str]
    """What the memories say, and said before they were changed."""
    shared: list[str]
    """What stays and says the same, or quotes it; see `Receipt`."""
    shared_outside: bool
    needles: list[bytes]
    terms: list[str]

    @property
    def doomed(self) -> list[Memory]:
        """Every memory that goes."""
        return _each_once([*self.chosen, *self.earlier, *self.derived])

    @property
    def forgotten(self) -> list[str]:
        """The texts that are not taken in again: of a summary that lives on only what it lost."""
        lives_on = {each.text for each in self.derived if each.id in self.rebuilt}
        return [text for text in self.texts if text not in lives_on]


def make_plan(
    scope: Scope, snapshot: Snapshot, chosen: Sequence[Memory], reason: str | None, space: str | None
) -> Plan:
    """Plan the erasure of the chosen memories, as they are now; with `space` of all that is in it."""
    by_id = snapshot.memories
    chosen = [by_id.get(each.id, each) for each in chosen]
    if space is not None:
        chosen = _each_once([*chosen, *(each for each in by_id.values() if each.space == space)])
    earlier = earlier_versions(chosen, by_id)
    derived = quoting_derivatives([*chosen, *earlier], by_id)
    doomed = _each_once([*chosen, *earlier, *derived])
    gone = {each.id for each in doomed}
    staying = {memory_id: by_id[memory_id] for memory_id in sorted(by_id.keys() - gone)}
    rebuilt = _rebuilt(scope, doomed, derived, staying)

    texts = list(dict.fromkeys([*(each.text for each in doomed), *_former_texts(scope, gone)]))
    excerpts = Excerpts(texts)
    here = {scope.space, *(each.space for each in doomed)}
    mentions = Mentions(excerpts, _lost_words(scope, doomed), gone, here)
    quoting = [each for each in staying.values() if excerpts.quoted_in(each.text)]

    links = [each for each in snapshot.links if each.space == space]
    values = [each for each in snapshot.states if each.space == space and areas.of(each.area).in_spaces]
    files = unnamed_files(snapshot.states, staying.values(), {each.space for each in doomed})
    going = {(each.space, each.area, each.key) for each in (*values, *files)}
    other = [each for each in snapshot.states if (each.space, each.area, each.key) not in going]
    quoting_values = [f"{each.area}/{each.key}" for each in other if mentions.in_kept_value(each)]
    history = quoting_history(scope, snapshot.reasons, gone, mentions)
    return Plan(
        chosen=chosen, earlier=earlier, derived=derived, rebuilt=rebuilt,
        turns=dict(_turns(scope, staying.values(), gone, rebuilt)),
        links=links, values=values, files=files,
        kept_links=resting_on_others((each for each in snapshot.links if each.space != space), gone),
        notes=[each for each in other if mentions.in_note(each)],
        reason=None if reason and mentions.near_reason(reason) else reason,
        texts=texts,
        shared=[
            *(each.id for each in quoting if each.space in here),
            *quoting_values,
            *(f"history of {memory_id}" for memory_id in history),
        ],
        shared_outside=any(each.space not in here for each in quoting),
        needles=needles_of(scope.store, doomed, links, values), terms=terms_of(doomed),
    )  # fmt: skip


def _rebuilt(
    scope: Scope, doomed: Sequence[Memory], derived: Sequence[Memory], staying: Mapping[str, Memory]
) -> dict[str, Memory]:
    """Summaries in force without what they quoted, as new memories, by the ids of the old ones."""
    derived_ids = {each.id for each in derived}
    sources = [each for each in doomed if each.id not in derived_ids]
    found = {}
    for old in derived:
        new = without_quotes(old, sources, staying) if old.ended_at is None else None
        if new:
            now = scope.now()
            found[old.id] = replace(new, id=scope.new_id(now), created_at=now, updated_at=now)
    return found


def _turns(
    scope: Scope, staying: Iterable[Memory], gone: set[str], rebuilt: Mapping[str, Memory]
) -> Iterator[tuple[str, str | None]]:
    """See `Plan.turns`. Those that are over anyway may stay folded into what is gone."""
    now = scope.now()
    for turn in staying:
        folded = turn.data.get("folded") if turn.kind == "episode" else None
        if isinstance(folded, str) and folded in rebuilt:
            yield turn.id, rebuilt[folded].id
        elif folded in gone and turn.ended_at is None and (turn.expires_at is None or turn.expires_at > now):
            yield turn.id, None


def _former_texts(scope: Scope, gone: set[str]) -> Iterator[str]:
    """What these memories said before their texts were changed, as the record has it."""
    for memory_id in sorted(gone):
        for event in scope.store.history(memory_id):
            for fields in (event.before, event.after):
                if fields and isinstance(fields.get("text"), str):
                    yield fields["text"]


def _lost_words(scope: Scope, doomed: Sequence[Memory]) -> set[str]:
    """The distinctive words of these memories that no other memory holds."""
    singles = sorted(distinctive_words(text for each in doomed for text in (each.text, *each.tags)))
    going = set(scope.store.references([each.id for each in doomed]).values())
    holding = scope.store.holding([(word,) for word in singles], Filter(spaces=None, live=False))
    return {word for word, refs in zip(singles, holding, strict=True) if refs <= going}


def _each_once(memories: Iterable[Memory]) -> list[Memory]:
    return list({each.id: each for each in memories}.values())
