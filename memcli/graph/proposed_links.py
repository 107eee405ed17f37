"""Proposed links: found by consolidation, and part of no graph until their owner accepts them.

A proposal rests on memories. If all of them are forgotten, it is no longer listed; if they are erased, it
is deleted with them. A rejected proposal is remembered by its names, so that it is not proposed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any

from memcli import ids, times
from memcli.doors import REVIEW, Deed
from memcli.errors import BadInput, NotFound
from memcli.graph.link_changes import LinkResult, link_entities
from memcli.graph.links import link_within
from memcli.graph.walk import Graph, Lens, merged_memories, was_retracted
from memcli.messages import Command, message
from memcli.model import Memory, new_state
from memcli.named_tuple import NamedTuple
from memcli.prompt import formats
from memcli.scope import Scope
from memcli.storage import areas
from memcli.text.naming import names
from memcli.write_policy.direct import vet_memory

# Proposals that may wait at once: nobody reviews more.
MAX_PROPOSED_LINKS = 200


class ProposedLink(NamedTuple):
    """One proposal: statement, confidence, the memories that are its evidence, and if all are trusted."""

    id: str
    subject: str
    relation: str
    object: str
    confidence: float
    since: datetime | None
    evidence: list[Memory]
    trusted: bool
    cites: list[str]
    """The ids of its evidence as it was proposed: since then some may have been merged or forgotten."""

    @property
    def statement(self) -> str:
        """The statement in one line."""
        return f"{self.subject} {self.relation} {self.object}"

    def to_record(self) -> dict[str, Any]:
        """Return the proposal as JSON types."""
        link = [self.subject, self.relation, self.object]
        since = times.to_iso(self.since) if self.since else None
        evidence = [{"id": each.id, "text": each.text} for each in self.evidence]
        values = (self.id, link, self.confidence, since, self.trusted, evidence)
        return dict(zip(formats.PROPOSAL, values, strict=True))


class KnownLinks:
    """The links that a space has, had, or was offered: read once, and only when first asked for."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    @cached_property
    def _graph(self) -> Graph:
        now = self._scope.now()
        graph = Graph(self._scope.store, self._scope.space, Lens.at(now)._replace(ended=True))
        graph.load([], whole=True)
        return graph

    @cached_property
    def _entities(self) -> set[str]:
        return {names.spelling_key(entity.name) for entity in self._graph.entities()}

    @cached_property
    def _linked(self) -> set[tuple[str, str, str]]:
        links = self._scope.store.links((self._scope.space,))
        return {self.key(link.subject, link.relation, link.object) for link in links}

    @cached_property
    def _offered(self) -> dict[tuple[str, str, str], bool]:
        return _offered(self._scope, self.key)

    def entity(self, name: str) -> bool:
        """True if an entity with links has this name, or it is an alias."""
        return self._graph.key(name) in self._entities or names.spelling_key(name) in self._graph.aliases()

    def link(self, subject: str, relation: str, obj: str, *, trusted: bool) -> bool:
        """True if this was linked, unlinked, proposed or rejected before.

        A link that only an untrusted memory stated counts as new if a trusted one states it.
        """
        key = self.key(subject, relation, obj)
        return key in self._linked or self._offered.get(key) in (True, trusted)

    def key(self, subject: str, relation: str, obj: str) -> tuple[str, str, str]:
        """Return the key that all spellings of this link share."""
        return self._graph.key(subject), names.spelling_key(relation), self._graph.key(obj)


def submit_link(scope: Scope, said: Mapping[str, Any], some: Sequence[Memory]) -> str | None:
    """Store a proposal that rests on these memories; return its id, or None if known or the list `is_full`.

    `said` holds subject, relation, object, confidence and since. Raises Refused if the write policy refuses
    such a text, BadInput for an invalid name.
    """
    triple = _names(said)
    for what, name in zip(("subject", "relation", "object"), triple, strict=True):
        names.check_entity_name(what, name)
    trusted = all(each.trusted for each in some)
    # As a text it has to pass the same write policy as any memory.
    spoken = f"{triple[0]} {triple[1].replace('_', ' ')} {triple[2]}"
    vet_memory(scope, replace(some[0], text=spoken, kind="fact", data={}, trusted=trusted))
    if is_full(scope) or _known(scope, triple, trusted=trusted):
        return None
    now = scope.now()
    proposal_id = scope.new_id(now)
    value = {
        **dict(zip(("subject", "relation", "object"), triple, strict=True)),
        "confidence": said["confidence"], "since": said.get("since"), "trusted": trusted,
        "evidence": [each.id for each in some], "change": scope.change_id(),
    }  # fmt: skip
    scope.store.put_state(
        new_state(scope.space, areas.PROPOSED_LINK.name, proposal_id, value, now), expected_version=0
    )
    return proposal_id


def list_proposed_links(scope: Scope, *, rejected: bool = False) -> Iterator[ProposedLink]:
    """Yield the proposals that wait in the space, or those that were rejected, oldest first."""
    for state in scope.store.states((scope.space,), areas.PROPOSED_LINK.name):
        value = state.value
        if not _sound(value) or rejected != bool(value.get("rejected")):
            continue
        known = merged_memories(scope.store, value["evidence"])
        told = {known[each].id: known[each] for each in value["evidence"] if each in known}
        holding = [each for each in told.values() if not was_retracted(each)]
        if holding:
            since = times.from_iso(value["since"]) if value.get("since") else None
            subject, relation, obj = _names(value)
            yield ProposedLink(
                state.key, subject, relation, obj, float(value.get("confidence", 0.9)), since, holding,
                bool(value.get("trusted")), value["evidence"],
            )  # fmt: skip


