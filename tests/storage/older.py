"""Stores as older versions left them, and what one of them held."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.storage.sqlite.file import database_file as sqlite_file
from memcli.storage.sqlite.tables.migrations import migrations
from memcli.storage.stores import open_store

# An export with history from revision 6d4f811 (schema 4, format 1): corrections, merges, versions,
# folds, every step of consolidation, undoes, an erasure, a space renamed; and reasons that lie.
SCHEMA_4 = Path(__file__).with_name("schema_4.jsonl")


# How each memory in it ended and what took its place, by text (of a summary: length and session).
ENDED = {
    "Ann may like jazz": ("decayed", None),
    "a pebble is grey": ("pruned", None),
    "the pool opens in May": ("superseded", "the pool opens in June"),
    "the pool opens in June": ("superseded", "the pool opens in July"),
    "the lifeguard is Olu": ("merged", "Olu is the lifeguard"),
    "Olu is the lifeguard at the lake": ("merged", "Olu is the lifeguard"),
    # Ended by hand, with just such words and the id of a live memory.
    "merged into: the forged one": ("forgotten", None),
    "superseded by: the forged one": ("forgotten", None),
    "folded into: the forged one": ("forgotten", None),
    "updated by: the forged one": ("forgotten", None),
    # Replaced in fact, restored, and then forgotten with the words of then.
    "the gate is green": ("forgotten", None),
    # Merged, the merge undone, and then forgotten with its words.
    "the barn has a red door": ("forgotten", None),
    "the barn door is red": ("undone", None),
    "the ferry is late": ("undone", None),
    # The correction undone, and that undone.
    "the bus stops at six": ("superseded", "the bus stops at seven"),
    # Restored, and that undone.
    "the shop shuts at noon": ("superseded", "the shop shuts at one"),
    "deploy: first way": ("superseded", "deploy: second way"),
    "release: retired way": ("deprecated", None),
    "never deploy on Friday": ("forgotten", None),
    "turn 0: the boat 0 is tarred": ("expired", None),
    "turn 1: the boat 1 is tarred": ("expired", None),
    "summary of 2 in s": ("folded", "summary of 4 in s"),
    "turn 2: the mast 2 is oiled": ("expired", None),
    "turn 3: the mast 3 is oiled": ("expired", None),
    "night 0: the oar 0 is split": ("expired", None),
    "night 1: the oar 1 is split": ("folded", None),
    "the guest code is blue": ("expired", None),
    "the slide is shut": ("expired", None),
    "Ann lives in Berlin": ("updated", "Ann now lives in Paris"),
    "The review is on May 3": ("outweighed", None),
    "the shed is behind the house": ("merged", "The shed is behind the house. (merged)"),
    "The shed is behind the house.": ("merged", "The shed is behind the house. (merged)"),
    "The owner is a swimmer": ("unsupported", None),
}


def at(path: Path, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a store as the first migrations leave it."""
    whole = migrations()

    def some() -> object:
        del whole._migrations[version:]
        return whole

    with monkeypatch.context() as patch:
        patch.setattr("memcli.storage.sqlite.tables.migrations.migrations", some)
        patch.setattr(sqlite_file, "SCHEMA_VERSION", version)
        open_store(path).close()


def fill(path: Path, export: Path = SCHEMA_4) -> None:
    """Put the records of an export into the tables that they came from."""
    tables = {"memory": "memories", "event": "history", "link": "links", "state": "states"}
    store = sqlite3.connect(path)
    for line in export.read_text(encoding="utf-8").splitlines()[1:]:
        record = json.loads(line)
        values = {name: _column(name, value) for name, value in record.items() if name != "type"}
        names = ", ".join(values)
        marks = ", ".join(f":{name}" for name in values)
        store.execute(f"INSERT INTO {tables[record['type']]} ({names}) VALUES ({marks})", values)
    store.commit()
    store.close()


def _column(name: str, value: Any) -> Any:
    if name == "value" or isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value


def named(memory: Memory) -> str:
    """What `ENDED` calls it."""
    if memory.data.get("role") == "summary":
        return f"summary of {memory.data['turns']} in {memory.session}"
    merged = memory.source == "merged" and memory.text.startswith("The shed")
    return f"{memory.text} (merged)" if merged else memory.text


def endings(memories: Memories) -> dict[str, tuple[str | None, str | None]]:
    """How each memory of a store ended, in the shape of `ENDED`."""
    everything = list(memories.store.select(Filter(spaces=None, live=False), order="oldest"))
    names = {memory.id: named(memory) for memory in everything}
    return {
        names[each.id]: (each.ended_as, names[each.replaced_by] if each.replaced_by else None)
        for each in everything
        if each.ended_at
    }
