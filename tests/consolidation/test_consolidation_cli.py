"""`mem consolidate` as cron calls it: processes, locks, exit statuses, kills."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memcli.config.location import read_location
from memcli.consolidation.run import consolidate, consolidation_lock
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage.stores import open_store
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from tests.conftest import MEM, Run, TickingClock, make_memories

ALL = Filter(spaces=None, live=False)


@pytest.fixture
def filled(mem: Run) -> Run:
    """A store with a duplicate pair, past the policy, and something expired."""
    lines = [
        {"text": "The office is in Berlin", "kind": "fact"},
        {"text": "the office is in Berlin.", "kind": "fact"},
        {"text": "I live in Lisbon.", "kind": "episode", "role": "user", "session": "s"},
        {"text": "the pool is open", "kind": "fact", "valid_until": "2024-05-01"},
    ]
    given = "\n".join(json.dumps(line) for line in lines)
    assert mem("remember", "--batch", "-", "--force", input=given).returncode == 0
    return mem


def test_it_says_one_line_what_it_did_and_nothing_the_second_time(filled: Run) -> None:
    first = filled("consolidate")
    # A line, and one for the memory that it ended.
    assert (first.returncode, first.stderr, first.stdout.count("\n")) == (0, "", 2), first
    assert re.search(r"\nended: \w{8} 'the pool is open', .+ \(mem restore \w{8}\)\n", first.stdout)
    assert "1 merged" in first.stdout
    assert "1 ended" in first.stdout
    assert "1 fact distilled" in first.stdout
    shown, undone = re.findall(r"\((mem history --change \w+), (mem undo \w+)\)", first.stdout)[0]
    assert "valid until 2024-05-01" in filled(*shown.split()[1:]).stdout
    assert undone.split()[-1] == shown.split()[-1]
    second = filled("consolidate")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")


def test_json_reports_every_change_and_why(filled: Run) -> None:
    report = json.loads(filled("consolidate", "--json", "--skip", "tend").stdout)
    assert {change["action"] for change in report["changes"]} == {"merge", "end", "keep", "link"}
    assert all(change["why"] and change["done"] for change in report["changes"])
    [past] = filled("consolidate", "--history", "--json").stdout.splitlines()
    assert json.loads(past)["run"] == report["run"]
    assert report["run"][-8:] in filled("consolidate", "--history").stdout
    lines = filled("history", "--change", report["run"][-8:], "--json").stdout.splitlines()
    assert {json.loads(line)["change"] for line in lines} == {report["run"]}
    assert {"merge", "end", "keep"} <= {json.loads(line)["action"] for line in lines}
    assert filled("history", "--change", "nosuch").returncode == 1
    assert filled("undo", report["run"]).returncode == 0
    assert len(filled("list", "--json").stdout.splitlines()) == 3


def test_what_the_policy_holds_is_counted_and_no_part_of_a_plan_that_was_refused(
    mem: Run, tmp_path: Path
) -> None:
    told = {"text": "I live in Hobart", "kind": "episode", "role": "user", "session": "s"}
    assert mem("remember", "--batch", "-", "--untrusted", input=json.dumps(told)).returncode == 0
    plan = tmp_path / "plan.jsonl"
    assert mem("consolidate", "--only", "distil", "--plan", str(plan)).returncode == 0
    applied = mem("consolidate", "--apply", str(plan))
    assert (applied.returncode, applied.stderr) == (0, ""), applied
    assert "1 held for review (mem review list)" in applied.stdout
    assert "I live in Hobart" in mem("review", "list").stdout


def test_a_plan_is_saved_privately_and_applied_later(filled: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan.jsonl"
    planned = filled("consolidate", "--plan", str(plan))
    assert planned.returncode == 0
    assert "merge" in planned.stdout
    if os.name != "nt":
        assert plan.stat().st_mode & 0o777 == 0o600
    assert filled("consolidate", "--history").stdout == ""
    newest = json.loads(filled("list", "--json").stdout.splitlines()[-1])["id"]
    assert filled("edit", newest, "--importance", "0.9").returncode == 0
    applied = filled("consolidate", "--apply", str(plan))
    assert applied.returncode == 3, applied
    assert "changed since" in applied.stderr
    assert filled("consolidate", "--apply", str(tmp_path / "none")).returncode == 2
    plan.write_text("{}\n[1]\n")
    assert filled("consolidate", "--apply", str(plan)).returncode == 2


@pytest.mark.parametrize(
    "arguments", [["--only", "sweep"], ["--plan", "x", "--apply", "y"], ["--install", "at"]]
)
def test_wrong_usage_is_one_line_and_2(filled: Run, arguments: list[str]) -> None:
    done = filled("consolidate", *arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_without_a_store_it_says_so(mem: Run) -> None:
    assert mem("consolidate").returncode == 1


def test_a_store_has_one_lock_by_whatever_name(tmp_path: Path) -> None:
    (tmp_path / "linked.db").symlink_to(tmp_path / "memory.db")
    with (
        closing(open_store(tmp_path / "memory.db")) as store,
        closing(open_store(tmp_path / "linked.db")) as linked,
        consolidation_lock(store, wait=False) as free,
    ):
        assert free
        with consolidation_lock(linked, wait=False) as other:
            assert not other


def test_the_second_of_two_leaves_with_one_line(filled: Run) -> None:
    with (
        closing(open_store(read_location(os.environ["MEMCLI_DB"]))) as store,
        consolidation_lock(store, wait=False) as free,
    ):
        assert free
        second = filled("consolidate")
        assert (second.returncode, second.stdout) == (0, "")
        assert second.stderr.count("\n") == 1
    assert "merged" in filled("consolidate", "--wait").stdout


def test_the_lock_of_a_killed_process_is_free(own_home: Path) -> None:
    path = own_home / "m.db"
    code = (
        "import sys, time; from pathlib import Path\n"
        "from memcli.consolidation.run import consolidation_lock\n"
        "from memcli.storage.stores import open_store\n"
        "with consolidation_lock(open_store(Path(sys.argv[1])), wait=False) as free:\n"
        "    print(free, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout and holder.stdout.readline() == "True\n"
        with closing(open_store(path)) as store:
            with consolidation_lock(store, wait=False) as free:
                assert not free
            holder.kill()
            holder.wait()
            with consolidation_lock(store, wait=False) as free:
                assert free


def _grown(path: Path, number: int) -> None:
    with make_memories(path, TickingClock()) as memories:
        now = memories.now() - timedelta(days=500)
        some = []
        for n in range(number):
            text = f"note {n // 2} about {n // 2 * 37 % 101} apples and {'pears' if n % 3 else 'plums'}"
            memory = new_memory(memories, Draft(text=text, kind="fact"))
            source = "inferred" if n % 2 else "explicit"
            some.append(replace(memory, source=source, confidence=0.7, created_at=now))  # type: ignore[arg-type]
        put_embedded(memories, memories.model, some, memories.change("import"))
        memories.end([each.id for each in some[::10]], "forgotten")


_CHILD = """
import sys
from pathlib import Path
from tests.conftest import TickingClock, make_memories
from memcli.consolidation.run import consolidate
clock = TickingClock()
clock.advance(days=200)
with make_memories(Path(sys.argv[1]), clock) as memories:
    print("up", flush=True)
    consolidate(memories)
