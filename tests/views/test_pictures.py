"""Pictures of the graph: whole, the same each time, and nothing in them but what is meant."""

from __future__ import annotations

import json
import os
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.graph.walk import Walk
from memcli.memories import Memories
from memcli.text.printable import one_line
from memcli.views.picture.canvas import canvas_document
from memcli.views.picture.layout import Box, Tie, lay_out
from memcli.views.picture.svg import draw_svg
from tests.conftest import Run
from tests.graph.graphs import graph_of
from tests.graph.graphs import link as link_said
from tests.views.browser import opened
from tests.views.pages import HOSTILE, link

SVG = "{http://www.w3.org/2000/svg}"


def whole(memories: Memories) -> Walk:
    return graph_of(memories, ended=True).whole()


def picture(walk: Walk) -> ET.Element:
    return ET.fromstring("\n".join(draw_svg(walk, {})))


def names_in(svg: ET.Element) -> list[str]:
    """Each box's name in full: its title where it was cut, else its lines."""
    groups = [each for each in svg.iter(f"{SVG}g") if each.find(f"{SVG}rect") is not None]
    found = []
    for group in groups:
        title, lines = group.find(f"{SVG}title"), group.iter(f"{SVG}tspan")
        found.append(title.text or "" if title is not None else " ".join(line.text or "" for line in lines))
    return found


