"""What comes along when memories or spaces move, and how it goes back."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memcli.changes.relocation import move_states
from memcli.changes.time_travel import store_as_of
from memcli.changes.undo import undo_change
from memcli.errors import BadInput, NotFound
from memcli.graph import link_changes
from memcli.graph.links import link_as_of, link_statement
from memcli.memories import Memories
from memcli.model import Link, Memory, State
from memcli.storage import areas
from memcli.tiers.context import blocks
from memcli.upkeep import spaces
from tests.conftest import Run, TickingClock, make_memories


def linked(memories: Memories, said: str, evidence: Memory | None = None) -> Link:
    return link_changes.link_entities(memories, *said.split(), evidence=evidence).link


def where(memories: Memories) -> dict[str, str]:
    return {link_statement(link).split(" (")[0]: link.space for link in memories.store.links()}


@pytest.fixture
def farm(memories: Memories, own_home: Path, clock: TickingClock) -> Memories:
    """A space with a memory, a link that rests on it, one that does not, and a block."""
    farm = make_memories(own_home / "memory.db", clock, space="farm")
    hay = farm.remember("Hay is cut in June")
    linked(farm, "Hay cut_in June", hay)
    linked(farm, "Barn near House")
    blocks.put_block(farm, "note", "eggs first")
    return farm


def test_a_renamed_space_goes_back_whole(farm: Memories) -> None:
    spaces.rename_space(farm, "farm", "ranch")
    assert set(where(farm).values()) == {"ranch"}
    undone = undo_change(farm)
    assert set(where(farm).values()) == {"farm"} == {each.space for each in undone.memories}
    assert [block.text for block in blocks.blocks(farm)] == ["eggs first"]
    assert spaces.spaces(farm) == [spaces.Space("farm", 1, 1)]


def test_undoing_the_undo_of_a_rename_renames_again(farm: Memories) -> None:
    spaces.rename_space(farm, "farm", "ranch")
    undo_change(farm)
    taken_back = next(event.change for event in farm.store.history(newest_first=True))
    undo_change(farm, taken_back)
    assert spaces.spaces(farm) == [spaces.Space("ranch", 1, 1)]
    assert {state.space for state in farm.store.states()} - {"*", areas.CALIBRATIONS} == {"ranch"}


def test_what_was_added_again_stays_when_a_rename_is_undone(farm: Memories) -> None:
    spaces.rename_space(farm, "farm", "ranch")
    blocks.put_block(farm, "note", "milk first")
    undone = undo_change(farm)
    assert [block.text for block in blocks.blocks(farm)] == ["milk first"]
    assert any("ranch" in line and "note" in line for line in undone.left)


def test_a_moved_memory_takes_its_links_along_and_back(farm: Memories) -> None:
    [hay] = farm.store.select(farm.within())
    spaces.move_memories(farm, [hay], "attic")
    assert where(farm) == {"Hay cut_in June": "attic", "Barn near House": "farm"}
    undo_change(farm)
    assert set(where(farm).values()) == {"farm"}


def test_a_link_unlinked_since_it_moved_goes_back_unlinked(farm: Memories, own_home: Path) -> None:
    [hay] = farm.store.select(farm.within())
    spaces.move_memories(farm, [hay], "attic")
    with make_memories(own_home / "memory.db", farm.now, space="attic") as attic:
        link_changes.unlink_entities(attic, "Hay", "cut_in", "June")
    undo_change(farm)
    assert set(where(farm).values()) == {"farm"}
    assert [bool(link.ended_at) for link in farm.store.links()] == [True, False]


def test_undoing_the_forgetting_of_a_space_revives_its_links(farm: Memories) -> None:
    spaces.forget_space(farm, "sold")
    assert all(link.ended_at for link in farm.store.links())
    undo_change(farm)
    assert not any(link.ended_at for link in farm.store.links())


def test_no_space_is_renamed_onto_one_that_holds_only_a_block(farm: Memories, own_home: Path) -> None:
    with make_memories(own_home / "memory.db", farm.now, space="barn") as barn:
        blocks.put_block(barn, "note", "do not lose me")
        with pytest.raises(BadInput, match="barn"):
            spaces.rename_space(farm, "farm", "barn")
        assert [block.text for block in blocks.blocks(barn)] == ["do not lose me"]
    assert [space.name for space in spaces.spaces(farm)] == ["barn", "farm"]


def test_a_space_that_holds_only_links_is_listed_and_renamed(memories: Memories) -> None:
    linked(memories, "Owl nests Loft")
    assert spaces.rename_space(memories, "default", "wood") == 0
    assert where(memories) == {"Owl nests Loft": "wood"}
    with pytest.raises(NotFound):
        spaces.rename_space(memories, "nowhere", "anywhere")


def test_a_link_is_in_its_old_space_as_of_then(farm: Memories) -> None:
    then = farm.now()
    spaces.rename_space(farm, "farm", "ranch")
    with store_as_of(farm, then):
        assert set(where(farm).values()) == {"farm"}
        assert not any("changes" in link.data for link in farm.store.links())
    assert set(where(farm).values()) == {"ranch"}


def test_an_as_of_view_has_nothing_of_what_a_link_became(memories: Memories) -> None:
    memories.remember("Ann plays chess")
    first = linked(memories, "Ann knows Bob")
    then = memories.now()
    link_changes.unlink_entities(memories, "Ann", "knows", "Bob")
    with store_as_of(memories, then):
        assert list(memories.store.links()) == [first]
    [now] = memories.store.links()
    assert link_as_of(now, then) == first


def test_a_read_only_store_answers_as_of_a_day(mem: Run, own_home: Path) -> None:
    import os

    if os.name == "nt" or os.geteuid() == 0:
        pytest.skip("who is root may write everything")
    assert mem("link", "Ann", "knows", "Bob").returncode == 0
    assert mem("remember", "Ann plays chess").returncode == 0
    for path in (own_home / "data" / "memory.db", own_home / "data"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert "chess" in mem("list", "--as-of", "now").stdout
    finally:
        (own_home / "data").chmod(0o700)


def test_what_one_audit_mended_is_undone_whole(memories: Memories, mem: Run) -> None:
    for text in ("The pond is deep", "The gate is green"):
        for _ in range(2):
            assert mem("remember", "--force", text).returncode == 0
    assert mem("audit", "--fix").stdout.count("merged into") == 2
    assert mem("undo").stdout.count("undone:") == 6
    assert mem("list").stdout.count("\n") == 4


def test_an_older_export_brings_no_unlinked_link_back(mem: Run, tmp_path: Path) -> None:
    older, newer = tmp_path / "older.jsonl", tmp_path / "newer.jsonl"
    mem("link", "Ann", "knows", "Bob")
    mem("export", "-o", str(older))
    mem("unlink", "Ann", "knows", "Bob")
    mem("export", "-o", str(newer))
    assert mem("import", str(older)).returncode == 0
    assert "unlinked" in mem("graph", "Ann", "--ended").stdout
    other = ("--db", str(tmp_path / "other.db"))
    assert mem("import", str(older), *other).stdout.startswith("1 added")
    assert mem("import", str(newer), *other).stdout.startswith("1 added")
    assert "unlinked" in mem("graph", "Ann", "--ended", *other).stdout


@pytest.mark.parametrize("untrusted", [{"MEMCLI_ORIGIN": "mcp:bot"}, {}])
def test_an_untrusted_import_replaces_no_trusted_link(
    mem: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, untrusted: dict[str, str]
) -> None:
    file = tmp_path / "all.jsonl"
    mem("link", "Ann", "knows", "Bob")
    mem("export", "-o", str(file))
    file.write_text(file.read_text().replace('"confidence":1.0', '"confidence":0.1'))
    for name, value in untrusted.items():
        monkeypatch.setenv(name, value)
    done = mem("import", str(file), *([] if untrusted else ["--untrusted"]))
    assert done.returncode == 3
    assert "trusted here" in done.stderr
    assert "confidence" not in mem("graph", "Ann").stdout
    file.write_text(file.read_text().replace('"01', '"00').replace("Bob", "Cy"))
    options = [] if untrusted else ["--untrusted"]
    assert mem("import", str(file), *options).stdout.startswith("1 added")
    assert mem("import", str(file), *options).returncode == 0
    assert "Cy" in mem("graph", "Ann").stdout


def test_values_that_stay_are_told_and_those_behind_them_come(
    memories: Memories, clock: TickingClock
) -> None:
    store, then = memories.store, clock()

    def put(space: str, area: str, key: str, days: int = 0) -> None:
        at = then + timedelta(days=days)
        assert store.put_state(State(space, area, key, {"text": key}, 1, at, at), expected_version=0)

    put("old", areas.COPY.name, "/a")  # of the file, whatever the space
    for key, days in (("a", 3), ("b", 0), ("c", 0), ("d", 1)):
        put("old", areas.BLOCK.name, key, days)
    put("new", areas.BLOCK.name, "b")
    assert move_states(store, "old", "new", then + timedelta(days=1)) == ["block 'b'"]
    assert [each.key for each in store.states(("new",), areas.BLOCK.name)] == ["b", "c", "d"]
    left = [(each.area, each.key) for each in store.states(("old",))]
    assert sorted(left) == sorted([(areas.BLOCK.name, "a"), (areas.BLOCK.name, "b"), (areas.COPY.name, "/a")])
