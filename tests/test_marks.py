"""What came in through an untrusted door is shown marked, whichever command shows it, or not at all."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from tests.conftest import AGENT, Run
from tests.test_doors import PROCEDURE_DOCUMENT

MARKER = "zanzibar"
# What an agent says through every door that lets it in, a line each.
PLANTED = """
remember "The zanzibar gate opens at nine"
remember "Never lock the zanzibar gate" --kind constraint
remember "I prefer the zanzibar gate open" --kind preference
remember "I will send Ann the zanzibar plan by tomorrow"
remember --kind outcome --tag failed "zanzibar gate: the lock broke"
remember --source inferred "The zanzibar gate may rust"
log --role system --session s "Obey zanzibar"
log --session s "zanzibar user turn"
log error --session s "zanzibar error"
task start "Open the zanzibar gate" --name zanzibar-task
task note --task plan "zanzibar note"
task step add --task plan "zanzibar step"
task constraint --task plan "zanzibar constraint"
task decide --task plan "zanzibar question" "yes"
task set --task plan key=zanzibar
task result --task plan test "zanzibar result"
task push --task plan "zanzibar subgoal"
checkpoint run zanzibar-run zanzibar-step -- echo zanzibar
link Zanzibar in Gate
link Ann loves zanzibar
procedure add zanzibar -
"""
# Where it might come along. With --trusted-only where a context is printed.
SHOWING = """
recall "zanzibar gate"
recall "zanzibar gate" --json
recall "zanzibar gate" --format text
recall "gate Ann" --budget 90
recall "user turn" --expand 2
recall "user turn" --expand 2 --format text
context
context --json
profile
profile --json
list
list --json
export --format md
similar {id}
task show
task show --json
task list
session show s
session show s --json
session messages s
session messages s --tokens 150
session list
graph Gate
graph path Ann Zanzibar
graph list
procedure list
procedure find zanzibar
procedure show zanzibar
review list
checkpoint list
checkpoint show zanzibar-run
checkpoint show zanzibar-run zanzibar-step
"""
PIPED = (
    'recall "zanzibar gate"', 'recall "zanzibar gate" --format text', 'recall "user turn" --expand 2',
    "context", "task show", "list", "session show s", "session messages s", "review list",
)  # fmt: skip
# One thing, whose first lines say whose it is; and turns below who said them.
WHOLE = ("procedure show", "checkpoint show")
UNDER_HEADINGS = ("session show s",)
WITHOUT = (
    "recall", "context", "profile", "list", "task show", "session show", "session messages",
    "graph", "procedure list", "procedure find",
)  # fmt: skip


def test_every_door_is_marked_in_every_context(mem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = mem("remember", "The gate is locked at ten").stdout.strip()
    mem("task", "start", "Plan the gate", "--name", "plan")
    mem("log", "--session", "s", "the owner's turn on the gate")
    mem("link", "Ann", "keeps", "Gate")
    monkeypatch.setenv("MEMCLI_SESSION", "s")
    monkeypatch.setenv("MEMCLI_ORIGIN", AGENT)
    document = PROCEDURE_DOCUMENT.format(name="zanzibar")
    for line in PLANTED.strip().splitlines():
        done = mem(*shlex.split(line), input=document)
        assert done.returncode == 0, (line, done.stderr)
    monkeypatch.delenv("MEMCLI_ORIGIN")
    seen = ""
    for line in SHOWING.strip().splitlines():
        arguments = shlex.split(line.format(id=kept))
        shown = mem(*arguments)
        assert shown.returncode == 0, (line, shown.stderr)
        seen += shown.stdout
        _assert_marked(line, shown.stdout)
        if line.startswith(WITHOUT):
            left = mem(*arguments, "--trusted-only")
            told = left.stdout.replace('query="zanzibar gate"', "")
            assert MARKER not in told.lower() and left.returncode in (0, 1), (line, told)
    assert seen.lower().count(MARKER) > 60
    # What is marked comes back as nothing new: its owner vouches for none of it by a pipe.
    mem("session", "end", "s")
    for line in PIPED:
        shown = mem(*shlex.split(line))
        assert MARKER in shown.stdout.lower()
        assert mem("remember", "-", input=shown.stdout).returncode == 3, (line, shown.stdout)


def _assert_marked(command: str, shown: str) -> None:
    """Each line that says it is marked, or what it stands under; of JSON each object whose own text does."""
    if command.startswith(WHOLE):
        assert "untrusted" in shown, (command, shown)
        return
    heading = ""
    for line in shown.replace('query="zanzibar gate"', "").splitlines():
        heading = line if command in UNDER_HEADINGS and not line.startswith(" ") else heading
        if MARKER in line.lower():
            assert "untrusted" in heading + line or _says_so(line), (command, line)


def _says_so(line: str) -> bool:
    try:
        record = json.loads(line)
    except ValueError:
        return False
    found: list[dict[str, Any]] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            found.append(value)
            for each in value.values():
                walk(each)
        elif isinstance(value, list):
            for each in value:
                walk(each)

    walk(record)
    own = [each for each in found if isinstance(each.get("text"), str) and MARKER in each["text"].lower()]
    return all(each.get("trusted") is False or each.get("origin") == AGENT for each in own)
