"""The graph: linking and unlinking, names and aliases, walks, paths, drawings, what recall asks."""

from __future__ import annotations

import json
import shutil
import unicodedata
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli import graph_drawing as drawing
from memcli import linking, names
from memcli.errors import BadInput, NotFound
from memcli.exchange import Importer, export
from memcli.graph import Direction, Graph, Lens, Walk, facts_about, mentioned
from memcli.links import statement
from memcli.memories import Memories
from memcli.model import Filter, Link
from tests.conftest import TickingClock, make_memories

Y = {year: datetime(year, 1, 1, tzinfo=UTC) for year in range(2000, 2031)}


def link(memories: Memories, said: str, **options: Any) -> linking.Linked:
    return linking.link(memories, *said.split(maxsplit=2), **options)


def graph_of(memories: Memories, at: datetime | None = None, **lens: Any) -> Graph:
    instant = at or memories.now()
    return Graph(memories.store, memories.space, Lens(instant, instant, **lens))


def tree(memories: Memories, entity: str, hops: int = 2, **options: Any) -> list[str]:
    graph = graph_of(memories, **options)
    walk = graph.around(graph.find(entity), hops)
    return list(drawing.tree(walk, graph.evidence(step.link for step in walk.steps)))


def all_links(memories: Memories) -> list[Link]:
    return list(memories.store.links())


# Names


def test_spellings_of_a_name_are_one_entity_written_as_the_first_time(memories: Memories) -> None:
    link(memories, "Ann knows Straße")
    link(memories, "ANN likes ＴＥＡ")
    link(memories, "tea from STRASSE")
    assert [(each.subject, each.object) for each in all_links(memories)] == [
        ("Ann", "Straße"), ("Ann", "ＴＥＡ"), ("ＴＥＡ", "Straße"),
    ]  # fmt: skip
    assert tree(memories, "aNN", 1) == ["Ann", "├── knows → Straße", "└── likes → ＴＥＡ"]


@given(st.text(max_size=40))
def test_a_key_is_its_own_key_whatever_the_form(name: str) -> None:
    key = names.key(name)
    assert names.key(key) == key
    assert names.key(unicodedata.normalize("NFD", name)) == names.key(unicodedata.normalize("NFC", name))
    assert names.key(f"  {name}\n") == key


@pytest.mark.parametrize("name", ["", "  \n", "x" * 201, "a\0b", "\ud800", "\u200b", "\x1b"])
def test_what_cannot_be_a_name_is_refused(memories: Memories, name: str) -> None:
    with pytest.raises(BadInput, match="subject|object"):
        linking.link(memories, name, "knows", "Bob")
    assert all_links(memories) == []


# Linking


def test_the_same_link_again_is_confirmed_not_doubled(memories: Memories) -> None:
    first = link(memories, "Ann knows Bob", confidence=0.6)
    again = link(memories, "ann KNOWS bob", confidence=0.5)
    assert (first.outcome, again.outcome) == ("added", "confirmed")
    [kept] = all_links(memories)
    assert kept.id == first.link.id and kept.confidence == 0.8 and kept.data["confirmed"] == 1
    for _ in range(9):
        link(memories, "Ann knows Bob", confidence=0.5)
    assert all_links(memories)[0].confidence == 0.99  # repetition makes nothing certain
    link(memories, "Ann knows Bob")
    assert all_links(memories)[0].confidence == 1


def test_evidence_is_united_and_the_same_memory_is_no_second_witness(memories: Memories) -> None:
    from memcli.drafts import Draft

    one, two = (memories.remember(Draft(text=f"{n} says so", confidence=0.5)) for n in "ab")
    assert link(memories, "Ann knows Bob", evidence=one).link.confidence == 0.5
    assert link(memories, "Ann knows Bob", evidence=one).outcome == "unchanged"
    both = link(memories, "Ann knows Bob", evidence=two).link
    assert (both.evidence, both.data["evidence"], both.confidence) == (one.id, [two.id], 0.75)
    memories.end([one.id], "wrong")
    assert tree(memories, "Ann") == ["Ann", "└── knows → Bob (confidence 0.75)"]
    memories.end([two.id], "wrong")
    assert tree(memories, "Ann") == ["Ann", "└── knows → Bob (confidence 0.75, evidence forgotten)"]
    with pytest.raises(BadInput, match="forgotten"):
        link(memories, "Ann knows Cay", evidence=one)


