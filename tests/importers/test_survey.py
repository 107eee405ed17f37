"""Folders with several sources: each file goes to one, and what none takes is named."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from memcli.importers.records import Problem, Turn
from memcli.importers.register import source_named
from memcli.importers.survey import Survey, survey
from tests.conftest import Run
from tests.importers.files import chatgpt_conversation, chatgpt_message, folder, read, zipped

_TALK = json.dumps([chatgpt_conversation(1, [chatgpt_message("a", "user", "Hello harbour")])])
_CODE = json.dumps({
    "type": "user", "uuid": "u", "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/x",
    "message": {"role": "user", "content": "Hello code"},
})  # fmt: skip
_TOPIC = "---\nname: A\nmetadata:\n  type: feedback\n---\nPrefer tabs over spaces.\n"
_MESSAGE = {"id": "1", "author": {"role": "user", "name": "Bob"}, "create_time": 1.76e9,
            "content": {"content_type": "text", "parts": ["Let us sail to Skye"]}}  # fmt: skip


def _taken(found: Survey, root: Path) -> dict[str, list[str]]:
    some: dict[str, list[str]] = {}
    for part in found.parts:
        names = ((part.path / name).relative_to(root).as_posix() for name in part.only or ())
        some.setdefault(part.source.name, []).extend(sorted(names))
    return some


def _passed(found: Survey) -> dict[str, str]:
    return {name: each.why for each in found.passed_over for name in each.names}


def test_each_file_of_a_folder_goes_to_one_source_and_the_rest_is_named(tmp_path: Path) -> None:
    root = folder(tmp_path / "all", {
        "export/conversations.json": _TALK, "export/renamed.json": _TALK, "export/chat.html": "<html>",
        "export/sora.json": "{}", "export/shopping.json": '{"a": [1]}', "export/file-1.md": "Not mine.\n",
        "export/conversations-001.json": "[{broken", "vault/.obsidian/app.json": "{}",
        "vault/Home.md": "The lamp.\n", "vault/AGENTS.md": "Notes on agents.\n", "vault/a.csv": "text\nx\n",
        "vault/pic.png": "x", "repo/AGENTS.md": "Never push.\n", "repo/.cursor/rules/a.mdc": "Use tabs.\n",
        "repo/README.md": "A readme.\n", "repo/node_modules/x/AGENTS.md": "x", "code/s.jsonl": _CODE,
        "code/empty.jsonl": "", "code/s/subagents/agent-1.jsonl": _CODE, "code/memory/MEMORY.md": "- x\n",
        "code/memory/a.md": _TOPIC, "loose.md": "A note.\n", "more/linked.md": "See [[Home]].\n",
        "bm/a.md": "---\npermalink: a\n---\nOne.\n", "bm/b.md": "Two.\n", "t.csv": "text\nx\n",
        "numbers.csv": "a,b\n1,2\n", "own.jsonl": '{"format": "memcli"}\n', "tool.py": '"export_metadata"\n',
    })  # fmt: skip
    found = survey(root)
    assert _taken(found, root) == {
        "chatgpt": ["export/conversations-001.json", "export/conversations.json", "export/renamed.json"],
        "claude-code": ["code/empty.jsonl", "code/s.jsonl"],
        "claude-memory": ["code/memory/MEMORY.md", "code/memory/a.md"],
        "rules": ["repo/.cursor/rules/a.mdc", "repo/AGENTS.md"],
        "basic-memory": ["bm/a.md", "bm/b.md"],
        "obsidian": ["loose.md", "more/linked.md", "vault/AGENTS.md", "vault/Home.md"],
        "csv": ["t.csv"],
    }
    told = _passed(found)
    assert {name: why.split()[0] for name, why in told.items()} == {
        "export/chat.html": "the", "export/shopping.json": "of", "export/file-1.md": "Markdown",
        "code/s/subagents/agent-1.jsonl": "what", "vault/pic.png": "of", "vault/a.csv": "tables",
        "repo/README.md": "Markdown", "numbers.csv": "of", "own.jsonl": "exports", "tool.py": "of",
    }  # fmt: skip


def test_a_named_source_takes_its_own_and_the_others_are_named(tmp_path: Path) -> None:
    root = folder(
        tmp_path, {"conversations.json": _TALK, "vault/.obsidian/x": "", "vault/Home.md": "A lamp.\n"}
    )
    found = survey(root, source_named("chatgpt"))
    assert [(part.source.name, part.only) for part in found.parts] == [("chatgpt", None)]
    assert _passed(found) == {"vault/Home.md": "of obsidian"}
    assert "takes them, too" in found.passed_over[0].how


def test_the_commands_that_are_named_can_be_typed_as_they_stand(mem: Run, tmp_path: Path) -> None:
    mem("remember", "The lamp in the hall is from Oslo.")
    root = folder(tmp_path / "my backup (old)", {
        "own export.jsonl": mem("export").stdout, "conversations.json": _TALK, "a note.md": "A lamp.\n",
        "vault 1/.obsidian/x": "", "vault 1/Home page.md": "A lamp.\n",
        "vault 1/a list.csv": "text\nA cup.\n",
    })  # fmt: skip
    told = (*survey(root).passed_over, *survey(root, source_named("chatgpt")).passed_over)
    named = [shlex.split(each.how.split("`")[1]) for each in told if each.how]
    assert {Path(words[-1]).relative_to(root).as_posix() for words in named} == {
        "own export.jsonl", "a note.md", "vault 1/a list.csv", ".",
    }  # fmt: skip
    assert all(words[:2] == ["mem", "import"] and len(words) in (3, 5) for words in named)


def test_what_lies_in_an_archive_and_is_not_read_is_named(tmp_path: Path) -> None:
    members = {
        "conversations.json": _TALK, "user.json": '{"id": 1}', "a.webp": "x", "odd.json": "[1]",
        "sora.json": "[]",
    }  # fmt: skip
    path = zipped(tmp_path / "export.zip", members)
    alone, within = _passed(survey(path)), _passed(survey(tmp_path))
    assert sorted(alone) == ["a.webp", "odd.json", "user.json"] and "account" in alone["user.json"]
    assert within == {f"export.zip/{name}": why for name, why in alone.items()}


def test_a_link_in_a_vault_is_still_named(tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("A key under the mat.")
    vault = folder(tmp_path / "vault", {".obsidian/x": "", "a.md": "A lamp.\n"})
    (vault / "b.md").symlink_to(tmp_path / "outside.md")
    [part] = survey(vault).parts
    assert [each.place for each in part.source.read(part.path, part.only) if isinstance(each, Problem)] == [
        str(vault / "b.md")
    ]


def _groups(path: Path, value: Any) -> list[Any]:
    (path / "conversations.json").write_text(_TALK)
    (path / "group_chats.json").write_text(json.dumps(value))
    return [each for each in read("chatgpt", path) if "group_chats" in each.place]


def test_chats_of_groups_are_read_and_belong_to_nobody(tmp_path: Path) -> None:
    answer = {"id": "2", "role": "assistant", "content": "A fine plan"}
    spoken = {"sender": "Eve", "text": "Not without me", "created_at": "2026-01-02"}
    chat = {"id": "g", "title": "Trip", "create_time": 1.76e9, "messages": [_MESSAGE, answer, spoken]}
    tree = {
        "id": "t",
        "title": "Tree",
        **chatgpt_conversation(2, [chatgpt_message("x", "user", "From a tree")]),
    }
    for value in ({"chats": [chat, tree]}, [chat, tree]):
        turns = _groups(tmp_path, value)
        assert [(each.role, each.text) for each in turns] == [
            ("user", "Let us sail to Skye"), ("assistant", "A fine plan"), ("user", "Not without me"),
            ("user", "From a tree"),
        ]  # fmt: skip
        assert all(isinstance(each, Turn) and not each.trusted for each in turns)
        assert [each.data.get("name") for each in turns[:3]] == ["Bob", None, "Eve"]
    assert _groups(tmp_path, {"chats": []}) == []
    [unknown] = _groups(tmp_path, {"chats": [{"id": "g", "title": "Odd", "entries": [1]}]})
    assert isinstance(unknown, Problem) and "'Odd'" in unknown.why


def test_chatgpt_s_documents_and_its_wrapped_conversations(tmp_path: Path) -> None:
    plan = {"id": "t", "title": "Plan", "content": "Go north", "created_at": "2024-01-01T00:00:00Z"}
    root = folder(tmp_path, {
        "conversations.json": json.dumps({"conversations": json.loads(_TALK)}),
        "textdocs/t.json": json.dumps(plan),
    })  # fmt: skip
    said = [(each.text, each.trusted) for each in read("chatgpt", root) if isinstance(each, Turn)]
    assert said == [("Hello harbour", True), ("[document: Plan]\n\nGo north", False)]


def test_a_command_takes_all_of_a_folder_and_says_what_it_passed_over(mem: Run, tmp_path: Path) -> None:
    root = folder(tmp_path / "all", {
        "conversations.json": _TALK, "user.json": '{"id": 1}', "vault/.obsidian/x": "",
        "vault/Home.md": "The lamp in the hall is from Oslo.\n", "notes.md": "Somebody else's note.\n",
    })  # fmt: skip
    dry, wet, again = (mem("import", str(root), *flags) for flags in (("--dry-run",), (), ("--json",)))
    assert (dry.returncode, wet.returncode, again.returncode) == (0, 0, 0)
    assert dry.stderr == wet.stderr == again.stderr and "user.json" in wet.stderr
    assert f"`mem import --from markdown {shlex.quote(str(root / 'notes.md'))}` takes it" in wet.stderr
    assert (
        "chatgpt: conversations: 1; turns: 1 added" in wet.stdout and "obsidian: statements: 1" in wet.stdout
    )
    reports = [json.loads(line) for line in again.stdout.splitlines()]
    assert [(each["source"], each["turns_known"], each["statements_known"]) for each in reports] == [
        ("chatgpt", 1, 0), ("obsidian", 0, 1)
    ]  # fmt: skip
    assert [each["files"] for each in reports[0]["passed_over"]] == [["user.json"], ["notes.md"]]
    unknown = folder(tmp_path / "none", {"a.png": "x"})
    done = mem("import", str(unknown))
    assert (
        done.returncode == 2
        and "a.png" in done.stderr
        and "is not recognised as the data of any program" in done.stderr
    )
