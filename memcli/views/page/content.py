"""Content of a page: memories, and the graph of their spaces, as JSON types that are safe to show.

In every text, invisible and reordering characters are escaped (`printable.written_out`). Fields that say
nothing (null, empty, the default) are left out.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Set
from datetime import datetime
from typing import Any, Literal

from memcli import times
from memcli.graph import drawing
from memcli.graph.links import evidence_of
from memcli.graph.walk import Graph, Lens, Walk
from memcli.model import DEFAULT_IMPORTANCE, DEFAULT_SPACE, KINDS, Ending, Filter, Link, Memory, is_past
from memcli.prompt.context import further, outcomes
from memcli.scope import Scope
from memcli.storage.lookup import space_names
from memcli.text.printable import one_line, written_out

# A memory's state when the page is made: how it ended, or one of these.
State = Literal["live", "past", "ahead"] | Ending

# Default values: a memory's field with this value is left out.
_SAYS_NOTHING: dict[str, Any] = {
    "space": DEFAULT_SPACE, "confidence": 1.0, "importance": DEFAULT_IMPORTANCE, "source": "explicit",
    "origin": "cli", "trusted": True, "access_count": 0, "confirm_count": 0,
}  # fmt: skip
# `data` is shown as text (`more`); the times of the last row changes mean nothing to a reader.
_LEFT_OUT = ("data", "updated_at", "accessed_at", "confirmed_at")


def page_content(
    scope: Scope, where: Filter, *, ended: bool, as_of: datetime | None, narrowed: bool
) -> dict[str, Any]:
    """Return the selected memories, newest first, and the links in their spaces.

    `ended` includes links that were removed or are true no longer. If a filter has `narrowed` the memories,
    only links with one of them as evidence are included.
    """
    now = scope.now()
    memories = sorted(scope.store.select(where), key=lambda each: (each.happened_at, each.id), reverse=True)
    here = {memory.id for memory in memories}
    spaces = where.spaces if where.spaces is not None else space_names(scope.store)
    since, until = where.past or (now, now)
    lens = Lens(since, until, as_of, ended=ended, trusted=bool(where.trusted))
    graphs = [(space, Graph(scope.store, space, lens)) for space in spaces]
    return {
        "made": times.to_iso(now),
        "kinds": list(KINDS),
        "memories": [memory_content(memory, now, here) for memory in memories],
        "graph": graph_content([(space, graph, graph.whole()) for space, graph in graphs], here, narrowed),
    }


def memory_content(memory: Memory, now: datetime, here: Container[str]) -> dict[str, Any]:
    """Return a memory's fields by name, with its `state` unless it is live, and the text of its data.

    Other memories are referred to only if they are `here`.
    """
    record = {
        name: _written(value)
        for name, value in memory.to_record().items()
        if name not in _LEFT_OUT and value not in (None, [], "") and value != _SAYS_NOTHING.get(name)
    }
    if more := (further(memory) + outcomes(memory)).strip():
        record["more"] = written_out(more)
    for name in ("replaced_by", "supersedes"):
        if record.get(name) not in here:
            record.pop(name, None)
    if (state := state_of(memory, now)) != "live":
        record["state"] = state
    return record


def state_of(memory: Memory, now: datetime) -> State:
    """Return how it ended; else whether it is true no longer, or not yet."""
    if memory.ended_at is not None:
        return memory.ended_as or "forgotten"
    if memory.expires_at is not None and memory.expires_at <= now:
        return "expired"
    if is_past(memory, now):
        return "past"
    return "ahead" if memory.valid_from is not None and memory.valid_from > now else "live"


def graph_content(
    graphs: Iterable[tuple[str, Graph, Walk]], here: Set[str] = frozenset(), narrowed: bool = False
) -> dict[str, list[dict[str, Any]]]:
    """Return the entities of each space's walked graph, and the links, which refer to entities by index.

    A link names the memories `here` that are its evidence; if `narrowed`, links without such evidence are
    left out.
    """
    entities: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    for space, graph, walk in graphs:
        evidence = graph.evidence(step.link for step in walk.hops)
        place: dict[str, int] = {}
        for subject, obj, link in drawing.edges(walk):
            if narrowed and here.isdisjoint(evidence_of(link)):
                continue
            for key in (subject, obj):
                if key not in place:
                    place[key] = len(entities)
                    entities.append(_entity(graph, walk, key, space))
            links.append({"from": place[subject], "to": place[obj], **_link(link, evidence, here)})
    return {"entities": entities, "links": links}


def _link(link: Link, evidence: drawing.EvidenceById, here: Container[str]) -> dict[str, Any]:
    record: dict[str, Any] = {"relation": one_line(link.relation) or "?"}
    if notes := drawing.notes_of(link, evidence).strip(" ()"):
        record["notes"] = notes
    if drawing.is_over(link, evidence):
        record["over"] = True
    if told := [each for each in evidence_of(link) if each in here]:
        record["told"] = told
    return record


def _entity(graph: Graph, walk: Walk, key: str, space: str) -> dict[str, Any]:
    entity: dict[str, Any] = {"name": drawing.shown_name(walk, key)}
    if aliases := [one_line(graph.spelling_of(alias)) for alias in graph.aliases(key)]:
        entity["aliases"] = aliases
    if space != DEFAULT_SPACE:
        entity["space"] = written_out(space)
    return entity


def _written(value: Any) -> Any:
    if isinstance(value, str):
        return written_out(value)
    return [_written(each) for each in value] if isinstance(value, list) else value
