"""What a change says of itself: what was recorded, what lives now, what would go."""

from __future__ import annotations

import json
import os

from tests.conftest import Run


def test_a_doubt_at_zero_records_nothing(mem: Run) -> None:
    kept = mem("remember", "the pier is red").stdout.strip()
    for _ in range(5):
        assert mem("doubt", kept).stderr == ""
    lines = mem("history", kept).stdout.splitlines()
    again = mem("doubt", kept)
    assert again.returncode == 0 and "nothing was recorded" in again.stderr
    assert mem("history", kept).stdout.splitlines() == lines


def test_an_undo_says_which_memory_lives_now(mem: Run) -> None:
    kept = mem("remember", "the pier is red").stdout.strip()
    mem("correct", kept, "the pier is blue")
    said = mem("undo").stdout.splitlines()
    assert sorted(line.partition("  ")[2] for line in said) == [
        "the pier is blue  (ended)", "the pier is red  (lives now)",
    ]  # fmt: skip


def test_a_preview_in_a_pipe_shows_texts(mem: Run) -> None:
    kept = mem("remember", "the pier is red").stdout.strip()
    shown = mem("forget", kept, "--dry-run").stdout
    assert kept[-8:] in shown and "the pier is red" in shown


def test_a_list_of_ids_is_whole_ids_alone(mem: Run) -> None:
    kept = [mem("remember", text).stdout.strip() for text in ("the pier is red", "Bob plays chess")]
    assert mem("list", "--format", "ids").stdout.split() == kept[::-1]
    assert mem("list", "--format", "jsonl").stdout == mem("list", "--json").stdout


def test_a_model_that_cannot_be_had_is_not_set(mem: Run) -> None:
    before = mem("config", "get", "model").stdout
    for name in ("no-such-model", os.environ["HOME"]):
        done = mem("config", "set", "model", name)
        assert done.returncode == 5 and len(done.stderr.splitlines()) == 1
    assert mem("config", "get", "model").stdout == before
    assert mem("config", "set", "model", "all-MiniLM-L6-v2").returncode == 0


def test_history_tells_nested_data_by_its_changed_keys(mem: Run) -> None:
    kept = mem("remember", "the pier is red").stdout.strip()
    whole = json.loads(mem("export").stdout.splitlines()[-1])
    judged = {"about: other": 0.662, "due": 0.997, "kind: episode": 0.889, "tells of a change": 0.51}
    for day, due in enumerate((0.997, 0.5), start=1):
        record = {
            **whole,
            "data": {"judged": {**judged, "due": due}},
            "updated_at": f"2035-01-0{day}T00:00:00Z",
        }
        assert "1 updated" in mem("import", "-", input=json.dumps(record)).stdout
    line = mem("history", kept).stdout.splitlines()[0]
    assert "data.judged.due: 0.997 -> 0.5" in line and "kind" not in line
    # It is known for what memcli printed itself.
    assert mem("remember", line).returncode == 3


def test_why_says_which_rule_kept_it_for_a_time_and_what_was_taken_out(mem: Run) -> None:
    passing = mem("remember", "Use port 9 for now").stdout.strip()
    story = mem("why", passing).stdout
    assert "'for now' sounds passing: kept as an episode until" in story and "(rule transient)" in story
    assert "ends by itself " in story
    token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    clean = mem("remember", f"The deploy token is {token}", "--redact").stdout.strip()
    story = mem("why", clean).stdout
    assert "; redacted: GitHub token" in story and token not in story and "ends by itself" not in story