@pytest.mark.parametrize(
    "ties",
    [
        [(n - 1, n, 90.0) for n in range(1, 120)],
        [(0, n, 90.0) for n in range(1, 120)],
        [(n // 3, n, 90.0) for n in range(1, 120)],
        [(one, other, 90.0) for one, other in combinations(range(24), 2)],
        [(n, (n * 7 + 3) % 120, 90.0) for n in range(120)],
        [],
    ],
    ids=["chain", "star", "tree", "all with all", "tangle", "none"],
)
def test_no_box_covers_another(ties: list[Tie]) -> None:
    boxes = [Box(60.0 + 7 * (n % 17), 30.0 + 18 * (n % 3)) for n in range(120)]
    places = lay_out(boxes, ties)
    for (one, (ax, ay)), (other, (bx, by)) in combinations(zip(boxes, places, strict=True), 2):
        apart_x = abs(ax - bx) - (one.width + other.width) / 2
        apart_y = abs(ay - by) - (one.height + other.height) / 2
        assert max(apart_x, apart_y) > 0
    assert lay_out(boxes, ties) == places
    # No picture is a strip, and what is linked is not at the other end of it.
    wide, high = (max(axis) - min(axis) for axis in zip(*places, strict=True))
    assert wide < 8 * high and high < 8 * wide


def test_each_entity_and_each_link_is_in_the_picture(memories: Memories) -> None:
    for said in ("a to b", "a also b", "b back a", "a likes a", "c to d"):
        link_said(memories, said)
    walk = whole(memories)
    svg = picture(walk)
    assert sorted(names_in(svg)) == ["a", "b", "c", "d"]
    titles = [each.text or "" for each in svg.iter(f"{SVG}title")]
    assert {"a → b: also, to", "b → a: back", "a → a: likes", "c → d: to"} <= set(titles)
    labels = {
        line.text for text in svg.iter(f"{SVG}text") for line in text if text.get("class") == "relation"
    }
    assert labels == {"also", "to", "back", "likes"}
    canvas = json.loads(canvas_document(walk, {}))
    assert len(canvas["nodes"]) == 4 and len(canvas["edges"]) == 5
    ids = {node["id"] for node in canvas["nodes"]}
    assert len(ids) == 4 and {edge[end] for edge in canvas["edges"] for end in ("fromNode", "toNode")} <= ids
    assert all(type(node[side]) is int for node in canvas["nodes"] for side in ("x", "y", "width", "height"))


def test_what_is_over_is_dashed_and_what_was_told_by_others_is_marked(memories: Memories) -> None:
    link_said(memories, "a to b")
    link_said(memories, "a was b")
    link(memories, "x", "says", "y", data={"origin": "mcp:parrot"})
    [was] = [each for each in memories.store.links() if each.relation == "was"]
    memories.store.put_links([was._replace(ended_at=memories.now())])
    svg = picture(whole(memories))
    over = [each for each in svg.iter(f"{SVG}path") if "over" in (each.get("class") or "")]
    assert len(over) == 1
    assert "untrusted" in " ".join("".join(text.itertext()) for text in svg.iter(f"{SVG}text"))


# Not a lone surrogate: no store holds one.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@settings(max_examples=60)
@given(name=st.one_of(TEXTS, st.sampled_from(HOSTILE)), relation=st.one_of(TEXTS, st.sampled_from(HOSTILE)))
def test_no_name_breaks_a_picture(memories: Memories, name: str, relation: str) -> None:
    [made] = list(memories.store.links()) or [link_said(memories, "a to b").link]
    memories.store.put_links([made._replace(subject=name, relation=relation, object="other end")])
    walk = whole(memories)
    text = "\n".join(draw_svg(walk, {}))
    assert "<script" not in text and "\u202e" not in text and "\u2028" not in text
    svg = ET.fromstring(text)
    assert {each.tag for each in svg.iter()} <= {
        SVG + tag for tag in ("svg", "title", "style", "defs", "marker", "path", "rect", "g", "text", "tspan")
    }
    canvas = json.loads(canvas_document(walk, {}))
    assert len(canvas["nodes"]) == len(walk.names) and canvas["edges"][0]["label"] == one_line(relation)
    for node in canvas["nodes"]:
        assert "[[" not in node["text"] and "<" not in node["text"].replace("\\<", "")


def test_hostile_names_in_a_browser_are_text(browser: Any, memories: Memories, tmp_path: Path) -> None:
    for text in HOSTILE:
        link(memories, text[:60], text[:40], "hub")
    path = tmp_path / "graph.svg"
    path.write_text("\n".join(draw_svg(whole(memories), {})), "utf-8")
    with opened(browser, path) as shown:
        assert shown.page.locator("g rect").count() == len(HOSTILE) + 1
        # What was guessed of a text's width is enough: no name leaves its box.
        wider = shown.page.evaluate(
            """[...document.querySelectorAll("g")].filter((each) => each.querySelector("rect") &&
            each.querySelector("text").getBBox().width > each.querySelector("rect").getBBox().width).length"""
        )
        assert wider == 0
        assert shown.complaints == []


def test_the_same_store_gives_the_same_bytes(mem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(os.devnull).parent))  # no Graphviz
    for said in (
        "Ann works_at Acme",
        "Acme based_in Oslo",
        "Bob lives_in Oslo",
        "Zoë owns Boat",
        "Bob knows Ann",
    ):
        assert mem("link", *said.split()).returncode == 0
    for format in ("svg", "canvas", "html"):
        for asked in ((), ("Ann",)):
            made = [
                mem("graph", *asked, "--format", format, env={**os.environ, "PYTHONHASHSEED": seed}).stdout
                for seed in ("1", "2")
            ]
            assert made[0] == made[1] and "Acme" in made[0] and ("Zoë" in made[0]) == (not asked)


def test_the_page_of_a_graph_shows_it_alone(browser: Any, mem: Run, tmp_path: Path) -> None:
    for said in ("Ann works_at Acme", "Acme based_in Oslo", "</script><b> likes Ann"):
        assert mem("link", *said.split()).returncode == 0
    path = tmp_path / "graph.html"
    path.write_text(mem("graph", "Ann", "-f", "html").stdout, "utf-8")
    with opened(browser, path) as shown:
        assert shown.page.title() == "Ann"
        assert shown.page.inner_text("#status") == "4 entities, 3 links"
        shown.page.fill("#query", "oslo")
        shown.until(lambda: shown.page.locator(".entity").count() == 3)
        shown.page.get_by_role("button", name="Acme").first.click()
        assert "based_in → Oslo" in shown.page.inner_text(".chosen")
        assert shown.faults() == []
