"""A command that a message names finds, as it stands there, what the message speaks of."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from typer.main import get_command

from memcli.app import app
from memcli.commands.terminal.call import Call
from memcli.errors import NotFound
from memcli.messages import Command, message
from tests.conftest import Run


def test_what_a_run_names_shows_what_it_did_in_any_space(mem: Run) -> None:
    for space in ("default", "my ranch"):
        assert mem("remember", "Carl works for Dora", "--space", space).returncode == 0
    done = mem("consolidate", "--all-spaces")
    lines = [line for line in done.stdout.splitlines() if "1 link proposed" in line]
    assert len(lines) == 2, done
    for line in lines:
        review, undo = re.findall(r"mem ((?:review list|history|undo)[^,)]*)", line)
        assert "works_at" in mem(*shlex.split(review)).stdout, (review, line)
        assert mem(*shlex.split(undo)).returncode == 0, (undo, line)
        empty = mem(*shlex.split(review))
        assert empty.returncode == 1 and "nothing waits in space" in empty.stderr


def test_what_a_run_did_to_memories_is_shown_by_the_command_it_names(mem: Run) -> None:
    for text in ("the kiln is by the shed", "The kiln is by the shed."):
        assert mem("remember", text, "--force").returncode == 0
    done = mem("consolidate")
    [history] = re.findall(r"mem (history --change [^,)]*)", done.stdout)
    assert "merge" in mem(*shlex.split(history)).stdout, done


def test_a_command_that_a_message_names_works_where_the_call_was_told_to_work(
    mem: Run, tmp_path: Path
) -> None:
    place = ("--db", str(tmp_path / "her notes.db"), "--space", "work")
    told = shlex.join(place)
    assert mem("remember", *place, "Rent is 900 a month").returncode == 0
    noted = mem("remember", *place, "We pay 950 a month since the new contract for the rent").stderr
    assert f"mem remember {told} --replaces " in noted
    audited = [json.loads(line) for line in mem("audit", *place, "--json").stdout.splitlines()]
    remedy = next(each["remedy"] for each in audited if each["check"] == "contradictions")
    forget = re.search(r"mem (forget [^;]+);", remedy)
    assert forget and told in forget[1]
    assert mem(*shlex.split(forget[1])).returncode == 0
    again = re.search(r"`mem ([^`]+)` does it again", mem("undo", *place).stderr)
    assert again and mem(*shlex.split(again[1])).returncode == 0
    shown = mem("show", f"--db={place[1]}", "--space=work", "ZZZZZZZZ", "--json").stderr
    assert f"`mem list {told}`" in json.loads(shown)["message"]
    # Nothing is in the store that the settings name.
    assert mem("list").returncode == 1


def test_what_is_quoted_stays_as_it_is_and_no_password_is_told(mem: Run, tmp_path: Path) -> None:
    place = ("--db", str(tmp_path / "a.db"))
    text = "The bins go out by mem undo X on Monday"
    assert mem("remember", *place, text).returncode == 0
    noted = mem("remember", *place, "The bins go out by mem undo X on Thursday from now on").stderr
    assert f'"{text}"' in noted and f"mem remember --db {place[1]} --replaces" in noted
    assert "--space" not in noted
    call = Call(["list", "--db", "postgresql://ann:hunter2hunter2@db/none"], get_command(app))
    assert call.printed(message("see ", Command("list"))) == "see `mem list --db postgresql://ann@db/none`"


def test_a_message_keeps_its_commands_through_whatever_it_becomes_a_part_of() -> None:
    way = message("look (", Command("history"), "), then ", Command("restore", "ABCD", bare=True))
    error = NotFound("nothing there", left="nothing was changed", by_hand=way)
    whole = message("line 3: ", error)
    line = "line 3: nothing there; nothing was changed. Look (`mem history`), then mem restore ABCD"
    assert whole == str(whole) == line
    assert json.loads(json.dumps(whole)) == line
    call = Call(["list", "--space", "her ranch", "--", "--db", "x"], get_command(app))
    assert call.printed(whole.replace("ABCD", "WXYZ")) == (
        "line 3: nothing there; nothing was changed. Look (`mem history --space 'her ranch'`), "
        "then mem restore --space 'her ranch' WXYZ"
    )


def test_only_what_is_a_command_is_given_options() -> None:
    call = Call(["list", "--db", "/a/b.db", "--space", "s"], get_command(app))
    for text in ('"mem undo" and `mem list`', "run mem list"):
        assert call.printed(message(text)) == text
    for words, printed in (
        ("list --space t", "`mem list --space t --db /a/b.db`"),
        ("backup list", "`mem backup list --db /a/b.db`"),
        ("config list", "`mem config list`"),
        ("nonsense", "`mem nonsense`"),
    ):
        assert call.printed(message(Command(words))) == printed
    there = message(Command("undo ABCD", space="t"))
    assert there == "`mem undo ABCD --space t`"
    assert call.printed(there) == "`mem undo ABCD --db /a/b.db --space s`"
