"""An import that is taken back: what stays is told, and so is what a second import finds ended."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Run


def test_what_an_undone_import_leaves_is_told_and_what_the_next_one_finds_ended(
    mem: Run, own_home: Path
) -> None:
    mem("remember", "The doctor is open on Mondays")
    mem("block", "set", "me", "I live in Lyon")
    export = own_home / "all.jsonl"
    export.write_text(mem("export").stdout)
    other = ("--db", str(own_home / "other.db"))
    assert mem("import", str(export), *other).returncode == 0
    done = mem("undo", *other)
    assert done.returncode == 0 and "beside memories (links, blocks" in done.stderr
    assert "Lyon" in mem("block", "list", *other).stdout
    again = mem("import", str(export), *other)
    assert "1 of the unchanged was ended here since" in again.stderr and "mem restore" in again.stderr
    [ended] = json.loads(mem("import", str(export), "--json", *other).stdout)["ended"]
    assert mem("restore", ended, *other).returncode == 0
    assert not mem("import", str(export), *other).stderr


def test_of_memories_alone_an_undone_import_leaves_nothing(mem: Run, own_home: Path) -> None:
    mem("remember", "The doctor is open on Mondays")
    export = own_home / "all.jsonl"
    export.write_text(mem("export").stdout)
    other = ("--db", str(own_home / "other.db"))
    mem("import", str(export), *other)
    assert "left as it is" not in mem("undo", *other).stderr


def test_where_nothing_could_be_taken_back_the_way_to_earlier_changes_is_told(mem: Run) -> None:
    first = mem("remember", "The doctor is open on Mondays").stdout.strip()
    change = json.loads(mem("history", first, "--json").stdout.splitlines()[0])["change"]
    mem("correct", first, "The doctor is open on Tuesdays")
    done = mem("undo", change)
    assert done.returncode == 1 and "`mem undo CHANGE` takes an earlier change back" in done.stderr


def test_what_an_import_from_elsewhere_finds_ended_is_told_with_the_way_back(
    mem: Run, own_home: Path
) -> None:
    table, notes = own_home / "o.csv", own_home / "notes.md"
    table.write_text('text\n"The doctor is open on Mondays"\n"The bins are emptied on Tuesdays"\n')
    notes.write_text("# House\n\n- The boiler was serviced in May\n")
    for file, number in ((table, 2), (notes, 1)):
        assert mem("import", str(file)).returncode == 0
        assert mem("undo").returncode == 0
        for more in ([], ["--force"], ["--dry-run"]):
            again = mem("import", str(file), *more)
            verb = "was" if number == 1 else "were"
            assert f"{number} of the known {verb} ended here since; `mem restore " in again.stderr, more
        ended = json.loads(mem("import", str(file), "--json").stdout)["ended"]
        assert len(ended) == number and mem("restore", *ended).returncode == 0
        assert "ended here" not in mem("import", str(file)).stderr