"""


def test_killed_at_any_instant_the_store_is_whole_and_the_next_run_goes_on(own_home: Path) -> None:
    """6 instants here; `python -m benchmarks.kills` takes 200 and looks after each."""
    kills, path = 6, own_home / "m.db"
    chance = random.Random(5)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    longest = 0.4
    done = 0
    _grown(path, 60)
    for _ in range(kills):
        with subprocess.Popen(
            [sys.executable, "-c", _CHILD, path], stdout=subprocess.PIPE, text=True, env=environment
        ) as child:
            assert child.stdout and child.stdout.readline() == "up\n"
            time.sleep(chance.uniform(0, longest))
            done += child.poll() is not None
            child.send_signal(signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
        if done:
            path.unlink()
            for beside in path.parent.glob("m.db*"):
                beside.unlink()
            _grown(path, 60)
            done, longest = 0, max(longest * 0.8, 0.05)
    clock = TickingClock()
    clock.advance(days=200)
    with make_memories(path, clock) as memories:
        assert all(finding.ok for finding in memories.store.check())
        consolidate(memories)
        _whole(memories)
        assert not consolidate(memories).counts()


def _whole(memories: Memories) -> None:
    """Nothing explicit was lost: each text is live, or the owner ended it, or it lives on in a merged one."""
    live = {" ".join(m.text.split()) for m in memories.store.select(memories.within(at=None))}
    for memory in memories.store.select(ALL):
        if memory.source == "explicit" and memory.ended_at and memory.ended_why != "forgotten":
            assert memory.text in live, memory


def test_a_command_does_not_pay_for_consolidation(mem: Run) -> None:
    code = "import sys; from memcli.command_line.loading import load_command; load_command('consolidate')\n"
    code += (
        "print([n for n in sys.modules if n.startswith('memcli.consolidation') or n in ('numpy', 'rich')])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # The registry names the steps for the help, and imports none of them.
    assert shown.stdout == "['memcli.consolidation', 'memcli.consolidation.registry']\n"
    assert MEM.exists()


def test_it_looks_ahead_as_if_it_were_then(mem: Run) -> None:
    assert mem("remember", "--valid-until", "2999-01-01", "the lease runs on").returncode == 0
    ahead = mem("consolidate", "--now", "2999-06-01", "--dry-run", "--json")
    assert [change["action"] for change in json.loads(ahead.stdout)["changes"]] == ["end"]
    assert mem("consolidate", "--now", "2999-06-01").returncode == 2  # nobody is there to be asked
    assert "the lease" in mem("list").stdout
    assert mem("consolidate", "--now", "2999-06-01", "--yes").returncode == 0
    assert mem("list").returncode == 1
    assert mem("consolidate", "--now", "soon", "--dry-run").returncode == 2


def test_past_runs_are_told_in_local_time_as_everything_else_is(
    mem: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem("remember", "The gate is green")
    assert mem("consolidate").returncode == 0
    told = set()
    for zone in ("UTC", "America/New_York"):
        monkeypatch.setenv("TZ", zone)
        [line] = mem("consolidate", "--history").stdout.splitlines()
        [at] = re.findall(r"20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}", line)
        told.add(at)
    assert len(told) == 2