def test_instants_that_are_given_win_and_another_time_is_another_link(memories: Memories) -> None:
    link(memories, "Ann works_at Acme", since=Y[2010], until=Y[2012])
    second = link(memories, "Ann works_at Acme", since=Y[2020])
    assert second.outcome == "added"
    changed = link(memories, "Ann works_at Acme", since=Y[2019], until=Y[2024])
    assert changed.outcome == "changed" and changed.link.id == second.link.id
    assert [(e.valid_from, e.valid_until) for e in all_links(memories)] == [
        (Y[2010], Y[2012]), (Y[2019], Y[2024]),
    ]  # fmt: skip
    # Said again, after it was true, it is true from now on.
    anew = link(memories, "Ann works_at Acme").link
    assert anew.valid_from and anew.valid_from.year == 2026 and len(all_links(memories)) == 3
    with pytest.raises(BadInput, match="swap"):
        link(memories, "Ann works_at Beta", since=Y[2020], until=Y[2019])


def test_other_links_stay_true_unless_they_are_replaced(memories: Memories) -> None:
    link(memories, "Ann works_at Acme", since=Y[2020])
    link(memories, "Ann works_at Beta", since=Y[2024])
    assert len(tree(memories, "Ann")) == 3
    made = link(memories, "ann WORKS_AT Coop", since=Y[2025], replaces=True)
    assert [each.object for each in made.replaced] == ["Acme", "Beta"]
    assert tree(memories, "Ann") == ["Ann", "└── works_at → Coop (since 2025)"]
    assert tree(memories, "Ann", at=Y[2023]) == ["Ann", "└── works_at → Acme (since 2020, until 2024)"]
    wrong = link(memories, "Ann works_at Dell", since=Y[2025], replaces=True)
    assert wrong.replaced[0].ended_at  # was never true, then
    now = link(memories, "Ann works_at Echo", replaces=True)
    assert now.link.valid_from == now.replaced[0].valid_until


def test_unlinked_is_gone_revived_is_back_and_both_are_on_record(
    memories: Memories, clock: TickingClock
) -> None:
    made = link(memories, "Ann knows Bob", confidence=0.5)
    linked = clock.instant
    clock.advance(days=1)
    [ended] = linking.unlink(memories, "ANN", "knows", "bob", reason="mistaken")
    assert ended.ended_at and ended.data["changes"][0]["reason"] == "mistaken"
    between = clock.instant
    with pytest.raises(NotFound, match="no link 'Ann knows Bob'; it has none"):
        linking.unlink(memories, "Ann", "knows", "Bob")
    clock.advance(days=1)
    revived = link(memories, "Ann knows Bob")
    assert revived.outcome == "revived" and revived.link.id == made.link.id
    assert revived.link.confidence == 0.5
    for as_of, there in ((linked, 2), (between, 1), (clock.instant, 2), (Y[2020], 1)):
        assert len(tree(memories, "Ann", as_of=as_of)) == there, as_of


def test_as_of_shows_a_link_as_it_was_believed(memories: Memories, clock: TickingClock) -> None:
    link(memories, "Ann works_at Acme", confidence=0.4)
    then = clock.instant
    clock.advance(days=30)
    link(memories, "Ann works_at Acme", since=Y[2020], until=Y[2025], confidence=1)
    assert tree(memories, "Ann", as_of=then, at=then) == ["Ann", "└── works_at → Acme (confidence 0.4)"]
    assert tree(memories, "Ann", ended=True) == ["Ann", "└── works_at → Acme (since 2020, until 2024)"]


