"""What another machine's change files tell is checked line by line; what is left out is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import BadInput
from memcli.graph import link_changes
from memcli.memories import Memories
from memcli.sync.files.folder import Folder
from memcli.sync.inbound import SegmentImporter
from memcli.sync.outbound import Audience
from memcli.sync.records.lines import event_line, event_of, noun_of, record_line, record_of
from memcli.sync.records.merge import Record
from memcli.sync.records.registers import LINK, MEMORY, link_registers, memory_registers
from memcli.sync.run import sync_folder
from tests.erasure import erase_memories
from tests.guards.exchanged import SAID, SECRET

MAX_TEXT = 10_000


def stamped(kind: str, key: str, fields: dict[str, Any]) -> Record:
    return Record(kind, key, fields, dict.fromkeys(fields, 1))


def taken(memories: Memories, *lines: str) -> SegmentImporter:
    taker = SegmentImporter(memories, "folder", Audience())
    taker.take(lines, "one.changes")
    return taker


def test_an_end_that_is_none_is_no_record(memories: Memories) -> None:
    kept = memories.remember(SAID)
    line = json.loads(record_line(stamped(MEMORY, kept.id, memory_registers(kept)), "default"))
    line["fields"]["end:x"] = None
    assert record_of(line).key == kept.id
    ends: list[Any] = ["gone", [], {"at": 1}]
    for end in ends:
        line["fields"]["end:x"] = end
        with pytest.raises(BadInput, match="an end is none"):
            record_of(line)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("subject", " "), ("relation", "x" * 201), ("object", 7), ("space", ""), ("confidence", 2),
        ("evidence", [7]), ("data.n", [float("nan")]),
    ],
)  # fmt: skip
def test_a_link_that_no_store_could_hold_comes_from_no_machine(
    memories: Memories, field: str, value: Any
) -> None:
    link = link_changes.link_entities(memories, "Bob", "keeps", "geese").link
    fields = link_registers(link)
    assert noun_of(stamped(LINK, link.id, fields), MAX_TEXT) == link
    for key, told in ((link.id, {**fields, field: value}), ("short", fields)):
        with pytest.raises(BadInput):
            noun_of(stamped(LINK, key, told), MAX_TEXT)


def test_a_line_of_history_that_could_not_be_undone_is_none(memories: Memories) -> None:
    kept = memories.remember(SAID)
    [event] = memories.store.history(kept.id)
    line = json.loads(event_line(event, "default"))
    assert event_of(line)._replace(number=event.number) == event
    with pytest.raises(BadInput):
        event_of({**line, "after": {"confidence": 9}})


def test_what_is_left_out_is_counted_and_named(memories: Memories) -> None:
    kept, gone = memories.remember("the owl hoots"), memories.remember(SAID)
    [event] = memories.store.history(kept.id)
    erase_memories(memories, [gone])
    quoting = event_line(event._replace(reason=f"Ann wrote: {SAID}", change="x", action="edit"), "default")
    fields = link_registers(link_changes.link_entities(memories, "Bob", "keeps", "geese").link)
    memories.store.drop_links([link.id for link in memories.store.links()])
    secret = stamped(LINK, memories.new_id(memories.now()), {**fields, "object": SECRET})
    for line, place in (
        ("{", "line 2"), (record_line(secret, "default"), "link"), (quoting, f"history of {kept.id}"),
    ):  # fmt: skip
        taker = taken(memories, line)
        [said] = taker.taken.refused
        assert place in said and SECRET not in said and taker.taken.left_out == 1
    assert [*memories.store.history(kept.id)] == [event]
    assert not [*memories.store.links()]


def test_a_folder_that_is_not_there_is_synced_with_by_no_machine(memories: Memories, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such folder"):
        sync_folder(memories, Folder(tmp_path / "unplugged"))
