"""What recall shows, by the real model: floor, budget, explanation, neighbours, likeness."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Run

FACTS = ["The staging server listens on port 8443", "Standup is at nine", "I prefer tea to coffee"]


def filled(mem: Run) -> None:
    assert mem("remember", "--batch", input="\n".join(FACTS)).returncode == 0


def test_nothing_relevant_is_said_honestly(mem: Run) -> None:
    filled(mem)
    for query in ("the boiling point of lead", "quantum chromodynamics", "Caroline's dog"):
        done = mem("recall", query)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
        assert mem("recall", query, "--min-score", "0").returncode == 0


def test_what_is_relevant_comes_alone(mem: Run) -> None:
    filled(mem)
    for query, text in (
        ("where does staging run?", FACTS[0]),
        ("8443", FACTS[0]),
        ("which beverage should I order?", FACTS[2]),
    ):
        assert [json.loads(line)["text"] for line in mem("recall", query, "--json").stdout.splitlines()] == [
            text
        ]
    # A spelling that was guessed is less sure.
    first = json.loads(mem("recall", "stagging servr", "--json").stdout.splitlines()[0])
    assert first["text"] == FACTS[0]


def test_nothing_below_the_floor_is_shown_beside_what_is_above(mem: Run) -> None:
    notes = ["Running: 5k in 27:40 last Sunday", "no half marathon, knee. 10k in June instead", *FACTS]
    assert mem("remember", "--batch", input="\n".join(notes)).returncode == 0
    asked = ("recall", "what's my 5k time?", "-n", "10", "--json")
    shown = [json.loads(line) for line in mem(*asked).stdout.splitlines()]
    best, second = (each["score"] for each in shown[:2])
    between = f"{(best + second) / 2:.3f}"
    [alone] = mem(*asked, "--min-score", between).stdout.splitlines()
    assert json.loads(alone)["text"] == notes[0]
    assert mem(*asked, "--min-score", "0.999").returncode == 1


def test_the_explanation_adds_up(mem: Run) -> None:
    filled(mem)
    line, last = mem("recall", "where does staging run?", "--json", "--explain").stdout.splitlines()
    explained = json.loads(line)["explain"]
    assert {miss["reason"] for miss in json.loads(last)["misses"]} == {"below the floor"}
    assert abs(sum(explained["parts"].values()) - explained["total"]) < 1e-9
    shown = mem("recall", "where does staging run?", "--explain").stdout
    assert "meaning +" in shown and "below the floor" in shown and "floor:" in shown
    nothing = mem("recall", "quantum chromodynamics", "--explain")
    assert nothing.stdout == "" and "floor:" in nothing.stderr


def test_a_budget_is_never_exceeded_and_what_it_cut_is_counted(mem: Run) -> None:
    mem("remember", "--batch", input="\n".join(f"tea note {n}: " + "leaf " * n for n in range(1, 12)))
    whole = mem("recall", "tea note", "-n", "20", "--words").stdout
    for budget in (80, 120, 200):
        done = mem("recall", "tea note", "-n", "20", "--words", "--budget", str(budget))
        assert done.returncode == 0
        assert len(done.stdout.encode()) / 3 <= budget < len(whole.encode()) / 3
        assert "did not fit" in done.stderr
        assert done.stdout.startswith("<memories") and done.stdout.endswith("</memories>\n")
    refused = mem("recall", "tea note", "--budget", "5")
    assert refused.returncode == 2 and refused.stdout == "" and "tokens" in refused.stderr


def test_found_turns_come_with_their_neighbours(mem: Run) -> None:
    turns = ["Shall we eat?", "Only if there is goulash", "There is", "Then yes"]
    batch = "\n".join(
        json.dumps(
            {
                "text": text,
                "kind": "episode",
                "session": "s",
                "role": "ab"[n % 2],
                "at": f"2026-01-01T10:0{n}:00Z",
            }
        )
        for n, text in enumerate(turns)
    )
    assert mem("remember", "--batch", input=batch).returncode == 0
    done = mem("recall", "goulash", "--words", "-n", "1", "--expand", "1", "--json")
    [hit] = [json.loads(line) for line in done.stdout.splitlines()]
    assert [turn["text"] for turn in hit["around"]] == turns[:3]
    assert "  | There is" in mem("recall", "goulash", "-n", "1", "--expand", "1").stdout


def test_the_task_at_hand_comes_first(mem: Run) -> None:
    mem("remember", "Release notes of the blue team", "--tag", "other", "--at", "2026-01-01")
    mem("remember", "Release notes of the green team", "--tag", "v2", "--at", "2026-01-01")
    for task in ("v2", "other"):
        first, _ = mem("recall", "release notes of a team", "--task", task, "--json").stdout.splitlines()
        assert json.loads(first)["tags"] == [task]


def test_what_is_like_a_memory(mem: Run) -> None:
    kept = mem("remember", "I drink green tea in the morning").stdout.strip()
    filled(mem)
    for arguments in (("similar", kept), ("recall", "--like", kept)):
        done = mem(*arguments, "--json", "-n", "1")
        assert json.loads(done.stdout)["text"] == FACTS[2]
    both = mem("recall", "--like", kept, "tea")
    assert both.returncode == 2 and "not both" in both.stderr


def test_a_model_is_calibrated_from_the_stores_own_memories(mem: Run) -> None:
    filled(mem)
    few = mem("model", "calibrate")
    assert few.returncode == 2 and "50" in few.stderr
    topics = ("tea", "trains", "taxes", "tulips", "tennis")
    lines = [f"{topic} fact number {n} about {topics[n % 5]}" for n in range(15) for topic in topics]
    mem("remember", "--batch", input="\n".join(lines))
    floors = json.loads(mem("model", "calibrate", "--json").stdout)
    assert 0 < floors["told"] < floors["nameless"] < floors["strangers"]
    assert mem("recall", "quantum chromodynamics").returncode == 1


def test_a_program_is_told_what_was_not_searched_by_meaning_also_where_nothing_is_found(
    mem: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = "\n".join(json.dumps({"role": "user", "content": f"the heron at lock {n}"}) for n in range(110))
    monkeypatch.setenv("MEMCLI_MODEL", "nowhere")
    assert mem("session", "import", "-", "--session", "s", input=turns).returncode == 0
    monkeypatch.delenv("MEMCLI_MODEL")
    done = mem("recall", "quantum chromodynamics", "--json")
    [record] = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1 and record["found"] == 0 and record["degraded"] is True
    assert "62 memories are not read" in record["degraded_reason"] and "in part" in done.stderr
    found = [json.loads(line) for line in mem("recall", "the heron", "--json").stdout.splitlines()]
    assert found and all(hit["degraded"] and "14 memories" in hit["degraded_reason"] for hit in found)
    assert mem("recall", "quantum chromodynamics").stdout == ""
    nothing = mem("recall", "quantum chromodynamics", "--json")
    assert nothing.returncode == 1 and nothing.stdout == nothing.stderr == ""
