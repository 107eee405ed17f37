"""Times of other programs: read in the forms that there are; what is none is told, and is not today."""

from __future__ import annotations

import json
import os
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memcli.importers import fields
from memcli.importers.records import UnreadTime, known
from memcli.memories import Memories
from memcli.model import Filter
from tests.conftest import Run
from tests.importers.files import carry, chatgpt_conversation, chatgpt_message, folder, json_lines

_LONG_AGO = 1_500_000_000


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2024-02-03", "2024-02-03"), ("2024/02/03 10:00", "2024-02-03"), ("2024-02", "2024-02-01"),
        ("2024-02-03 10:00:00 UTC", "2024-02-03"), ("2024-02-03T23:00:00 -0500", "2024-02-04"),
        ("2024-02-03T10:00:00.123456789Z", "2024-02-03"), (1.7e9, "2023-11-14"), (1.7e12, "2023-11-14"),
        ("1700000000", "2023-11-14"),
    ],
)  # fmt: skip
def test_the_forms_of_a_time(value: object, day: str) -> None:
    found = fields.told_time("at", value)
    assert isinstance(found, datetime) and found.isoformat()[:10] == day


@pytest.mark.parametrize("value", ["yesterday", "9999-99-99", "31/12/2024", -5, True, ["2024"], 1e30])
def test_what_is_no_time_is_handed_over_as_it_stands(value: object) -> None:
    found = fields.told_time("at", value)
    assert isinstance(found, UnreadTime) and found.told.startswith("at: ")


@pytest.mark.parametrize("value", [None, "", " ", "null", 0, 0.0, False, [], "n/a", "0001-01-01T00:00:00Z"])
def test_nothing_is_no_unread_time(value: object) -> None:
    assert fields.told_time("at", value) is None


def test_the_nearest_known_stands_in_for_what_is_none() -> None:
    record = {"created": "once", "date": "2024-02-03"}
    found = fields.when(record, "created", "date")
    assert isinstance(found, UnreadTime) and known(found) == fields.instant("2024-02-03")
    assert fields.when(record, "date", "created") == fields.instant("2024-02-03")
    assert fields.when(record, "none") is None and fields.when(3, "x") is None


_TALK = [
    chatgpt_message("u", "user", "Hello there", at="once"),  # type: ignore[arg-type]
    chatgpt_message("a", "assistant", "Good day", at="then"),  # type: ignore[arg-type]
]
_CLAUDE = {"uuid": "c", "name": "x", "created_at": "once", "chat_messages": [
    {"uuid": "m", "sender": "human", "text": "Hello there", "created_at": "then"}]}  # fmt: skip
_CODE = {
    "type": "user",
    "uuid": "u",
    "sessionId": "s",
    "timestamp": "once",
    "message": {"content": "Hello there"},
}
_EVENT = {
    "timestamp": "once",
    "type": "event_msg",
    "payload": {"type": "user_message", "message": "Hello there"},
}
_CURSOR = {"role": "user", "message": {"content": [
    {"type": "text", "text": "<timestamp>once</timestamp><user_query>Hello</user_query>"}]}}  # fmt: skip
_MCP = {
    "export_metadata": {},
    "memories": [{"content": "Ann rows", "content_hash": "h", "created_at": "once"}],
}
_LETTA = {
    "agents": [{"name": "a", "messages": [{"role": "user", "content": "Hello there", "created_at": "once"}]}]
}
_FILES: tuple[tuple[str, str, Any], ...] = (
    ("chatgpt", "conversations.json", [chatgpt_conversation(1, _TALK, create_time="x", update_time="y")]),
    ("claude", "conversations.json", [_CLAUDE]),
    ("claude-code", "s.jsonl", _CODE), ("codex", "rollout-1.jsonl", _EVENT), ("cursor", "s.jsonl", _CURSOR),
    ("mem0", "m.json", [{"memory": "Ann rows", "user_id": "u", "created_at": "once"}]),
    ("mcp-memory-service", "m.json", _MCP), ("letta", "a.af", _LETTA),
    ("csv", "a.csv", "text,date\nAnn rows,once\n"),
    ("markdown", "a.md", "---\ncreated: once\n---\nAnn rows.\n"),
    ("basic-memory", "a.md", "---\npermalink: a\ncreated: once\n---\n- [fact] Ann rows\n"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "file", "content"), _FILES, ids=[name for name, _, _ in _FILES])
def test_no_source_takes_a_time_that_is_none_for_today(
    memories: Memories, tmp_path: Path, name: str, file: str, content: Any
) -> None:
    path = tmp_path / file
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    for dry_run in (True, False):
        report = carry(memories, name, path, dry_run=dry_run)
        assert report.times_unread and report.undated[0].startswith(f"{path}: ")
        assert report.unreadable == 0 and "is not a time" in report.times_told()
    kept = list(memories.store.select(Filter(spaces=None)))
    assert kept and all("undated" in each.data for each in kept)


