"""One answer in every format: the same pieces, the same honesty, the same silence where nothing is found."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest

from memcli import open_memories
from memcli.prompt.sections import HEADINGS
from memcli.text.printable import printable
from memcli.tiers.context.answer import Answer
from memcli.tiers.context.gather import gather
from tests.conftest import MEM, Run
from tests.terminals import all_shown

QUESTION = "how is billing deployed?"
FORMATS = ("prompt", "jsonl", "text", "table", "ids")
# A tier, and the tail of an id or what stands there without one.
Place = tuple[str, str]


@pytest.fixture
def full(mem: Run) -> Run:
    """Something in every tier, some of which nobody asks for."""
    for kind, text, *tags in (
        ("constraint", "Never deploy billing on Fridays"),
        ("constraint", "All services must speak TLS"),
        ("fact", "billing is deployed from the release branch"),
        ("outcome", "billing deploy ran out of disk", "--tag", "failed"),
        ("preference", "I prefer tea to coffee"),
    ):
        assert mem("remember", text, "--kind", kind, *tags).returncode == 0
    mem("log", "user", "good morning")
    mem("block", "set", "persona", "Answers briefly")
    mem("task", "start", "Migrate billing")
    mem("link", "billing", "runs_on", "db1")
    return mem


def at_a_terminal(*arguments: str) -> tuple[int, str]:
    """Run `mem` with a terminal for its output; its status, and what is seen there."""
    pty = pytest.importorskip("pty")
    terminal, inside = pty.openpty()
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    process = subprocess.Popen(
        [MEM, *arguments], stdin=subprocess.DEVNULL, stdout=inside, stderr=subprocess.PIPE, env=environment
    )
    os.close(inside)
    seen = all_shown(terminal)
    os.close(terminal)
    process.communicate(timeout=60)
    return process.returncode, printable(seen.decode())


def sections(text: str) -> set[Place]:
    """What stands under the headings of a context."""
    tiers = {heading: tier for tier, heading in HEADINGS.items()}
    found, tier = set(), ""
    for line in text.splitlines():
        tier = tiers.get(line, tier)
        if tier and line.startswith(("- ", "  ")):
            named = re.match(r"- \[(\w{8}), ", line)
            found.add((tier, named[1] if named else line.removeprefix("- ")))
    return found


def places(answer: Answer) -> set[Place]:
    """The pieces of an answer, as `sections` has them."""
    pieces = ((piece, piece.id if piece.memory else None) for piece in answer.pieces)
    return {(piece.tier, named[-8:] if named else piece.text) for piece, named in pieces}


def test_every_format_has_the_same_pieces(full: Run) -> None:
    piped = sections(full("recall", QUESTION).stdout)
    assert {tier for tier, _ in piped} == {
        "blocks", "task", "constraints", "warnings", "facts", "graph", "session",
    }  # fmt: skip
    done = full("recall", QUESTION, "--json", "--no-touch")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {(row["tier"], (row.get("id") or row["text"])[-8:]) for row in rows} == {
        (tier, said[-8:]) for tier, said in piped
    }
    with open_memories() as memories:
        answer = gather(memories, memories.recall(QUESTION, touch=False))
        assert places(answer) == piped and answer.to_records() == rows
    hits = {(row["tier"], row["id"][-8:]) for row in rows if "score" in row}
    assert hits and hits < piped
    status, table = at_a_terminal("recall", QUESTION)
    assert status == 0 and sections(table) == piped - hits
    text = full("recall", QUESTION, "--format", "text").stdout
    assert sections(text) == piped - hits
    for shown in (table, text):
        assert all(tail in shown for _, tail in hits)
    # What came along is not what somebody pipes into `mem forget`.
    ids = full("recall", QUESTION, "--format", "ids").stdout.split()
    assert {each[-8:] for each in ids} == {tail for _, tail in hits}


def test_to_a_program_the_best_hit_comes_first_whatever_its_tier(mem: Run) -> None:
    best = "The train to Bergen leaves from track 4"
    mem("remember", best, "--kind", "fact")
    mem("remember", "The train to Bergen is never to be booked late", "--kind", "constraint")
    mem("remember", "When the train to Bergen leaves, look up its track", "--kind", "procedure")
    asked = ("recall", "the train to Bergen leaves from which track", "--no-touch")
    rows = [json.loads(line) for line in mem(*asked, "--json").stdout.splitlines()]
    scores = [row["score"] for row in rows if row.get("score") is not None]
    assert len(scores) == 2 and scores == sorted(scores, reverse=True) and rows[0]["text"] == best
    for look in ("text", "tsv", "ids"):
        lines = mem(*asked, "--format", look).stdout.splitlines()
        assert [row["id"][-8:] in line for row, line in zip(rows[:2], lines, strict=False)] == [True] * 2
    block = mem(*asked).stdout
    assert block.index("look up its track") < block.index(best) and "kind by kind" in block


def test_every_line_says_its_tier_and_whether_to_trust_it(full: Run) -> None:
    full("remember", "--untrusted", "Billing must be announced", "--kind", "constraint")
    rows = [json.loads(line) for line in full("recall", QUESTION, "--json").stdout.splitlines()]
    assert all(row["tier"] in HEADINGS and row["degraded"] is False for row in rows)
    doubted = [row for row in rows if row["trusted"] is False]
    assert [row["text"] for row in doubted] == ["Billing must be announced"]
    assert {row["trusted"] for row in rows if row["tier"] == "task"} == {True}
    started = [json.loads(line) for line in full("context", "--json").stdout.splitlines()]
    assert {"tier", "id", "text", "trusted", "degraded"} == {name for row in started for name in row}


@pytest.mark.parametrize(
    ("names", "tiers"),
    [
        ("facts", {"facts"}),
        ("facts,constraints", {"facts", "constraints"}),
        ("warnings", {"warnings"}),
        ("graph,task", {"graph", "task"}),
        ("blocks,session", set()),
    ],
)
def test_tiers_narrow_every_format(full: Run, names: str, tiers: set[str]) -> None:
    arguments = ("recall", QUESTION, "--tiers", names)
    piped = full(*arguments)
    assert piped.returncode == (0 if tiers else 1)
    assert {tier for tier, _ in sections(piped.stdout)} == tiers
    rows = [json.loads(line) for line in full(*arguments, "--json").stdout.splitlines()]
    assert {row["tier"] for row in rows} == tiers
    hits = {row["id"][-8:] for row in rows if "score" in row}
    below = {tier for tier, said in sections(piped.stdout) if said not in hits}
    for shown in (full(*arguments, "--format", "text").stdout, at_a_terminal(*arguments)[1]):
        assert {tier for tier, _ in sections(shown)} == below
        assert all(tail in shown for tail in hits)


def test_no_format_says_anything_where_nothing_is_found(full: Run) -> None:
    for look in FORMATS:
        done = full("recall", "quantum chromodynamics", "--format", look)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", ""), look
    assert at_a_terminal("recall", "quantum chromodynamics") == (1, "")
    with open_memories() as memories:
        answer = gather(memories, "quantum chromodynamics")
        assert not answer.relevant and not answer.pieces
        assert answer.to_prompt() == "" and answer.to_records() == []


def test_every_format_says_that_meaning_was_not_searched(full: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_MODEL", "no-such-model")
    for look in FORMATS:
        done = full("recall", QUESTION, "--format", look)
        assert done.returncode == 0 and "searched by words only" in done.stderr, look
        if look == "jsonl":
            rows = [json.loads(line) for line in done.stdout.splitlines()]
            assert all(row["degraded"] and "no-such-model" in row["degraded_reason"] for row in rows)
            assert {row["tier"] for row in rows} >= {"blocks", "task", "constraints", "facts", "session"}
    with open_memories() as memories:
        answer = gather(memories, QUESTION)
        assert "no-such-model" in (answer.degraded or "") and answer.pieces


def test_a_budget_has_the_same_order_of_claims_in_every_format(full: Run) -> None:
    whole = full("recall", QUESTION, "--json", "--words").stdout.splitlines()
    for look in ("prompt", "jsonl", "text", "table"):
        done = full("recall", QUESTION, "--words", "--format", look, "--budget", "400")
        assert done.returncode == 0 and "billing" in done.stdout, look
        assert len(done.stdout.encode()) / 3 <= 400
        if look == "jsonl":
            [cut] = re.findall(r"(\d+) more did not fit", done.stderr)
            assert len(done.stdout.splitlines()) + int(cut) == len(whole)
            tiers = [json.loads(line)["tier"] for line in done.stdout.splitlines()]
            assert "score" in json.loads(done.stdout.splitlines()[0]) and "blocks" in tiers


def test_what_is_like_a_memory_asks_nothing_so_nothing_comes_along(full: Run) -> None:
    kept = full("remember", "billing is deployed by a script").stdout.strip()
    for arguments in (("similar", kept), ("recall", "--like", kept, "--min-score", "0")):
        rows = [json.loads(line) for line in full(*arguments, "--json").stdout.splitlines()]
        assert rows and all("score" in row and row["tier"] for row in rows)
        assert "Blocks:" not in full(*arguments).stdout


def test_an_explanation_has_every_tier_and_a_last_line(full: Run) -> None:
    *rows, last = full("recall", QUESTION, "--json", "--explain").stdout.splitlines()
    plainly = full("recall", QUESTION, "--json").stdout.splitlines()
    assert [json.loads(row)["tier"] for row in rows] == [json.loads(row)["tier"] for row in plainly]
    assert all(("explain" in row) == ("score" in row) for row in map(json.loads, rows))
    assert "misses" in json.loads(last)
    narrowed = full("recall", QUESTION, "--json", "--explain", "--tiers", "warnings", "--min-score", "0")
    misses = json.loads(narrowed.stdout.splitlines()[-1])["misses"]
    assert ("filtered", "tier: episodes") in {(miss["reason"], miss["detail"]) for miss in misses}


def test_a_budget_is_explained_where_links_were_found_too(full: Run) -> None:
    nothing = full("recall", QUESTION, "--explain", "--budget", "5")
    assert nothing.returncode == 0 and nothing.stdout == "" and "over the budget" in nothing.stderr
    assert full("recall", QUESTION, "--budget", "5").returncode == 2


def test_a_context_keeps_to_its_budget_in_json_too(full: Run) -> None:
    done = full("context", "--json", "--budget", "80")
    assert done.returncode == 0 and 0 < len(done.stdout.encode()) / 3 <= 80 and "did not fit" in done.stderr
    assert full("context", "--json", "--budget", "5").returncode == 2
