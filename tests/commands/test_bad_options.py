"""Numbers and times that are none: one clear line, exit 2, and nothing done."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from memcli.commands.terminal import filters
from memcli.commands.terminal.values import period_options
from memcli.errors import BadInput
from memcli.memories import Memories
from tests.conftest import Run

TIMES = ("", "  ", "soonish", "2026-13-01", "99999-01-01", "999999999999d ago", "nan", "-1")
SHARES = ("nan", "-nan", "inf", "-0.1", "1.01", "1e999", "", " ", "much")


@pytest.mark.parametrize("text", TIMES)
def test_what_is_no_time_is_told(memories: Memories, text: str) -> None:
    for asked in ({"since": text}, {"until": text}):
        with pytest.raises(BadInput):
            filters.filter_options(memories, **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, 1.01])
def test_what_is_no_share_is_told(memories: Memories, value: float) -> None:
    for asked in ({"min_confidence": value}, {"min_importance": value}):
        with pytest.raises(BadInput, match="0 to 1"):
            filters.filter_options(memories, **asked)  # type: ignore[arg-type]


def test_a_period_runs_forward(memories: Memories) -> None:
    now = memories.now()
    with pytest.raises(BadInput, match="swap"):
        filters.filter_options(memories, since="2026-03-01", until="2026-02-28")
    for same in ("2026-03-01", "today", "2026"):
        first, last = period_options(same, same, now)
        assert first and last and first < last
    assert period_options(None, "yesterday", now)[0] is None
    assert period_options("in 2 weeks", None, now)[1] is None


def test_names_are_not_empty(memories: Memories) -> None:
    for asked in ({"tags": [""]}, {"sessions": ["  "]}, {"kinds": [""]}, {"sources": ["rumour"]}):
        with pytest.raises(BadInput):
            filters.filter_options(memories, **asked)  # type: ignore[arg-type]


COMMANDS = (
    ("recall tea --min-score", SHARES), ("list --min-confidence", SHARES), ("edit {id} --importance", SHARES),
    ("remember x y z --confidence", SHARES), ("list --since", TIMES), ("forget --yes --before", TIMES),
    ("edit {id} --until", TIMES), ("remember x y z --ttl", (*TIMES, "0s", "9" * 400 + "d")),
    ("show {id} --as-of", TIMES), ("list -n", ("0", "-1", "", "x", "1.5")),
)  # fmt: skip


@pytest.mark.parametrize(("line", "values"), COMMANDS)
def test_by_hand(mem: Run, line: str, values: tuple[str, ...]) -> None:
    ident = mem("remember", "I prefer tea to coffee").stdout.strip()
    *words, option = line.format(id=ident).split()
    before = mem("list", "--json").stdout
    for value in (values[0], values[-1], values[2]):
        given = [f"{option}={value}"] if option.startswith("--") else [option, value]
        done = mem(*words, *given)
        assert done.returncode == 2 and done.stdout == "", (line, value, done)
        assert done.stderr.count("\n") == 1, (line, value, done.stderr)
    assert mem("list", "--json").stdout == before


TOLD = (
    ("history -n abc", "'-n' / '--limit': 'abc' is not a whole number of at least 1 "),
    ("recall tea -n 0", "'-n' / '--limit': 0 is not a whole number of at least 1 "),
    ("recall tea --expand 99", "'--expand': 99 is not a whole number from 0 to 20 "),
    ("recall tea --min-score much", "'--min-score': 'much' is not a number from 0 to 1 "),
    ("remember tea --confidence much", "'--confidence': 'much' is not a number from 0 to 1 "),
    ("consolidate --max-seconds x", "'--max-seconds': 'x' is not a number of at least 0 "),
    ("list --since soonish", "--since: not a time: 'soonish'; write a date"),
    ("list --until=", "--until: not a time: ''; write a date"),
    ("recall tea --as-of soonish --json", "--as-of: not a time: 'soonish'; write a date"),
    ("log tea --at=soonish", "--at: not a time: 'soonish'; write a date"),
    ("remember tea --ttl soonish", "--ttl: not a length of time: 'soonish'; write 90s"),
    ("list --since=999999999999d", "--since: not a time: '999999999999d'; write a date"),
)  # fmt: skip


@pytest.mark.parametrize(("line", "said"), TOLD)
def test_the_option_is_named_with_what_was_given_and_what_is_wanted(mem: Run, line: str, said: str) -> None:
    mem("remember", "I prefer tea to coffee")
    done = mem(*line.split())
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, done


def test_a_huge_number_of_results_is_all_of_them(mem: Run) -> None:
    ident = mem("remember", "I prefer tea to coffee").stdout.strip()
    mem("remember", "I prefer tea to water")
    huge = "9" * 30
    for line in (("list",), ("history",), ("similar", ident), ("recall", "tea")):
        done = mem(*line, "-n", huge)
        assert done.returncode == 0 and done.stdout, line


# A look changes nothing


LOOKS = (
    "remember the cat is black --dry-run", "correct {one} I prefer cocoa --dry-run",
    "merge {one} {two} --dry-run", "forget --tag t --dry-run", "forget --all --hard --dry-run",
    "forget --query tea --dry-run", "space move farm --all --dry-run", "space forget default --dry-run",
    "session clear s --dry-run", "consolidate --dry-run", "unlink Ann knows Bob --dry-run",
)  # fmt: skip


def test_a_dry_run_leaves_the_store_as_it_is(mem: Run, own_home: Path) -> None:
    one = mem("remember", "I prefer tea to coffee", "--tag", "t").stdout.strip()
    two = mem("remember", "tea grows on hills", "--session", "s").stdout.strip()
    mem("link", "Ann", "knows", "Bob")
    path = own_home / "data" / "memory.db"

    def dump() -> list[str]:
        with sqlite3.connect(path) as plain:
            return [line for line in plain.iterdump() if "word_index" not in line]

    before = dump()
    for line in LOOKS:
        done = mem(*line.format(one=one, two=two).split())
        assert done.returncode in (0, 1), (line, done)
        assert dump() == before, line


@pytest.mark.parametrize("line", LOOKS)
def test_a_dry_run_makes_no_store(mem: Run, own_home: Path, line: str) -> None:
    done = mem(*line.format(one="ABCD", two="EFGH").split())
    assert not (own_home / "data").exists()
    assert done.returncode == (0 if line.startswith("remember") else 1), done


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--space", "work", "recall", "tea"), "mem recall --space"),
        (("--space", "list", "recall", "tea"), "mem recall --space"),
        (("--space=work", "list"), "mem list --space"),
        (("--words", "recall", "tea"), "mem recall --words"),
        (("task", "--space", "work", "show"), "mem task show --space"),
        (("--mystery", "recall", "tea"), "No such option: --mystery"),
    ],
)
def test_an_option_before_its_command_is_told_its_place(mem: Run, words: tuple[str, ...], said: str) -> None:
    done = mem(*words)
    assert done.returncode == 2 and said in done.stderr


def test_a_dry_run_of_a_batch_decides_without_a_store(mem: Run, own_home: Path) -> None:
    lines = '{"text": "the cat is black"}\nmy password is hunter2-XyZ!9\n'
    done = mem("remember", "--batch", "--dry-run", "--json", input=lines)
    assert [json.loads(line)["decision"]["action"] for line in done.stdout.splitlines()][:1] == ["take"]
    assert not (own_home / "data").exists()


@pytest.mark.parametrize(
    "call",
    [("sync", ""), ("backup", "create", ""), ("merge-store", ""), ("export", "-o", ""), ("--db", "", "list")],
)
def test_an_empty_path_is_an_unset_variable_and_not_the_folder_at_hand(
    mem: Run, own_home: Path, tmp_path: Path, call: tuple[str, ...]
) -> None:
    assert mem("remember", "tea").returncode == 0
    done = mem(*call, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["remember", "recall"])
@pytest.mark.parametrize("text", ["- buy oat milk", "--json is the flag for machines", "-what port?"])
def test_a_text_that_begins_like_an_option_is_told_how_to_be_given(mem: Run, command: str, text: str) -> None:
    done = mem(command, text)
    assert done.returncode == 2 and f"{text!r} begins like an option; put -- before" in done.stderr
    assert f"mem {command} --help" in done.stderr


def test_an_option_without_its_value_names_the_help_of_its_command(mem: Run) -> None:
    assert "(see `mem forget --help`)" in mem("forget", "--query").stderr


def test_a_dry_run_of_an_import_tells_of_a_file_that_is_not_there(mem: Run, tmp_path: Path) -> None:
    done = mem("import", str(tmp_path / "nope.json"), "--dry-run")
    assert done.returncode == 2 and "nope.json: cannot be read (No such file or directory)" in done.stderr