def test_a_statement_without_a_time_is_of_its_file_and_one_with_another_goes_by_that(
    memories: Memories, tmp_path: Path
) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps([
        {"id": "1", "memory": "Ann rows on Sundays", "user_id": "u"},
        {"id": "2", "memory": "Bo sails a cutter", "user_id": "u", "created_at": "x",
         "updated_at": "2016-01-02"},
    ]))  # fmt: skip
    os.utime(path, (_LONG_AGO, _LONG_AGO))
    report = carry(memories, "mem0", path)
    assert report.times_unread == 1
    ann, bo = sorted(memories.store.select(Filter()), key=lambda each: each.text)
    assert (ann.happened_at.timestamp(), bo.happened_at.year) == (_LONG_AGO, 2016)
    assert not {"undated"} & {*ann.data, *bo.data}
    os.utime(path, (_LONG_AGO + 90_000, _LONG_AGO + 90_000))
    assert carry(memories, "mem0", path).statements_known == 2
    # A file from the future is of now.
    late = folder(tmp_path / "late", {"a.md": "The mill opens early.\n"}) / "a.md"
    os.utime(late, (5e9, 5e9))
    carry(memories, "markdown", late)
    mill = next(each for each in memories.store.select(Filter()) if "mill" in each.text)
    assert mill.happened_at <= memories.now()


def test_a_turn_whose_time_is_none_stands_where_it_was_said(memories: Memories, tmp_path: Path) -> None:
    def line(uuid: str, at: str) -> dict[str, Any]:
        return {
            "type": "user",
            "uuid": uuid,
            "sessionId": "s",
            "timestamp": at,
            "message": {"content": f"say {uuid}"},
        }

    told = [line("a", "2024-01-01T10:00:00Z"), line("b", "soon"), line("c", "2024-01-01T11:00:00Z")]
    report = carry(memories, "claude-code", json_lines(tmp_path / "s.jsonl", told))
    assert report.times_unread == 1
    turns = sorted(memories.store.select(Filter()), key=lambda each: each.happened_at)
    assert [each.text for each in turns] == ["say a", "say b", "say c"]
    assert not any("undated" in each.data for each in turns)


def test_turns_at_the_ends_of_the_calendar_stay_in_it(memories: Memories, tmp_path: Path) -> None:
    last, first = "9999-12-31T23:59:59.999Z", "0001-01-01 00:00:00"
    for number, some in enumerate(((last, last, ""), ("", "", first[:-1] + "1"))):
        path = json_lines(tmp_path / f"{number}.jsonl", [
            {"type": "user", "uuid": str(each), "sessionId": f"s{number}", "timestamp": at,
             "message": {"content": f"say {number} {each}"}} for each, at in enumerate(some)
        ])  # fmt: skip
        assert carry(memories, "claude-code", path).turns_added == 3


def test_members_of_an_archive_are_of_the_day_on_which_they_were_packed(
    memories: Memories, tmp_path: Path
) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        kept = [{"conversations_memory": "Ann keeps two grey geese.", "account_uuid": "a"}]
        archive.writestr(zipfile.ZipInfo("memories.json", (2019, 5, 6, 7, 8, 10)), json.dumps(kept))
    carry(memories, "claude", path)
    [goose] = memories.store.select(Filter())
    assert goose.happened_at.year == 2019


def test_a_command_tells_many_once_and_shows_no_day(mem: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps([
        {"id": str(each), "memory": text, "user_id": "u", "created_at": "last spring"}
        for each, text in enumerate(("Ann rows on Sundays", "Bo sails a cutter", "Cleo plays the flute"))
    ]))  # fmt: skip
    for flags in (("--dry-run",), ()):
        done = mem("import", str(path), *flags)
        assert done.returncode == 2 and done.stderr.count("\n") == 1
        assert f"{path}: memory 1: created_at: 'last spring' is not a time, and so are 2 more" in done.stderr
    told = json.loads(mem("import", str(path), "--json").stdout)
    assert (told["times_unread"], len(told["undated"]), told["statements_known"]) == (3, 3, 3)
    shown = (
        mem("list").stdout,
        mem("recall", "who rows on Sundays").stdout,
        mem("export", "--format", "md").stdout,
    )
    assert all("undated" in each for each in shown)
    # What it prints is known again, and not taken in as news.
    [line] = [each for each in shown[0].splitlines() if "rows" in each]
    assert mem("remember", line).returncode != 0
    found = mem("list", "--json").stdout.splitlines()[0]
    assert mem("correct", json.loads(found)["id"], "Ann rows on Mondays").returncode == 0
    assert mem("list").stdout.count("undated") == 2
    assert mem("import", "-", "--from", "markdown", input=shown[2]).returncode == 0


def test_data_that_is_nested_too_deep_is_named(memories: Memories, tmp_path: Path) -> None:
    deep: dict[str, Any] = {}
    for _ in range(450):
        deep = {"a": deep}
    path = tmp_path / "m.json"
    path.write_text(json.dumps([
        {"memory": "Ann rows", "user_id": "u", "metadata": deep}, {"memory": "Bo sails", "user_id": "u"},
    ]))  # fmt: skip
    report = carry(memories, "mem0", path)
    assert (report.unreadable, report.statements_added) == (1, 1)
    assert report.problems == [f"{path}: memory 1: data: nested too deep"]
