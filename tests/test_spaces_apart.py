"""Spaces are walls: two spaces with the same texts, and no command tells or touches the other's."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli.changes import revision, undo
from memcli.changes.provenance import provenance_of
from memcli.changes.space_history import events_in_space
from memcli.changes.time_travel import store_as_of
from memcli.errors import BadInput, NotFound, Refused
from memcli.graph import link_changes
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.upkeep import spaces
from memcli.upkeep.audit import AUDIT_CHECKS, audit_memories
from memcli.upkeep.statistics import store_statistics
from memcli.write_policy import review
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run, TickingClock, make_memories
from tests.erasure import erase_memories

TEXTS = ("the lighthouse keeper is called Ingrid", "the ferry leaves at nine", "I prefer rye bread")


@pytest.fixture
def two(own_home: Path, clock: TickingClock) -> Iterator[tuple[Memories, Memories]]:
    """Two spaces of one store, each filled with the same."""
    path = own_home / "memory.db"
    with make_memories(path, clock, space="mine") as mine, make_memories(path, clock, space="theirs") as his:
        for memories in (mine, his):
            fill(memories)
        yield mine, his


def fill(memories: Memories) -> None:
    one, two, _ = [memories.remember(text) for text in TEXTS]
    old = memories.remember("the harbour has four cranes")
    revision.correct_memory(memories, old, "the harbour has five cranes", WriteOptions())
    memories.remember(Draft(text="Ingrid may retire", source="inferred", confidence=0.3))
    link_changes.link_entities(memories, "Ingrid", "keeps", "lighthouse", evidence=one)
    revision.doubt_memory(memories, two, "heard it from a gull")
    memories.recall("ferry")


def ids_in(memories: Memories) -> set[str]:
    """Every id by which something of a space could be told apart."""
    where = Filter(spaces=(memories.space,), live=False)
    found = {memory.id for memory in memories.store.select(where)}
    found |= {link.id for link in memories.store.links((memories.space,))}
    found |= {state.key for state in memories.store.states((memories.space,)) if len(state.key) == 26}
    return found | {event.change or "-" for event in events_in_space(memories, memories.store.history())}


def content(memories: Memories) -> list[Any]:
    """All that a space holds, as rows."""
    here = (memories.space,)
    return [
        list(memories.store.select(Filter(spaces=here, live=False), order="oldest")),
        list(memories.store.links(here)),
        list(memories.store.states(here)),
        list(events_in_space(memories, memories.store.history())),
    ]


def one_of(memories: Memories, text: str = TEXTS[1]) -> Memory:
    where = Filter(spaces=(memories.space,), live=False)
    return next(each for each in memories.store.select(where) if each.text == text)


def test_an_id_means_a_memory_of_this_space_only(two: tuple[Memories, Memories]) -> None:
    mine, his = two
    wanted = one_of(his)
    for fragment in (wanted.id, wanted.id[-8:], wanted.id[:20], wanted.id.lower()):
        with pytest.raises(NotFound) as hidden:
            mine.find(fragment)
        with pytest.raises(NotFound) as absent:
            mine.find("ZZZZZZZZ"[: len(fragment)])
        assert wanted.text not in str(hidden.value)
        told = str(hidden.value).replace(repr(fragment), "X"), str(absent.value).replace("'ZZZZZZZZ'", "X")
        assert told[0] == told[1]
    assert mine.find(wanted.id, mine.within(spaces=None)) == wanted
    with pytest.raises(NotFound):
        admit_drafts(mine, mine.model, [Draft(text="the ferry leaves at ten", supersedes=wanted.id)])


def test_many_of_another_space_hide_none_and_make_nothing_ambiguous(
    own_home: Path, clock: TickingClock
) -> None:
    path = own_home / "memory.db"
    with make_memories(path, clock, space="theirs") as his, make_memories(path, clock, space="mine") as mine:
        his.remember_all([Draft(text=f"their number {n}", kind="episode") for n in range(9)])
        kept = mine.remember("the only one of mine")
        assert mine.find(kept.id[:4]) == kept
        mine.remember("another one here")
        with pytest.raises(BadInput) as several:
            mine.find(kept.id[:4])
        assert "their" not in str(several.value)


def test_undo_takes_back_the_last_change_of_this_space(two: tuple[Memories, Memories]) -> None:
    mine, his = two
    revision.edit_memory(mine, one_of(mine), tags=["early"])
    revision.edit_memory(his, one_of(his), tags=["late"])
    erase_memories(his, [one_of(his, TEXTS[0])], "nobody's business")
    before = content(his)
    undone = undo.undo_change(mine)
    assert undone.action == "edit" and one_of(mine).tags == () and content(his) == before
    named = next(
        event
        for event in events_in_space(his, his.store.history(newest_first=True))
        if event.action == "edit"
    )
    for name in (named.change or "", str(named.number)):
        with pytest.raises(NotFound):
            undo.undo_change(mine, name)
    assert content(his) == before
    with pytest.raises(Refused, match="cannot be undone"):
        undo.undo_change(his)


def test_a_move_is_undone_from_where_it_left(two: tuple[Memories, Memories]) -> None:
    mine, _ = two
    moved = one_of(mine)
    spaces.move_memories(mine, [moved], "theirs")
    assert [each.id for each in undo.undo_change(mine).memories] == [moved.id]
    assert mine.find(moved.id).space == "mine"


def test_a_chain_ends_at_the_wall(two: tuple[Memories, Memories]) -> None:
    mine, _ = two
    old = one_of(mine, "the harbour has four cranes")
    new = one_of(mine, "the harbour has five cranes")
    assert mine.current_version(old) == new
    spaces.move_memories(mine, [new], "theirs")
    with pytest.raises(BadInput, match="was ended"):
        revision.correct_memory(mine, old, "the harbour has six cranes", WriteOptions())
    assert provenance_of(mine, mine.find(old.id)).superseded_by is None


def test_what_is_counted_is_of_this_space(two: tuple[Memories, Memories], clock: TickingClock) -> None:
    mine, his = two
    then = clock.instant
    erase_memories(his, [one_of(his)])
    figures = store_statistics(mine)
    assert figures["memories"] == 4 and figures["by_space"] == {"mine": 4}
    assert store_statistics(mine, all_spaces=True)["by_space"] == {"mine": 4, "theirs": 3}
    with store_as_of(mine, then) as (_, incomplete):
        assert incomplete is None
    with store_as_of(his, then) as (_, incomplete):
        assert incomplete and "1 " in incomplete
    with store_as_of(mine, then, all_spaces=True) as (_, incomplete):
        assert incomplete


def test_what_was_erased_is_told_where_it_was(two: tuple[Memories, Memories]) -> None:
    mine, his = two
    gone = one_of(his)
    erase_memories(his, [gone], "nobody's business")
    assert not [event for event in events_in_space(mine, mine.store.history()) if event.action == "erase"]
    [event] = [event for event in events_in_space(his, his.store.history()) if event.memory == gone.id]
    assert event.action == "erase" and "theirs" not in json.dumps(event.after)


def test_erasing_leaves_the_same_text_of_another_space_alone(two: tuple[Memories, Memories]) -> None:
    mine, his = two
    kept = [content(his), [each.memory.text for each in review.list_held(his)]]
    receipt = erase_memories(mine, list(mine.store.select(mine.within(live=False, at=None))))
    assert receipt.verified and receipt.shared_outside
    assert [content(his), [each.memory.text for each in review.list_held(his)]] == kept
    assert not ids_in(his) & set(json.dumps(receipt.to_record()).split('"'))


@pytest.mark.parametrize("check", AUDIT_CHECKS)
def test_no_check_of_the_audit_looks_over_the_wall(two: tuple[Memories, Memories], check: str) -> None:
    mine, his = two
    with sqlite3.connect(mine.store.location) as plain:
        plain.execute("DELETE FROM vectors")
    foreign = ids_in(his)
    for issue in audit_memories(mine, (check,)):
        assert not foreign & set(issue.ids), issue


# Every command, by hand

COMMANDS = (
    "show {his}", "why {his}", "history {his}", "history", "edit {his} --tag x", "forget {his}",
    "forget {his} --hard --yes", "restore {his}", "correct {his} nonsense", "confirm {his}", "doubt {his}",
    "merge {his} {mine}", "merge {mine} {mine2} --keep {his}", "similar {his}", "similar {mine}",
    "recall --like {his}", "recall ferry --json", "recall ferry", "list", "list --ended --json",
    "stats --json", "audit --json", "review list", "review accept {held}",
    "review reject {held}", "link a b c --from {his}",
    "space move elsewhere {his}", "remember the ferry sinks --supersedes {his}", "export --space mine",
    "forget --query ferry --yes", "forget --tag shared --yes", "forget --before 2099-01-01 --dry-run",
    "undo {change}", "session list", "context", "profile", "graph list", "log note x --resolves {his}",
    "page", "page --ended", "graph --format svg", "graph --format html", "graph --format canvas",
    "forget --all --hard --yes --json", "undo", "history --json", "space export mine",
)  # fmt: skip


def test_no_command_tells_or_touches_what_is_behind_the_wall(
    mem: Run, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_RECALL_LOG", "query")
    here, there = ("--space", "mine"), ("--space", "theirs")
    lines = "\n".join(json.dumps({"text": text, "tags": ["shared"]}) for text in TEXTS)
    inferred = ("remember", "Ingrid may retire", "--source", "inferred", "--confidence", "0.2")
    for space in (here, there):
        mem("remember", "--batch", *space, input=lines)
        mem(*inferred, *space)
        mem("link", "Ingrid", "keeps", "lighthouse", *space)
        mem("recall", "ferry", *space)
    named = {
        "his": json.loads(mem("list", "--json", *there).stdout.splitlines()[0])["id"],
        "held": json.loads(mem("review", "list", "--json", *there).stdout)["id"],
        "change": json.loads(mem("history", "--json", *there).stdout.splitlines()[0])["change"],
    }
    own = [json.loads(line)["id"] for line in mem("list", "--json", *here).stdout.splitlines()]
    names = {**named, "mine": own[0], "mine2": own[1]}
    monkeypatch.setenv("MEMCLI_SPACE", "mine")
    with make_memories(own_home / "data" / "memory.db", TickingClock(), space="theirs") as his:
        foreign = {name[-8:] for name in ids_in(his) | set(named.values())}
        before = content(his)
        for line in COMMANDS:
            asked = [word.format(**names) for word in line.split()]
            done = mem(*asked)
            given = {word[-8:] for word in asked}
            told = done.stdout + done.stderr
            assert "Traceback" not in told, line
            assert not [name for name in foreign - given if name in told], (line, told)
            if "{his}" in line or "{held}" in line or "{change}" in line:
                assert done.returncode in (1, 2) and not done.stdout, (line, told)
                assert not any(text in done.stderr for text in TEXTS), (line, told)
            assert content(his) == before, line
    assert mem("list", *there).stdout.count("\n") == 3


def test_with_the_space_named_everything_can_be_done(mem: Run) -> None:
    there = ("--space", "farm")
    ident = mem("remember", "the cow is brown", *there).stdout.strip()
    other = mem("remember", "the barn door is red", *there).stdout.strip()
    for command in ("show", "why", "history"):
        assert mem(command, ident).returncode == 1
        assert ident in mem(command, ident, "--json", *there).stdout
        assert ident in mem(command, ident, "--json", "--all-spaces").stdout
    assert mem("similar", ident, *there).returncode == 0
    assert mem("edit", ident, "-t", "cow", *there).returncode == 0
    for command in ("doubt", "confirm", "forget", "restore"):
        assert mem(command, ident, *there).returncode == 0, command
    merged = mem("merge", ident, other, *there)
    assert merged.returncode == 0
    assert mem("correct", ident, "the cow is white", *there).returncode == 0
    assert json.loads(mem("stats", "--json", *there).stdout)["memories"] == 1
    assert json.loads(mem("stats", "--json").stdout)["memories"] == 0


def test_a_recall_of_all_spaces_says_of_each_memory_where_it_is(mem: Run) -> None:
    mem("remember", "the cow is brown", "--space", "a farm")
    mem("remember", "the cow of the logo is white")
    block = mem("recall", "which colour is the cow?", "--all-spaces").stdout
    assert (
        'space="*"' in block and ", space a farm] the cow is brown" in block and ", space default] " in block
    )
    lines = mem("recall", "which colour is the cow?", "--all-spaces", "--format", "text").stdout
    assert "the cow is brown  (space a farm)" in lines
    # What is of another space is none of this one's texts.
    for printed in (block, next(each for each in lines.splitlines() if "space default" in each)):
        assert mem("remember", "-", input=printed).returncode == 3
    assert "space default]" not in mem("recall", "which colour is the cow?").stdout


def test_an_export_says_which_spaces_it_is_of(mem: Run, tmp_path: Path) -> None:
    mem("remember", "the cow is brown", "--space", "farm")
    assert mem("export").stderr == ""
    mem("remember", "the cat is black")
    everything = mem("export", "--history")
    assert "default, farm" in everything.stderr and everything.stdout.count('"type":"memory"') == 2
    assert mem("export", "--all-spaces", "--history").stderr == ""
    assert mem("export", "--space", "farm").stdout.count('"type":"memory"') == 1
    out = tmp_path / "none.jsonl"
    for nothing in (("export", "--space", "nosuch", "-o", str(out)), ("space", "export", "nosuch")):
        done = mem(*nothing)
        assert done.returncode == 1 and done.stdout == "" and "nosuch" in done.stderr
    assert not out.exists()
    whole = tmp_path / "all.jsonl"
    mem("export", "--history", "-o", str(whole))
    assert mem("--db", str(tmp_path / "copy.db"), "import", str(whole)).returncode == 0
    assert mem("--db", str(tmp_path / "copy.db"), "export", "--history").stdout == whole.read_text()
    assert mem("export", "--space", "farm", "--all-spaces").returncode == 2


@pytest.mark.parametrize("name", ["", "  ", "*"])
def test_an_empty_space_is_no_space(mem: Run, name: str) -> None:
    """An unset variable must not turn `forget --all --space "$X"` on the default space."""
    mem("remember", "the cat is black")
    for command in (("list",), ("forget", "--all", "--yes"), ("remember", "x y z"), ("export",)):
        assert mem(*command, "--space", name).returncode == 2
    assert mem("list").stdout.count("\n") == 1
