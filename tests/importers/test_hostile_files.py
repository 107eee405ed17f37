"""Files that mean harm, or were cut short: what is good is taken in, the rest is named."""

from __future__ import annotations

import io
import json
import sqlite3
import tracemalloc
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from memcli.errors import BadInput
from memcli.importers.files import File
from memcli.importers.json_stream import read_array, read_lines
from memcli.importers.records import Problem, Turn
from memcli.importers.register import MODULES, guess_source, source_named
from memcli.importers.sqlite_file import opened_database, tables_of
from tests.conftest import Run
from tests.importers.files import chatgpt_conversation, chatgpt_message, read


def _file(data: bytes) -> File:
    return File("f", "f.json", lambda: io.BytesIO(data))


def _values(data: bytes) -> list[object]:
    return ["bad" if isinstance(value, BadInput) else value for _, value in read_array(_file(data))]


@pytest.mark.parametrize(
    ("data", "values"),
    [
        (b"[]", []),
        (b'\xef\xbb\xbf [1, {"a": [2, "]"]}\n, "x"] ', [1, {"a": [2, "]"]}, "x"]),
        ('["é"]'.encode("utf-16"), ["é"]),
        (b'[{"a": nope, "b": "}"}, 2]', ["bad", 2]),
        (b"[NaN, 1]", [None, 1]),
        (b'[{"a": {}}}, 2]', [{"a": {}}, "bad", 2]),
        (b'["\\ud83d"]', ["\ufffd"]),
        (b'[{"a": 1}, {"b', [{"a": 1}, "bad"]),
        (b"[1, 2", [1, 2, "bad"]),
        (b"[" + b"[" * 100_000 + b"]" * 100_000 + b", 3]", ["bad", 3]),
        (b'{"one": 1}', [{"one": 1}]),
        (b"[" + b"9" * 5000 + b", 4]", ["bad", 4]),
    ],
)
def test_an_array_is_read_value_by_value(data: bytes, values: list[object]) -> None:
    assert _values(data) == values


def test_values_across_the_edges_of_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [{"text": 'a"\\ü]}' * number, "n": 1.5e3, "t": True} for number in range(60)]
    for size in (1, 2, 3, 7, 64):
        monkeypatch.setattr("memcli.importers.json_stream._CHUNK", size)
        for ascii_only in (True, False):
            assert _values(json.dumps(values, ensure_ascii=ascii_only).encode()) == values


def test_an_array_of_any_length_takes_the_memory_of_one_value(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    one = json.dumps(chatgpt_conversation(1, [chatgpt_message("a", "user", "word " * 2000)]))
    with path.open("w") as stream:
        stream.write("[" + ",".join([one] * 3000) + "]")
    tracemalloc.start()
    assert sum(isinstance(each, Turn) for each in source_named("chatgpt").read(path)) == 3000
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8 * 2**20 < path.stat().st_size


def test_lines_that_are_none() -> None:
    data = b'\xef\xbb\xbf{"a": 1}\n\n\xff\xfe\n' + b"[" * 50_000 + b'\n{"b": 2}'
    found = [(number, isinstance(value, BadInput)) for number, value in read_lines(_file(data))]
    assert found == [(1, False), (3, True), (4, True), (5, False)]


def test_archives_that_lead_out_or_unfold_without_end(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    talk = json.dumps([chatgpt_conversation(1, [chatgpt_message("a", "user", "Hello")])])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", talk)
        archive.writestr("../conversations-001.json", talk)
        link = zipfile.ZipInfo("conversations-002.json")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("conversations-003.json", "[" + " " * (64 << 20))
    found = read("chatgpt", path)
    assert sum(isinstance(each, Turn) for each in found) == 1
    said = " ".join(each.why for each in found if isinstance(each, Problem))
    assert "leads out" in said and "symbolic link" in said and "unfolds to" in said


def test_links_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("The key lies under the mat at home.")
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "note.md").symlink_to(outside)
    assert [type(each) for each in read("obsidian", vault)] == [Problem]


_HOSTILE = {
    "nothing": b"", "nul": b"\0" * 100, "bytes": bytes(range(256)) * 20,
    "cut": b'[{"mapping": {"a": {"mess',
    "numbers": b'[1, 2, {"mapping": 3}, {"mapping": {"a": 4}, "current_node": "a", "chat_messages": 7}]',
    "object": b'{"agents": [1, {"messages": [2, {"role": []}], "core_memory": 3}], "blocks": {"a": 1}}',
    "lines": b'{"type": "entity"}\n{"type": "user", "message": []}\n{"payload": 1, "type": "session_meta"}',
    "deep": b'{"a":' * 50_000, "front": b"---\n- [\n---\n[[\n- [x](y) [[|]] [[#]]\n```\n",
    "zip": b"PK\x03\x04" + b"x" * 50,
    "sqlite": b"SQLite format 3\0" + b"\x01" * 4096,
    "memories": b'{"memories": [null, {"content": {}}, {"content": "x"}]}',
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_no_source_falls_over_what_is_none_of_its_own(name: str, tmp_path: Path) -> None:
    for kind, data in _HOSTILE.items():
        for suffix in (".json", ".jsonl", ".md", ".csv", ".af", ".db", ".zip", ".mdc"):
            path = tmp_path / f"{kind}{suffix}"
            path.write_bytes(data)
            guess_source(path) if name == "chatgpt" else None
            try:
                list(source_named(name).read(path))
            except BadInput as error:
                assert str(path) in str(error)


def test_the_command_says_what_it_cannot_take(mem: Run, tmp_path: Path) -> None:
    for arguments, said in (
        (("--from", "chatgtp", "x"), "did you mean"),
        (("--from", "mem0", str(tmp_path / "none.json")), "no such file"),
        (("--from", "obsidian", "-"), "stdin is empty"),
        (("--from", "codex", str(tmp_path)), "holds no session"),
    ):
        done = mem("import", *arguments)
        assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("written", [b"CREATE TABL\xff rooms (", b"CREATE TABLE \xffooms ("])
def test_a_database_whose_names_are_no_text_is_none(tmp_path: Path, written: bytes) -> None:
    file = tmp_path / "state.vscdb"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE rooms (name TEXT)")
        database.commit()
    file.write_bytes(file.read_bytes().replace(b"CREATE TABLE rooms (", written))
    with pytest.raises(BadInput, match="cannot be read"), opened_database(file) as database:
        database.execute("SELECT name FROM sqlite_master").fetchall()
    assert tables_of(file) == set()
