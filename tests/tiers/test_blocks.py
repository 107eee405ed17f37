"""Blocks: small texts with a cap, whose last few versions are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.errors import BadInput, MemcliError, NotFound, Refused
from memcli.memories import Memories
from memcli.storage import areas
from memcli.tiers.context import blocks
from tests.conftest import Run, TickingClock, make_memories


def texts(memories: Memories, label: str) -> list[str | None]:
    return [version.text for version in blocks.find_block(memories, label, deleted=True).versions]


def test_a_block_is_set_and_lines_are_added(memories: Memories) -> None:
    blocks.put_block(memories, "persona", "Answers briefly", description="how to answer")
    block = blocks.put_block(memories, "persona", "in British English", append=True)
    assert block.text == "Answers briefly\nin British English" and block.description == "how to answer"
    assert blocks.put_block(memories, "new", "first line", append=True).text == "first line"
    assert [each.label for each in blocks.blocks(memories)] == ["new", "persona"]


def test_over_the_cap_is_refused_with_both_numbers_and_nothing_changes(memories: Memories) -> None:
    blocks.put_block(memories, "b", "12345", max_chars=5)
    for append in (False, True):
        with pytest.raises(BadInput, match=r"would have \d,?\d* characters, its cap is 5"):
            blocks.put_block(memories, "b", "123456" if not append else "7", append=append)
    with pytest.raises(BadInput, match="would have 5 characters, its cap is 4"):
        blocks.put_block(memories, "b", None, max_chars=4)
    with pytest.raises(BadInput, match="2,001 characters, its cap is 2,000"):
        blocks.put_block(memories, "other", "x" * 2001)
    assert texts(memories, "b") == ["12345"] and len(blocks.blocks(memories)) == 1


def test_the_cap_counts_characters_and_stays(memories: Memories) -> None:
    blocks.put_block(memories, "b", "東京タワー", max_chars=5)
    with pytest.raises(BadInput):
        blocks.put_block(memories, "b", "東京タワー!")
    blocks.put_block(memories, "b", None, max_chars=6)
    assert blocks.put_block(memories, "b", "東京タワー!").max_chars == 6


def test_the_last_few_texts_are_kept_and_come_back(memories: Memories) -> None:
    for number in range(8):
        blocks.put_block(memories, "b", str(number))
    assert texts(memories, "b") == ["2", "3", "4", "5", "6", "7"]
    assert blocks.restore_block(memories, "b").text == "6"
    assert blocks.restore_block(memories, "b").text == "7"
    assert blocks.restore_block(memories, "b", version=5).text == "4"
    with pytest.raises(NotFound, match="no earlier version 1"):
        blocks.restore_block(memories, "b", version=1)


def test_the_same_text_is_no_new_version(memories: Memories) -> None:
    blocks.put_block(memories, "b", "same")
    blocks.put_block(memories, "b", "same", description="said twice")
    assert texts(memories, "b") == ["same"]


def test_a_deleted_block_is_out_of_use_and_comes_back(memories: Memories) -> None:
    blocks.put_block(memories, "b", "text")
    blocks.delete_block(memories, "b")
    assert blocks.blocks(memories) == [] and len(blocks.blocks(memories, deleted=True)) == 1
    for act in (blocks.find_block, blocks.delete_block):
        with pytest.raises(NotFound, match="mem block restore"):
            act(memories, "b")
    assert blocks.restore_block(memories, "b").text == "text"
    assert texts(memories, "b") == ["text", None, "text"]


def test_erasing_leaves_nothing(memories: Memories) -> None:
    blocks.put_block(memories, "b", "text")
    blocks.delete_block(memories, "b")
    blocks.erase_block(memories, "b")
    assert list(memories.store.states(area=areas.BLOCK.name)) == []
    with pytest.raises(NotFound, match="no block 'b'"):
        blocks.restore_block(memories, "b")


def test_spaces_are_walls(memories: Memories, clock: TickingClock, own_home: Path) -> None:
    blocks.put_block(memories, "b", "mine")
    with make_memories(own_home / "memory.db", clock, space="work") as others:
        assert blocks.blocks(others) == []
        blocks.put_block(others, "b", "theirs")
    assert blocks.find_block(memories, "b").text == "mine"


@settings(max_examples=60)
@given(
    label=st.text(max_size=250),
    text=st.text(st.characters(codec="utf-8", exclude_characters="\x1b\x9b"), max_size=2500),
)
def test_any_text_comes_back_as_it_was_or_is_refused(memories: Memories, label: str, text: str) -> None:
    try:
        blocks.put_block(memories, label, text)
    except MemcliError as error:
        assert isinstance(error, BadInput | Refused)
    else:
        assert blocks.find_block(memories, label).text == text and len(text) <= 2000


def test_the_commands_say_what_they_do(mem: Run) -> None:
    assert mem("block", "list").returncode == 1
    assert mem("block", "set", "owner", "Ann,", "in Oslo", "--description", "who").stdout == "owner\n"
    assert mem("block", "append", "owner", "-", input="likes tea\n").returncode == 0
    assert mem("block", "show", "owner").stdout == "Ann, in Oslo\nlikes tea\n"
    [line] = mem("block", "list", "--json").stdout.splitlines()
    assert json.loads(line)["chars"] == 22 and json.loads(line)["description"] == "who"
    done = mem("block", "set", "owner", "--max-chars", "3")
    assert done.returncode == 2 and "22 characters" in done.stderr and "cap is 3" in done.stderr
    assert mem("block", "set", "owner", input="").returncode == 2
    assert mem("block", "delete", "owner").returncode == 0
    assert mem("block", "show", "owner").returncode == 1
    assert "deleted" in mem("block", "show", "owner", "--history").stdout
    assert mem("block", "restore", "owner").returncode == 0
    assert mem("block", "delete", "owner", "--erase").returncode == 2
    assert mem("block", "delete", "owner", "--erase", "--yes").returncode == 0
    assert mem("block", "restore", "owner").returncode == 1


def test_an_earlier_text_over_the_cap_is_restored_by_the_command_that_is_named(mem: Run) -> None:
    assert mem("block", "set", "ich", "Wohnt in Linz an der Donau").returncode == 0
    assert mem("block", "set", "ich", "Wohnt in Linz", "--max-chars", "15").returncode == 0
    done = mem("block", "restore", "ich")
    assert done.returncode == 2 and "mem block set ich --max-chars 26" in done.stderr
    assert mem("block", "set", "ich", "--max-chars", "26").returncode == 0
    assert mem("block", "restore", "ich").returncode == 0
    assert mem("block", "show", "ich").stdout == "Wohnt in Linz an der Donau\n"
