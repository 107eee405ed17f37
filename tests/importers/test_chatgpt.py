"""ChatGPT's export, old and split: the branch that counts, and nothing that was hidden."""

from __future__ import annotations

import json
from pathlib import Path

from memcli.importers.records import Problem, Turn
from memcli.importers.register import guess_source
from memcli.memories import Memories
from memcli.model import Filter
from tests.conftest import Run, door_of
from tests.importers.files import (
    carry,
    chatgpt_conversation,
    chatgpt_message,
    read,
    zipped,
)


def _talk(number: int, *texts: str) -> dict[str, object]:
    roles = ("user", "assistant")
    messages = [
        chatgpt_message(f"m{number}-{place}", roles[place % 2], text, 1.75e9 + 60 * number + place)
        for place, text in enumerate(texts)
    ]
    return chatgpt_conversation(number, messages)


def test_conversations_become_sessions_once(memories: Memories, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([_talk(1, "Where is Oslo?", "In Norway."), _talk(2, "Thanks", "Any time")]))
    report = carry(memories, "chatgpt", path)
    assert (report.conversations, report.turns_added, report.turns_known) == (2, 4, 0)
    turns = sorted(memories.store.select(Filter()), key=lambda each: each.happened_at)
    assert [(each.data["role"], each.text, each.trusted) for each in turns[:2]] == [
        ("user", "Where is Oslo?", True), ("assistant", "In Norway.", False),
    ]  # fmt: skip
    assert {door_of(each.origin) for each in turns} == {"import:chatgpt"}
    assert len({each.session for each in turns}) == 2
    again = carry(memories, "chatgpt", path)
    assert (again.turns_added, again.turns_known) == (0, 4)


def test_a_conversation_that_grew_and_was_renamed_adds_its_new_turns(
    memories: Memories, tmp_path: Path
) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([_talk(1, "Where is Oslo?", "In Norway.")]))
    carry(memories, "chatgpt", path)
    grown = {**_talk(1, "Where is Oslo?", "In Norway.", "And Bergen?"), "title": "Norway"}
    path.write_text(json.dumps([grown]))
    report = carry(memories, "chatgpt", path)
    assert (report.turns_added, report.turns_known) == (1, 2)
    assert len({each.session for each in memories.store.select(Filter())}) == 1


def test_a_split_archive_is_read_member_by_member(tmp_path: Path) -> None:
    path = zipped(
        tmp_path / "export.zip",
        {
            "export_manifest.json": "{}", "user.json": "{}", "chat.html": "<html>",
            "conversations-000.json": json.dumps([_talk(1, "One")]),
            "conversations-001.json": json.dumps([_talk(2, "Two")]),
        },
    )  # fmt: skip
    found = guess_source(path)
    assert found is not None and found.name == "chatgpt"
    assert [each.text for each in read("chatgpt", path) if isinstance(each, Turn)] == ["One", "Two"]


def test_edits_hidden_messages_and_tools_are_left_out(tmp_path: Path) -> None:
    talk = chatgpt_conversation(1, [
        chatgpt_message("s", "system", "You are ChatGPT"),
        chatgpt_message("h", "user", "profile", metadata={"is_visually_hidden_from_conversation": True}),
        chatgpt_message("old", "user", "Wher is Oslo"),
    ])  # fmt: skip
    talk["mapping"]["new"] = {
        "id": "new", "parent": "h", "children": [],
        "message": chatgpt_message("new", "user", "Where is Oslo?"),
    }  # fmt: skip
    call = chatgpt_message("call", "assistant", "search('Oslo')", recipient="browser")
    talk["mapping"]["call"] = {"id": "call", "parent": "new", "children": [], "message": call}
    picture = chatgpt_message("pic", "user", "", content={
        "content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}, "See this"],
    })  # fmt: skip
    talk["mapping"]["pic"] = {"id": "pic", "parent": "call", "children": [], "message": picture}
    talk["current_node"] = "pic"
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([talk]))
    texts = [each.text for each in read("chatgpt", path) if isinstance(each, Turn)]
    assert texts == ["Where is Oslo?", "[image]\n\nSee this"]


def test_what_is_missing_or_goes_in_circles_costs_nothing_else(tmp_path: Path) -> None:
    circle = chatgpt_conversation(
        1, [chatgpt_message("a", "user", "One", None)], title=None, create_time=None
    )
    circle["mapping"]["root"]["parent"] = "a"
    del circle["current_node"]
    empty: dict[str, object] = {"title": "New chat", "mapping": {}, "current_node": None}
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([circle, empty, 7, _talk(3, "Three")]))
    found = read("chatgpt", path)
    assert [each.text for each in found if isinstance(each, Turn)][-1] == "Three"
    assert [each.why for each in found if isinstance(each, Problem)] == [
        "no conversation: it has no 'mapping'"
    ]


def test_the_command_guesses_counts_and_names_what_is_bad(mem: Run, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(
        f"[{json.dumps(_talk(1, 'Where is Oslo?', 'In Norway.'))},\n{{bad}},\n{json.dumps(_talk(2, 'Hi'))}]"
    )
    counted = mem("import", str(path), "--dry-run")
    assert counted.stdout == "chatgpt: conversations: 2; turns: 3 would be added, 0 known\n"
    assert "line 2" in counted.stderr and counted.returncode == 2
    done = mem("import", "--from", "chatgpt", str(path), "--json")
    assert json.loads(done.stdout)["turns_added"] == 3
    assert "Norway" in mem("recall", "Oslo").stdout
