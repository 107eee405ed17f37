"""Graphs for tests: made in a line, read as a tree."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memcli.graph import drawing, link_changes
from memcli.graph.walk import Graph, Lens
from memcli.memories import Memories

YEAR = {year: datetime(year, 1, 1, tzinfo=UTC) for year in range(2000, 2031)}


def link(memories: Memories, said: str, **options: Any) -> link_changes.LinkResult:
    return link_changes.link_entities(memories, *said.split(maxsplit=2), **options)


def graph_of(memories: Memories, at: datetime | None = None, **lens: Any) -> Graph:
    instant = at or memories.now()
    return Graph(memories.store, memories.space, Lens(instant, instant, **lens))


def tree(memories: Memories, entity: str, hops: int = 2, **options: Any) -> list[str]:
    graph = graph_of(memories, **options)
    walk = graph.walk_from(graph.find_entity(entity), hops)
    return list(drawing.draw_tree(walk, graph.evidence(step.link for step in walk.hops)))