def test_unlinking_what_is_not_there_says_what_is(memories: Memories) -> None:
    link(memories, "Ann knows Bob")
    with pytest.raises(NotFound, match="there is: Ann knows Bob"):
        linking.unlink(memories, "Ann", "likes", "Bob")
    with pytest.raises(NotFound, match="no entity 'Anne' in space 'default'; near: Ann;"):
        linking.unlink(memories, "Anne", "knows", "Bob")
    assert len(linking.unlink(memories, "Ann", "knows", "Bob", dry_run=True)) == 1
    assert len(tree(memories, "Ann")) == 2


def test_spaces_are_walls(memories: Memories, own_home: Path, clock: TickingClock) -> None:
    link(memories, "Ann knows Bob")
    linking.alias(memories, "Ann", ["Annie"])
    with make_memories(own_home / "memory.db", clock, space="work") as work:
        for name in ("Ann", "Annie"):
            with pytest.raises(NotFound):
                tree(work, name)
        elsewhere = memories.remember("Ann knows Bob well")
        with pytest.raises(NotFound, match="it is in 'default'"):
            link(work, "Ann knows Bob", evidence=elsewhere)


# Aliases


def test_an_alias_is_the_entity_and_can_be_taken_back(memories: Memories) -> None:
    link(memories, "Robert works_at Acme")
    link(memories, "Bob knows Ann")
    assert linking.alias(memories, "robert", ["Bob", "Bobby"]) == ["Bob"]
    merged = ["Robert", "├── knows → Ann", "└── works_at → Acme"]
    for name in ("Robert", "bob", "BOBBY"):
        assert tree(memories, name) == merged
    assert tree(memories, "Ann") == ["Ann", "└── knows ← Robert", "    └── works_at → Acme"]
    assert link(memories, "Bobby works_at Acme").outcome == "confirmed"
    assert link(memories, "Bobby owns Bobcat").link.subject == "Robert"
    assert linking.aliases(memories) == [("Robert", "Bob"), ("Robert", "Bobby")]
    linking.remove_aliases(memories, ["BOB"])
    assert tree(memories, "Bob") == ["Bob", "└── knows → Ann"]
    with pytest.raises(NotFound, match="no alias 'Bob'"):
        linking.remove_aliases(memories, ["Bob"])


def test_aliases_of_aliases_come_along_and_never_make_rings(memories: Memories) -> None:
    link(memories, "C knows Zoe")
    linking.alias(memories, "A", ["B"])
    linking.alias(memories, "B", ["A", "a"])  # the same already
    linking.alias(memories, "C", ["A"])
    assert linking.aliases(memories) == [("C", "A"), ("C", "B")]
    assert tree(memories, "b") == ["C", "└── knows → Zoe"]
    with pytest.raises(BadInput, match="'B' is an alias of 'C' already"):
        linking.alias(memories, "Zoe", ["B"])


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
    link(memories, "Ann lives_in Rome", until=Y[2024])
    link(memories, "Ann lives_in Oslo", since=Y[2024] + timedelta(days=90))
    graph = Graph(memories.store, "default", Lens(Y[2023], Y[2024] + timedelta(days=365)))
    assert len(graph.around("ann", 1).steps) == 2
    assert tree(memories, "Ann", at=Y[2024]) == ["Ann"]


LINKS = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("rs"), st.integers(0, 9)), max_size=25)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
    walk = graph.around(f"n{start}", hops)
    assert walk.distance == {f"n{n}": d for n, d in distance.items() if d <= hops}
    assert len({step.link.id for step in walk.steps}) == len(walk.steps)
    for goal in range(10):
        found = Graph(memories.store, space, graph.lens).path(f"n{start}", f"n{goal}", hops)
        if distance.get(goal, 99) > hops:
            assert found is None
        else:
            assert found is not None and len(found.steps) == distance[goal]
            at = f"n{start}"
            for step in found.steps:
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
    at_once.read([], whole=True)
    assert looked_up.around("e1", 6) == at_once.around("e1", 6)
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
    return graph.around(graph.key(name), 1)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=HOSTILE, relation=HOSTILE)