def find_proposed_link(scope: Scope, fragment: str, *, rejected: bool = False) -> ProposedLink:
    """Return the waiting (or rejected) proposal with this id or part of an id. Raises NotFound, BadInput."""
    wanted = ids.normalise_fragment(fragment) or "-"
    found = [
        each
        for each in list_proposed_links(scope, rejected=rejected)
        if each.id.startswith(wanted) or each.id.endswith(wanted)
    ]
    if not found:
        raise NotFound(
            f"nothing waits under {fragment!r:.40}",
            by_hand=message(Command("review list"), " shows what does"),
        )
    if len(found) > 1:
        raise BadInput(f"{fragment!r:.40} fits {len(found)} that wait; give more of the id")
    return found[0]


def accept_links(scope: Scope, chosen: Sequence[ProposedLink]) -> list[LinkResult]:
    """Turn proposals into links, each with its evidence; in a scope that is one change, as part of it."""
    scope.require(REVIEW, Deed.VOUCH, "accepting what was proposed")
    made, now = [], scope.now()
    with scope.store.writing():
        for each in chosen:
            for memory in each.evidence:
                done = link_entities(
                    scope, each.subject, each.relation, each.object,
                    since=each.since, evidence=memory, confidence=each.confidence,
                )  # fmt: skip
            if scope.shared_change:
                made_now = done.outcome == "added"
                done = done._replace(link=link_within(done.link, scope.shared_change, now, made=made_now))
                scope.store.put_links([done.link])
            made.append(done)
            scope.store.drop_state(scope.space, areas.PROPOSED_LINK.name, each.id)
    return made


def reject_links(scope: Scope, chosen: Sequence[ProposedLink]) -> None:
    """Drop proposals; only their names and evidence are kept, so that they are not proposed again."""
    scope.require(REVIEW, Deed.END, "rejecting what was proposed")
    now = scope.now()
    with scope.store.writing():
        for each in chosen:
            [state] = scope.store.states((scope.space,), areas.PROPOSED_LINK.name, each.id)
            kept = {
                name: state.value[name]
                for name in ("subject", "relation", "object", "evidence", "trusted", "confidence", "since")
                if name in state.value
            }
            value = {**kept, "rejected": times.to_iso(now)}
            scope.store.put_state(state.changed(value, now))


def drop_baseless_links(scope: Scope) -> int:
    """Delete the waiting proposals whose evidence is all forgotten or erased; return how many."""
    waiting = {each.id for each in list_proposed_links(scope)}
    settled = [
        state.key
        for state in scope.store.states((scope.space,), areas.PROPOSED_LINK.name)
        if state.key not in waiting and not (isinstance(state.value, dict) and state.value.get("rejected"))
    ]
    with scope.store.writing():
        return sum(scope.store.drop_state(scope.space, areas.PROPOSED_LINK.name, key) for key in settled)


def is_full(scope: Scope) -> bool:
    """True if so many proposals wait that no more are accepted."""
    states = scope.store.states((scope.space,), areas.PROPOSED_LINK.name)
    return (
        sum(1 for state in states if _sound(state.value) and not state.value.get("rejected"))
        >= MAX_PROPOSED_LINKS
    )


def _known(scope: Scope, triple: tuple[str, str, str], *, trusted: bool) -> bool:
    """True if this was linked, unlinked, proposed or rejected before; reads only the links of its subject."""
    graph = Graph(scope.store, scope.space, Lens.at(scope.now())._replace(ended=True))

    def keyed(subject: str, relation: str, obj: str) -> tuple[str, str, str]:
        return graph.key(subject), names.spelling_key(relation), graph.key(obj)

    wanted = keyed(*triple)
    linked = (keyed(link.subject, link.relation, link.object) for link in graph.links_of([wanted[0]]))
    return wanted in linked or _offered(scope, keyed).get(wanted) in (True, trusted)


def _offered(
    scope: Scope, key: Callable[[str, str, str], tuple[str, str, str]]
) -> dict[tuple[str, str, str], bool]:
    """Return the links that were proposed or rejected, by key, and whether a trusted memory stated them."""
    found: dict[tuple[str, str, str], bool] = {}
    for state in scope.store.states((scope.space,), areas.PROPOSED_LINK.name):
        if _sound(state.value):
            keyed = key(*_names(state.value))
            found[keyed] = found.get(keyed, False) or bool(state.value.get("trusted"))
    return found


def _names(value: Mapping[str, Any]) -> tuple[str, str, str]:
    return value["subject"], value["relation"], value["object"]


def _sound(value: Any) -> bool:
    """True if a value is a well-formed proposal: an import may bring anything."""
    with suppress(KeyError, TypeError, ValueError):
        texts = [*_names(value), *value["evidence"]]
        if value.get("since"):
            times.from_iso(value["since"])
        return all(isinstance(text, str) for text in texts) and 0 <= float(value.get("confidence", 0)) <= 1
    return False
