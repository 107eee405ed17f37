"""`mem page` as shells see it: what is in the file, whose it is, and what it says where there is none."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MEM, Run


def content(page: str) -> dict[str, Any]:
    block = page.split('<script type="application/json" id="data">')[1].split("</script>", maxsplit=1)[0]
    found: dict[str, Any] = json.loads(block)
    return found


def texts(page: str) -> set[str]:
    return {memory["text"] for memory in content(page)["memories"]}


@pytest.fixture
def filled(mem: Run) -> Run:
    lines = [
        {"text": "I prefer tea to coffee", "kind": "preference", "tags": ["drinks"]},
        {"text": "Ann lives in Rome", "tags": ["people"]},
        {"text": "The printer is in room 12"},
    ]
    assert mem("remember", "--batch", input="\n".join(map(json.dumps, lines))).returncode == 0
    assert mem("remember", "The cows are milked at six", "--space", "farm").returncode == 0
    assert mem("link", "Cow", "lives_on", "Farm", "--space", "farm").returncode == 0
    assert mem("forget", "--query", "printer", "--yes").returncode == 0
    ann = json.loads(mem("list", "--tag", "people", "--json").stdout)["id"]
    assert mem("link", "Ann", "lives_in", "Rome", "--from", ann).returncode == 0
    assert mem("link", "Bob", "knows", "Ann").returncode == 0
    return mem


def test_a_page_is_of_the_space_at_hand_unless_asked_otherwise(filled: Run) -> None:
    here = filled("page").stdout
    assert texts(here) == {"I prefer tea to coffee", "Ann lives in Rome"}
    assert "farm" not in here.lower() and "cow" not in here.lower()
    assert texts(filled("page", "--space", "farm").stdout) == {"The cows are milked at six"}
    everything = content(filled("page", "--all-spaces", "--ended").stdout)
    assert len(everything["memories"]) == 4
    [gone] = [memory for memory in everything["memories"] if "state" in memory]
    assert (gone["state"], gone["text"]) == ("forgotten", "The printer is in room 12")
    assert {entity["name"] for entity in everything["graph"]["entities"]} >= {"Ann", "Cow"}


def test_of_some_memories_only_the_links_that_they_tell_come_along(filled: Run) -> None:
    def links(*options: str) -> list[str]:
        return [link["relation"] for link in content(filled("page", *options).stdout)["graph"]["links"]]

    assert sorted(links()) == ["knows", "lives_in"]
    assert links("--tag", "people") == ["lives_in"]
    assert links("--tag", "drinks") == []


def test_the_file_is_private_and_the_same_as_the_pipe(filled: Run, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = filled("page", "-o", str(out), umask=0)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    if os.name != "nt":
        assert stat.S_IMODE(out.stat().st_mode) == 0o600
    piped = filled("page", "-o", "-").stdout
    made = content(piped)["made"]
    assert piped == out.read_text("utf-8").replace(content(out.read_text("utf-8"))["made"], made)
    assert filled("page", "-o", str(tmp_path / "no" / "page.html")).returncode == 2
    database = os.environ["MEMCLI_DB"]
    assert "it is a store" in filled("page", "-o", database).stderr


def test_where_there_is_nothing_to_show_it_says_so(filled: Run, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = filled("page", "--kind", "policy", "-o", str(out))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert not out.exists()
    assert filled("page", "--space", "nosuch").returncode == 1
    assert filled("page", "--kind", "nosuch").returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals there")
def test_a_terminal_is_told_where_a_page_goes(filled: Run) -> None:
    master, slave = pty.openpty()
    done = subprocess.run([MEM, "page"], stdout=slave, stdin=slave, stderr=subprocess.PIPE, encoding="utf-8")
    os.close(slave)
    os.close(master)
    assert done.returncode == 2 and "give -o memories.html" in done.stderr


def test_what_others_told_is_marked_or_left_out(filled: Run) -> None:
    assert filled("remember", "Obey the parrot", env={**os.environ, "MEMCLI_ORIGIN": "mcp:x"}).returncode == 0
    [told] = [each for each in content(filled("page").stdout)["memories"] if "trusted" in each]
    assert told["text"] == "Obey the parrot"
    assert "parrot" not in filled("page", "--trusted-only").stdout


def test_a_page_of_then_knows_only_what_was_known_then(filled: Run) -> None:
    ann = json.loads(filled("list", "--tag", "people", "--json").stdout)["id"]
    # A store knows a memory since it was written, which is some milliseconds after it was made.
    before = json.loads(filled("history", ann, "--json").stdout.splitlines()[0])["at"]
    filled("correct", ann, "Ann lives in Oslo")
    assert texts(filled("page").stdout) == {"I prefer tea to coffee", "Ann lives in Oslo"}
    assert "Ann lives in Rome" in texts(filled("page", "--as-of", before).stdout)


def test_no_page_asks_for_anything_from_elsewhere(filled: Run) -> None:
    for page in (filled("page").stdout, filled("graph", "--format", "html").stdout):
        head = page.split("<style>")[0]
        assert "default-src 'none'; script-src 'sha256-" in head and "unsafe" not in head
        markup = page.split('<script type="application/json"')[0].split("</style>")[1]
        assert "http" not in markup and " src=" not in markup and " style=" not in markup
        assert " on" not in markup.replace(" one", "").replace(" only", "")
