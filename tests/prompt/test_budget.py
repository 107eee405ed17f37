"""A budget is never exceeded, in any format, script or length; what is cut is counted and marked."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.embedding import open_embedder
from memcli.prompt import budget
from tests.conftest import Run

PROSE = "We drink tea in the garden whenever the weather allows it. " * 12
CHINESE = "我们在花园里喝茶，只要天气允许。" * 40
TURNS = ["tea?", PROSE, CHINESE, "tea with milk", "no tea"]


def filled(mem: Run) -> None:
    lines = [
        {
            "text": text,
            "kind": "episode",
            "session": "s",
            "at": f"2026-01-01T10:0{n}:00Z",
            "role": "ab"[n % 2],
        }
        for n, text in enumerate(TURNS)
    ]
    lines += [{"text": f"tea 茶 note {n}: {'leaf ' * n}"} for n in range(6)]
    assert mem("remember", "--batch", input="\n".join(map(json.dumps, lines))).returncode == 0


@pytest.mark.parametrize("look", ["prompt", "jsonl", "text", "table", "ids"])
def test_no_format_prints_more_than_its_budget(mem: Run, look: str) -> None:
    filled(mem)
    shown = 0
    for query, tokens, more in (
        ("tea", 60, ()),
        ("tea", 150, ("--expand", "1")),
        ("茶", 400, ("--expand", "2")),
        ("花园里喝茶", 150, ()),
        ("weather allows", 130, ()),
    ):
        arguments = ("--words", "--min-score", "0", "--format", look, "--budget", str(tokens), *more)
        done = mem("recall", query, *arguments)
        assert done.returncode in {0, 2}, done.stderr
        assert budget.estimate_tokens(done.stdout) <= tokens
        assert bool(done.stdout) == (done.returncode == 0)
        shown += done.returncode == 0
        lines = done.stdout.splitlines()
        if look == "jsonl":
            assert all(json.loads(line)["text"] for line in lines)
        if look == "ids":
            assert all(len(line) == 26 for line in lines)
    assert shown >= 4 or look == "prompt"


def test_the_first_one_is_shortened_in_its_own_text_and_says_so(mem: Run) -> None:
    filled(mem)
    for query, head in (("weather allows", "We drink tea in"), ("花园里喝茶", "我们在花园里喝茶")):
        done = mem("recall", query, "--words", "--json", "-n", "1", "--budget", "100", "--min-score", "0")
        record = json.loads(done.stdout)
        assert record["shortened"] and record["text"].startswith(head)
        assert record["text"].endswith(budget.SHORTENED) and len(record["id"]) == 26
        block = mem("recall", query, "--words", "-n", "1", "--budget", "150", "--min-score", "0").stdout
        assert f"] {head}" in block and budget.SHORTENED in block and block.endswith("</memories>\n")


def test_the_models_own_count_is_kept_to(mem: Run, compiled_cache: Path) -> None:
    filled(mem)
    count = open_embedder("all-MiniLM-L6-v2", compiled_cache).count_tokens
    for tokens in (120, 300):
        done = mem("recall", "tea in the garden", "--min-score", "0", "--budget", str(tokens))
        assert done.returncode == 0 and count(done.stdout) <= tokens
        assert "did not fit" in done.stderr


def test_what_a_model_cannot_read_still_costs_tokens(compiled_cache: Path) -> None:
    count = open_embedder("all-MiniLM-L6-v2", compiled_cache).count_tokens
    assert count("ภาษาไทยไม่ยากเลยสำหรับคนที่ตั้งใจเรียน" * 10) > 200
    assert count("🎉🎊🥳" * 10) > 20
    assert count("a quick brown fox") == 4 and count("") == 0


@given(st.text(min_size=1, max_size=60), st.integers(1, 40))
def test_a_cut_never_parts_a_sign_from_its_marks(text: str, room: int) -> None:
    page = budget.fit_page([budget.Item(text)], room, len)
    if page.items and page.items[0].text != text:
        head = page.items[0].text.removesuffix(budget.SHORTENED)
        assert text.startswith(head)
        rest = text[len(head) :]
        assert not rest or not unicodedata.category(rest[0]).startswith("M")


def test_what_cannot_be_shortened_is_left_out() -> None:
    page = budget.fit_page([budget.Item("x" * 50, body=""), budget.Item("y")], 10, len)
    assert ([item.text for item in page.items], page.dropped) == (["y"], [0])
