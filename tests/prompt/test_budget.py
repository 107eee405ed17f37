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


# A pipe's own budget

COMPILED = "\n".join(
    [
        "port of staging, built",
        *(f"[{n}/400] Compiling module_{n}.cc for staging" for n in range(200)),
        "src/net/port.cc:88:14: error: no member named 'staging'",
        *(f"[{n}/400] Compiling module_{n}.cc for staging" for n in range(200, 400)),
        "ninja: build stopped: subcommand failed.",
    ]
)


def test_two_long_outputs_do_not_drown_the_answer(mem: Run) -> None:
    for _ in range(2):
        assert mem("log", "tool", "-", input=COMPILED).returncode == 0
    mem("remember", "The staging server listens on port 8443")
    page = mem("recall", "which port does staging use?")
    assert len(page.stdout) / 4 <= 1550
    assert "listens on port 8443" in page.stdout and page.stdout.count("no member named 'staging'") == 2
    small = mem("recall", "which port does staging use?", "--budget", "400")
    assert len(small.stdout) / 4 <= 420 and "listens on port 8443" in small.stdout


def test_sixty_constraints_do_not_drown_the_answer_and_what_is_cut_is_counted(mem: Run) -> None:
    rules = "\n".join(f"Never restart server {n} of staging before checking its port" for n in range(60))
    mem("remember", "--batch", "--kind", "constraint", "--force", input=rules)
    mem(
        "remember",
        "--batch",
        input="The staging server listens on port 8443\nThe code of the door changes in May",
    )
    query = ("recall", "which port does staging use?")
    page = mem(*query)
    assert len(page.stdout) / 4 <= 1550 and "listens on port 8443" in page.stdout
    shown = page.stdout.count("Never restart")
    assert 0 < shown < 60 and "did not fit into 1,500 tokens (context_budget): constraints" in page.stderr
    assert mem(*query, "--budget", "0").stdout.count("Never restart") == 60
    mem("config", "set", "context_budget", "200")
    assert len(mem(*query).stdout) / 4 <= 220
    mem("config", "set", "context_budget", "0")
    assert mem(*query).stdout.count("Never restart") == 60


def test_the_start_of_a_session_is_bounded_and_every_tier_has_its_turn(mem: Run) -> None:
    rules = "\n".join(f"Never restart server {n} of staging before checking its port" for n in range(90))
    mem("remember", "--batch", "--kind", "constraint", "--force", input=rules)
    mem("remember", "I prefer tea", "--kind", "preference")
    mem("remember", "I will send Ann the slides by tomorrow")
    for look in ((), ("--json",)):
        page = mem("context", *look)
        assert "did not fit into 1,500 tokens" in page.stderr and page.stdout.count("Never restart") < 90
        assert "prefer tea" in page.stdout and "send Ann the slides" in page.stdout
    assert mem("context", "--budget", "0").stdout.count("Never restart") == 90


def test_of_a_long_note_stands_where_it_speaks_of_what_was_asked(mem: Run) -> None:
    chapters = [f"Chapter {n} is about the {n}th garden and its trees. " * 6 for n in range(40)]
    chapters[25] += "The harbour master keeps the spare key in the blue boat. "
    mem("remember", "".join(chapters), "--kind", "fact")
    mem("remember", "The harbour is closed in winter")
    page = mem("recall", "where is the spare key of the harbour master?", "-n", "5")
    assert len(page.stdout) / 4 <= 1550 and "spare key in the blue boat" in page.stdout
    assert "Chapter 0" in page.stdout and "closed in winter" in page.stdout
    echoed = mem("remember", "-", input=page.stdout)
    assert echoed.returncode == 3
    line = next(line for line in page.stdout.splitlines() if "blue boat" in line)
    assert mem("remember", "-", input=line).returncode == 3