def test_no_name_breaks_a_tree_a_flowchart_or_json(memories: Memories, name: str, relation: str) -> None:
    walk = drawn(memories, name, relation)
    lines = [
        *drawing.tree(walk, {}),
        drawing.line(walk, {}),
        *drawing.mermaid(walk, {}),
        *drawing.dot(walk, {}),
    ]
    assert len(lines) == 2 + 1 + 4 + 7
    assert not any(sign in line for line in lines for sign in "\x1b\x07\x9b\n\r\u202e\u2028")
    for line in drawing.mermaid(walk, {}):
        assert line.count('"') in (0, 2) and "<" not in line
    assert json.loads(json.dumps(drawing.document(walk, {})))["links"][0]["relation"] == relation


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=HOSTILE, relation=HOSTILE)
def test_graphviz_reads_every_name_back_as_it_is_shown(memories: Memories, name: str, relation: str) -> None:
    walk = drawn(memories, name, relation)
    picture = ET.fromstring(drawing.svg(walk, {}))
    texts = ["".join(each.itertext()) for each in picture.iter() if each.tag.endswith("}text")]
    shown = drawing._shown(walk, walk.root)
    assert len(texts) == 4
    if shown.isascii():
        assert shown.replace("  ", " ") in [text.replace("\xa0", " ") for text in texts]


def test_without_graphviz_a_picture_says_how_to_get_it(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BadInput, match="apt install graphviz"):
        drawing.svg(drawn(memories, "a", "b"), {})


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
        linking.link(memories, name, "is", "thing")
    linking.alias(memories, "Ann", ["Annie"])
    assert mentioned(graph_of(memories), query) == found


def test_facts_of_named_entities_put_what_connects_them_first(memories: Memories) -> None:
    said = memories.remember("Ann likes jazz")
    link(memories, "Ann works_at Acme", confidence=0.8, since=Y[2024])
    link(memories, "Bob knows Ann", confidence=0.3)
    link(memories, "Ann lives_in Oslo")
    link(memories, "Ann likes jazz", evidence=said)
    link(memories, "Ann was_in Rome", until=Y[2020])
    memories.end([said.id], "private")  # what is forgotten does not come back by its links
    graph = graph_of(memories)
    facts = facts_about(graph, mentioned(graph, "how does Ann know Bob?"))
    assert [statement(fact) for fact in facts] == [
        "Bob knows Ann (confidence 0.3)",
        "Ann lives_in Oslo",
        "Ann works_at Acme (since 2024, confidence 0.8)",
    ]
    assert len(facts_about(graph, ["Ann"], limit=1)) == 1


def test_a_page_of_text_is_looked_through_quickly_enough_to_be_asked_every_time(memories: Memories) -> None:
    link(memories, "Ann knows Bob")
    assert mentioned(graph_of(memories), "word " * 100 + "Ann " + "word " * 100_000) == ["Ann"]


# Export and import


def test_links_and_aliases_survive_export_and_stores_can_be_merged(
    memories: Memories, tmp_path: Path, clock: TickingClock
) -> None:
    link(memories, "Ann works_at Acme", since=Y[2024])
    link(memories, "Ann works_at Acme", confidence=0.5)
    linking.link(memories, "\u202eevil\x1b[0m", "r\u200cs", "👩‍👩‍👧")
    linking.alias(memories, "Ann", ["Annie"])
    records = list(export(memories, Filter(spaces=None)))
    with make_memories(tmp_path / "other.db", clock) as other:
        linking.link(other, "ANN", "knows", "Bob")
        report = Importer(other, "import:x").take((f"line {n}", dict(r)) for n, r in enumerate(records))
        assert report.refused == []
        assert {link.id for link in all_links(memories)} < {link.id for link in all_links(other)}
        assert len(tree(other, "annie")) == 3
        with pytest.raises(NotFound):
            tree(memories, "Bob")
    known = records[1]
    broken: list[dict[str, Any]] = [
        {"data": []}, {"id": 5}, {"evidence": {}}, {"created_at": None}, {"confidence": "1"},
        {"data": {"x": "\ud800"}}, {"subject": " "}, {"valid_from": "soon"},
    ]  # fmt: skip
    for wrong in broken:
        report = Importer(memories, "import:x").take([("line 1", {**known, **wrong}), ("line 2", known)])
        assert len(report.refused) == report.unchanged == 1
