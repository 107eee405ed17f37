"""The graph: walks, paths, drawings, what recall asks."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.graph import aliases, drawing, link_changes
from memcli.graph.links import link_statement
from memcli.graph.questions import facts_about, mentioned_entities
from memcli.graph.walk import Direction, Graph, Lens, Walk
from memcli.memories import Memories
from memcli.model import Link
from tests.graph.graphs import YEAR, graph_of, link, tree

# Walking


def test_each_link_stands_once_and_what_stands_elsewhere_is_marked(memories: Memories) -> None:
    for said in ("a to b", "b to c", "c to a", "a to a", "c to d", "d to e"):
        link(memories, said)
    assert tree(memories, "a", 3) == [
        "a",
        "├── to → a (*)",
        "├── to → b",
        "│   └── to → c (*)",
        "└── to ← c",
        "    └── to → d",
        "        └── to → e",
    ]
    assert tree(memories, "a", 1) == ["a", "├── to → a (*)", "├── to → b", "└── to ← c"]


def test_direction_and_relation_narrow_the_walk(memories: Memories) -> None:
    for said in ("a Likes b", "c likes a", "b likes d", "a owns e"):
        link(memories, said)
    assert tree(memories, "a", direction="in") == ["a", "└── likes ← c"]
    assert len(tree(memories, "a", direction="out")) == 4
    assert len(tree(memories, "a", relations=frozenset(["owns"]))) == 2


def test_a_period_sees_what_was_true_at_any_time_in_it(memories: Memories) -> None:
    link(memories, "Ann lives_in Rome", until=YEAR[2024])
    link(memories, "Ann lives_in Oslo", since=YEAR[2024] + timedelta(days=90))
    graph = Graph(memories.store, "default", Lens(YEAR[2023], YEAR[2024] + timedelta(days=365)))
    assert len(graph.walk_from("ann", 1).hops) == 2
    assert tree(memories, "Ann", at=YEAR[2024]) == ["Ann"]


LINKS = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("rs"), st.integers(0, 9)), max_size=25)


@settings(max_examples=40)
@given(
    links=LINKS,
    start=st.integers(0, 9),
    hops=st.integers(1, 5),
    direction=st.sampled_from(["both", "out", "in"]),
)
def test_walks_and_paths_are_those_of_a_breadth_first_search(
    memories: Memories, links: list[tuple[int, str, int]], start: int, hops: int, direction: Direction
) -> None:
    now = memories.now()
    space = memories.new_id(now)  # a space of its own for every example
    memories.store.put_links(
        Link(memories.new_id(now), space, f"N{a}", r, f"n{b}", None, 1.0, None, None, now, None, {})
        for a, r, b in links
    )
    near: defaultdict[int, set[int]] = defaultdict(set)
    for a, _, b in links:
        near[a] |= {b} if direction != "in" else set()
        near[b] |= {a} if direction != "out" else set()
    distance = {start: 0}
    frontier = [start]
    while frontier:
        frontier = sorted({b for a in frontier for b in near[a]} - distance.keys())
        distance |= dict.fromkeys(frontier, max(distance.values()) + 1)
    graph = Graph(memories.store, space, Lens(now, now, direction=direction))
    walk = graph.walk_from(f"n{start}", hops)
    assert walk.distance == {f"n{n}": d for n, d in distance.items() if d <= hops}
    assert len({step.link.id for step in walk.hops}) == len(walk.hops)
    for goal in range(10):
        found = Graph(memories.store, space, graph.lens).path(f"n{start}", f"n{goal}", hops)
        if distance.get(goal, 99) > hops:
            assert found is None
        else:
            assert found is not None and len(found.hops) == distance[goal]
            at = f"n{start}"
            for step in found.hops:
                assert step.source == at
                at = step.target
            assert at == f"n{goal}"


def test_a_walk_is_the_same_whether_links_are_looked_up_or_read_at_once(memories: Memories) -> None:
    now = memories.now()
    memories.store.put_links(
        Link(memories.new_id(now), "default", f"E{n % 400}", "to", f"e{n * 7 % 400}", None, 1.0,
             None, None, now, None, {})
        for n in range(900)
    )  # fmt: skip
    looked_up, at_once = graph_of(memories), graph_of(memories)
    at_once.load([], whole=True)
    assert looked_up.walk_from("e1", 6) == at_once.walk_from("e1", 6)
    assert sum(each.links for each in looked_up.entities()) > 900


# Drawings, of hostile names


HOSTILE = st.text(min_size=1, max_size=30).filter(
    lambda text: any(sign.isprintable() for sign in text) and "\0" not in text and text.split()
) | st.sampled_from(['"];evil[label="', "a\\", "<b>&amp;</b>", "\x1b[31mred", 'x"|y', "]]>", "end", "#quot;"])


def drawn(memories: Memories, name: str, relation: str) -> Walk:
    now = memories.now()
    made = Link(memories.new_id(now), "s", name, relation, f"x{name}", None, 0.5, None, None, now, None, {})
    graph = Graph(memories.store, memories.new_id(now), Lens.at(now))
    graph._store_links = lambda keys: [made]  # type: ignore[method-assign]
    return graph.walk_from(graph.key(name), 1)


@settings(max_examples=60)
@given(name=HOSTILE, relation=HOSTILE)
def test_no_name_breaks_a_tree_a_flowchart_or_json(memories: Memories, name: str, relation: str) -> None:
    walk = drawn(memories, name, relation)
    lines = [
        *drawing.draw_tree(walk, {}),
        drawing.draw_path(walk, {}),
        *drawing.draw_mermaid(walk, {}),
        *drawing.draw_dot(walk, {}),
    ]
    assert len(lines) == 2 + 1 + 4 + 7
    assert not any(sign in line for line in lines for sign in "\x1b\x07\x9b\n\r\u202e\u2028")
    for line in drawing.draw_mermaid(walk, {}):
        assert line.count('"') in (0, 2) and "<" not in line
    assert json.loads(json.dumps(drawing.graph_document(walk, {})))["links"][0]["relation"] == relation


# For recall


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("where does ann work?", ["Ann"]),
        ("Ann's boss at ACME, Inc.?", ["Ann", "Acme, Inc."]),
        ("is New York City far from new york?", ["New York City", "New York"]),
        ("was mag 東京タワー?", ["東京"]),
        ("(C++) or o’neil", ["C++"]),
        ("is it annoying", []),
        ("ask the IT department", ["IT"]),
        ("does Annie know", ["Ann"]),
        ("", []),
        ("?!", []),
    ],
)
def test_entities_named_in_a_query_are_found(memories: Memories, query: str, found: list[str]) -> None:
    for name in ("Ann", "Acme, Inc.", "New York", "New York City", "東京", "C++", "IT"):
        link_changes.link_entities(memories, name, "is", "thing")
    aliases.add_aliases(memories, "Ann", ["Annie"])
    assert mentioned_entities(graph_of(memories), query) == found


def test_facts_of_named_entities_put_what_connects_them_first(memories: Memories) -> None:
    said = memories.remember("Ann likes jazz")
    link(memories, "Ann works_at Acme", confidence=0.8, since=YEAR[2024])
    link(memories, "Bob knows Ann", confidence=0.3)
    link(memories, "Ann lives_in Oslo")
    link(memories, "Ann likes jazz", evidence=said)
    link(memories, "Ann was_in Rome", until=YEAR[2020])
    memories.end([said.id], "private")  # what is forgotten does not come back by its links
    graph = graph_of(memories)
    facts = facts_about(graph, mentioned_entities(graph, "how does Ann know Bob?"))
    assert [link_statement(fact) for fact in facts] == [
        "Bob knows Ann (confidence 0.3)",
        "Ann lives_in Oslo",
        "Ann works_at Acme (since 2024, confidence 0.8)",
    ]
    assert len(facts_about(graph, ["Ann"], limit=1)) == 1


def test_a_page_of_text_is_looked_through_quickly_enough_to_be_asked_every_time(memories: Memories) -> None:
    link(memories, "Ann knows Bob")
    assert mentioned_entities(graph_of(memories), "word " * 100 + "Ann " + "word " * 100_000) == ["Ann"]
