"""What a command looks over by itself is refused in a line, and nothing is done."""

from __future__ import annotations

import io
import json
import os
import zipfile
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from memcli.app import run
from memcli.commands import warm
from memcli.commands.terminal import input as command_input
from memcli.config.config import Config
from memcli.config.location import Location, location_text
from memcli.consolidation import plan
from memcli.consolidation.run import RunOptions, consolidate
from memcli.memories import Memories
from memcli.model import Filter
from memcli.tiers.context.blocks import put_block
from memcli.tiers.policies.document import PolicyText
from memcli.tiers.policies.policies import Policies
from memcli.tiers.sessions import sessions
from memcli.tiers.tasks.checkpoints import save_checkpoint
from memcli.upkeep.copies.backups import make_backup
from memcli.upkeep.copies.snapshots import create_snapshot
from memcli.warm import control
from memcli.write_policy.drafts import Draft
from tests.conftest import Run, TickingClock, make_memories
from tests.standin import StandIn

ROBOT = "mcp:robot"


@dataclass
class Told:
    """How a command ended, and what it said."""

    status: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def own_commands(own_store: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_DB", location_text(own_store))
    monkeypatch.setattr("sys.stdin", io.StringIO())


def told(capsys: pytest.CaptureFixture[str], *words: str) -> Told:
    capsys.readouterr()
    status = run([*words])
    said = capsys.readouterr()
    return Told(status, said.out, said.err)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The last line, in which a command says that it does not do what is asked."""
    done = told(capsys, *words)
    assert done.status == 2 and not done.out and done.err.endswith("\n"), (words, done)
    return done.err.splitlines()[-1]


def piped(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("audit --check nonsense", "contradictions"), ("consolidate --only nonsense", "expire"),
        ("consolidate --skip nonsense", "expire"), ("policy checks --decision nonsense", "blocked"),
        ("list --kind nonsense", "fact"), ("list --source nonsense", "explicit"),
        ("recall tea --kind nonsense", "fact"), ("recall tea --source nonsense", "explicit"),
    ],
)  # fmt: skip
def test_a_word_that_is_no_choice_is_told_with_those_there_are(
    memories: Memories, capsys: pytest.CaptureFixture[str], line: str, known: str
) -> None:
    memories.remember("the gate is green")
    said = refused(capsys, *line.split())
    assert "nonsense" in said and known in said


@pytest.mark.parametrize(
    "line",
    [
        "consolidate --plan {home}/a --apply {home}/b", "consolidate --plan {home}/a --all-spaces",
        "consolidate --max-seconds nan",
    ],
)  # fmt: skip
def test_what_of_a_night_excludes_each_other_is_not_begun(
    memories: Memories, own_home: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    memories.remember("the gate is green")
    refused(capsys, *line.format(home=own_home).split())
    assert not (own_home / "a").exists()


def test_a_plan_for_another_store_is_not_carried_out(
    memories: Memories, own_home: Path, clock: TickingClock, capsys: pytest.CaptureFixture[str]
) -> None:
    memories.remember("the gate is green")
    file = own_home / "plan"
    with make_memories(own_home / "other.db", clock) as other:
        sessions.append_turn(other, Draft(text="I live in Oulu.", session="s", data={"role": "user"}))
        plan.save_plan(consolidate(other, RunOptions(steps=("distil",), dry_run=True)), file)
    assert plan.load_plan(file)[1]
    assert "another store" in refused(capsys, "consolidate", "--apply", str(file))


@pytest.mark.parametrize(
    "line",
    [
        "config set limit 3", "config unset limit", "consolidate --install cron --yes", "warm start",
        "warm stop", "space grant work ann", "space revoke work ann",
    ],
)  # fmt: skip
def test_what_is_its_owners_alone_no_program_does(
    memories: Memories,
    own_home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    line: str,
) -> None:
    memories.in_space("work").remember("the gate is green")
    done: list[str] = []
    monkeypatch.setattr(control, "start", lambda length: done.append("start"))
    monkeypatch.setattr(control, "stop", lambda: done.append("stop"))
    monkeypatch.setattr(
        "memcli.commands.consolidate.report.print_schedule", lambda *_, **__: done.append("install")
    )
    (own_home / "config.toml").write_text("limit = 5\n")
    monkeypatch.setenv("MEMCLI_ORIGIN", ROBOT)
    found = told(capsys, *line.split())
    assert found.status == 3 and found.err.count("\n") == 1, found
    assert not done and (own_home / "config.toml").read_text() == "limit = 5\n"


@pytest.mark.parametrize(
    "line",
    [
        "block delete --erase owner", "checkpoint clear move", "consolidate --now 2040-01-01",
        "forget --query gate", "forget --hard --query gate", "forget --all --space shed",
        "session clear standup", "snapshot drop before", "space forget shed",
        "space forget --hard shed", "backup restore {copy}",
    ],
)  # fmt: skip
def test_who_may_not_is_told_so_before_anybody_is_asked(
    memories: Memories, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """Consent would not help, and a question whose answer counts for nothing is not put."""
    memories.remember("the gate is green")
    put_block(memories, "owner", "sails a cutter")
    save_checkpoint(memories, "move", "{}", timedelta(days=9_000))
    sessions.append_turn(memories, Draft(text="the gate is stuck", session="standup", kind="episode"))
    create_snapshot(memories, "before")
    copy = make_backup(memories)
    monkeypatch.setenv("MEMCLI_ORIGIN", ROBOT)
    # What is all its own it may forget, but not what waits for its owner along with it.
    robot = Memories(
        memories.store, Config({"MEMCLI_ORIGIN": ROBOT}), StandIn, space="shed", clock=memories.now
    )
    robot.remember("the robot hums at night")
    before = memories.store.revision()
    done = told(capsys, *line.format(copy=copy).split())
    assert done.status == 3 and "yes" not in done.err and not done.out, done
    assert memories.store.revision() == before


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("recall tea --like {id}", "not both"), ("recall --answer --llm none --like {id}", "leave --like"),
        ("recall tea --answer --llm none --explain", "leave --like"), ("recall tea --llm none", "give both"),
    ],
)  # fmt: skip
def test_what_of_a_recall_excludes_each_other_is_told(
    memories: Memories, capsys: pytest.CaptureFixture[str], line: str, why: str
) -> None:
    kept = memories.remember("I prefer tea to coffee")
    assert why in refused(capsys, *line.format(id=kept.id).split())


def test_a_budget_that_holds_nothing_is_told(memories: Memories, capsys: pytest.CaptureFixture[str]) -> None:
    memories.remember("the gate is green and the door beside it is blue")
    told(capsys, "block", "set", "owner", "Ann, who sails a cutter on the lake behind the town")
    for line in ("recall gate --budget 1", "context --budget 1"):
        assert "holds no memory" in refused(capsys, *line.split())


def test_an_archive_of_nobody_known_is_not_read_as_text(
    memories: Memories, own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(own_home / "old.zip", "w") as archive:
        archive.writestr("notes.txt", "the gate is green\n")
    assert "--from says whose" in refused(capsys, "import", str(own_home / "old.zip"))


def test_one_memory_alone_is_merged_with_nothing_in_a_preview_either(
    memories: Memories, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = memories.remember("the gate is green")
    assert "two different" in refused(capsys, "merge", kept.id, kept.id, "--dry-run")


def test_a_policy_is_not_added_over_one_in_force(
    memories: Memories, capsys: pytest.CaptureFixture[str]
) -> None:
    Policies(memories).add(PolicyText("calm", "never at night"))
    assert "--replace" in refused(capsys, "policy", "add", "calm", "--rule", "always")
    assert [each.says.rule for each in Policies(memories).live()] == ["never at night"]


@pytest.mark.parametrize("head", ["{", "["])
def test_one_document_is_no_batch(
    memories: Memories, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, head: str
) -> None:
    text = json.dumps({"text": "the gate is green"}, indent=1)
    piped(monkeypatch, text if head == "{" else json.dumps([{"text": "the gate"}], indent=1))
    assert "jq" in refused(capsys, "remember", "--batch")
    assert not list(memories.store.select(Filter(spaces=None, live=False)))


def test_a_space_that_is_in_neither_is_taken_back_to_nothing(
    memories: Memories, capsys: pytest.CaptureFixture[str]
) -> None:
    memories.remember("the gate is green")
    create_snapshot(memories, "one")
    done = told(capsys, "snapshot", "rollback", "one", "--space", "nowhere", "--yes")
    assert done.status == 1 and "nowhere" in done.err and done.err.count("\n") == 1


def test_a_space_that_holds_nothing_is_not_read_as_an_empty_one(
    memories: Memories, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.remember("the gate is green")
    done = told(capsys, "list", "--space", "nowhere")
    assert done.status == 1 and "'nowhere'" in done.err
    monkeypatch.setenv("MEMCLI_SPACE", "elsewhere")
    assert "'elsewhere'" in told(capsys, "list").err


@pytest.mark.parametrize("deed", ["start", "push", "note", "constraint", "result log", "drop gate --why"])
def test_what_is_no_text_comes_into_no_task(
    memories: Memories, capsys: pytest.CaptureFixture[str], deed: str
) -> None:
    told(capsys, "task", "start", "paint the gate", "--name", "gate")
    before = told(capsys, "task", "show", "--json").out
    assert "NUL" in refused(capsys, "task", *deed.split(), "green\0blue")
    assert told(capsys, "task", "show", "--json").out == before


@pytest.mark.parametrize("words", [("remember", "-"), ("remember", "--batch"), ("import", "{file}")])
def test_what_never_ends_is_not_read_to_its_end(
    memories: Memories,
    own_home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    monkeypatch.setattr(command_input, "_MOST", 64)
    line = json.dumps({"type": "memory", "text": "the gate is green " * 9})
    (own_home / "long.jsonl").write_text(line)
    piped(monkeypatch, line)
    done = told(capsys, *(each.format(file=own_home / "long.jsonl") for each in words))
    assert done.status == 2 and "in one piece" in done.err


@pytest.mark.parametrize("deed", ["start", "stop", "status"])
def test_without_forks_there_is_no_warm_process(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    class Windows:
        name = "nt"

        def __getattr__(self, name: str) -> object:
            return getattr(os, name)

    monkeypatch.setattr(warm, "os", Windows())
    monkeypatch.setattr(control, "start", lambda length: pytest.fail("it was started"))
    monkeypatch.setattr(control, "stop", lambda: pytest.fail("one was looked for"))
    monkeypatch.setattr(control, "keepers", lambda: pytest.fail("one was looked for"))
    assert "Windows" in refused(capsys, "warm", deed)


def test_what_fits_nothing_is_said_to(mem: Run) -> None:
    assert mem("remember", "The office is in Graz").returncode == 0
    done = mem("forget", "--query", "zebra quantum", "--yes")
    assert (done.returncode, done.stdout) == (1, "") and "nothing fits" in done.stderr
    assert "Graz" in mem("list").stdout
