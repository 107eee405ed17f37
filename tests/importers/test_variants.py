"""Variants of other people's files: documents beside a conversation, files taken in, front matter, tables."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memcli.importers.records import Problem, Relation, Skill, Statement, Turn, When
from memcli.text.shapes import anything
from tests.importers.files import chatgpt_conversation, chatgpt_message, folder, read


def _written(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def _texts(name: str, path: Path) -> list[str]:
    return [each.text for each in read(name, path) if isinstance(each, Statement | Turn)]


def _day(when: When) -> str:
    return when.isoformat()[:10] if isinstance(when, datetime) else ""


def test_chatgpt_s_canvas_and_its_older_list_of_memories_are_read(tmp_path: Path) -> None:
    def call(node: str, to: str, **given: Any) -> dict[str, Any]:
        content = {"content_type": "code", "language": "json", "text": json.dumps(given)}
        return chatgpt_message(node, "assistant", "", content=content, recipient=to)

    listed = {
        "content_type": "model_editable_context",
        "model_set_context": "1. [2024-05-03]. Has a dog.\n\nx",
    }
    talk = chatgpt_conversation(1, [
        chatgpt_message("m", "assistant", "", content=listed),
        chatgpt_message("u", "user", "A poem, please"),
        call("c", "canmore.create_textdoc", name="poem", type="document", content="Roses"),
        call("p", "canmore.update_textdoc", updates=[{"pattern": "Ro", "replacement": "Po"}]),
        call("w", "canmore.update_textdoc", updates=[{"pattern": ".*", "replacement": "Lilies"}]),
        call("s", "browser", content="search"),
    ])  # fmt: skip
    found = read("chatgpt", _written(tmp_path / "conversations.json", [talk]))
    said = [each.text for each in found if isinstance(each, Turn)]
    assert said == ["A poem, please", "[document: poem]\n\nRoses", "Lilies"]
    [kept] = [each for each in found if isinstance(each, Statement)]
    assert kept.text == "Has a dog." and not kept.trusted and _day(kept.changed) == "2024-05-03"


def test_claude_s_artifacts_and_files_are_kept_once_as_they_ended_up(tmp_path: Path) -> None:
    def message(number: int, tool: str, **given: Any) -> dict[str, Any]:
        call = {"type": "tool_use", "name": tool, "input": given}
        said = [{"type": "text", "text": f"Step {number}"}, call, {"type": "tool_result", "content": "OK"}]
        return {"uuid": str(number), "sender": "assistant", "text": "", "content": said}

    talk = {"uuid": "t", "name": "Letter", "chat_messages": [
        {"uuid": "0", "sender": "human", "text": "", "content": [{"type": "voice_note", "text": "Write it"}]},
        message(1, "artifacts", id="a", command="create", title="To Bob", content="Come on Friday."),
        message(2, "create_file", path="/out/plan.md", file_text="Dig first."),
        message(3, "artifacts", id="a", command="update", old_str="Friday", new_str="Monday"),
        message(4, "artifacts", id="b", command="update", old_str="x", new_str="y"),
        message(5, "web_search", query="bob"),
    ]}  # fmt: skip
    path = _written(tmp_path / "conversations.json", [talk])
    found = [each for each in read("claude", path) if isinstance(each, Turn)]
    assert [each.text for each in found] == [
        "Write it", "Step 1", "Step 2", "Dig first.", "Step 3", "Come on Monday.", "Step 4", "Step 5",
    ]  # fmt: skip
    assert {each.data["name"] for each in found if each.data} == {"To Bob", "plan.md"}
    assert len({each.id for each in found}) == len(found)


def test_what_a_claude_md_takes_in_is_read_behind_it_and_named_where_it_is_not(tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("- Nobody sees this")
    root = folder(tmp_path / "repo", {
        "CLAUDE.md": "# Us\n@docs/style.md\n@../outside.md\n@gone.md\n\nSee @docs/style.md for more.\n\n"
                     "## Build\n```\n@docs/code.md\n```\n@" + "n" * 5000 + "\n",
        "docs/style.md": "- Lines stay below a hundred signs\n- @../CLAUDE.md\n",
        "docs/code.md": "- Never taken in",
    })  # fmt: skip
    (root / "docs/link.md").symlink_to(tmp_path / "outside.md")
    (root / "AGENTS.md").write_text("@docs/link.md\n")
    for path in (root, root / "CLAUDE.md"):
        found = read("rules", path)
        stated = [each.text for each in found if isinstance(each, Statement)]
        assert stated.count("Lines stay below a hundred signs") == 1
        assert any("See @docs/style.md for more." in each for each in stated) and not any(
            "Nobody" in each for each in stated
        )
        assert not any(each.text.startswith("Us: @") for each in found if isinstance(each, Statement))
        named = " ".join(each.why for each in found if isinstance(each, Problem))
        assert "@../outside.md: what it takes in lies elsewhere" in named and "@gone.md" in named
        assert not any("taken in" in step for each in found if isinstance(each, Skill) for step in each.steps)


def test_a_rule_of_cursor_s_keeps_the_files_that_it_points_to(tmp_path: Path) -> None:
    path = _written(tmp_path / "ts.mdc", "---\nglobs: *.ts\n---\n- Start from this\n@template.ts\n")
    assert _texts("rules", path) == ["Start from this\n@template.ts (for *.ts)"]


def test_front_matter_is_read_field_by_field_where_it_is_no_yaml_and_in_toml(tmp_path: Path) -> None:
    broken = "---\naliases: [Day, Tag]\ntags:\n  - daily\n  - nested/tag\nbad: [unclosed\n---\nMet Bob.\n"
    toml = "+++\ntitle = 'Boats'\ndate = 2024-05-03\ntags = ['sea']\n+++\nThe mast is new.\n"
    vault = folder(tmp_path / "v", {"a.md": broken, "b.md": toml, "c.md": "+++\nno [toml\n+++\nThe hull.\n"})
    found = read("obsidian", vault)
    stated = {each.text: each for each in found if isinstance(each, Statement)}
    assert stated["a: Met Bob."].tags == ("daily", "nested/tag")
    assert {each.object for each in found if isinstance(each, Relation)} == {"Day", "Tag"}
    boats = stated["Boats: The mast is new."]
    assert boats.tags == ("sea",) and _day(boats.at) == "2024-05-03"
    assert "c: The hull." in stated


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T10:00:00Z", "2026-01-01 10:00:00+00:00"),
        ("10:00:00", "10:00:00"),
        ("nan", "nan"),
        ("-inf", "-inf"),
        ("1" * 60, "1" * 60),
        ("[2026-01-01, {at = 10:00:00, much = inf}]", ["2026-01-01", {"at": "10:00:00", "much": "inf"}]),
        ("0x" + "f" * 9999, None),
        ("{" + ".".join("a" * 90) + " = 1}", None),
    ],
)
def test_whatever_toml_holds_is_kept_as_text_at_any_depth(tmp_path: Path, value: str, kept: object) -> None:
    path = _written(tmp_path / "a.md", f"+++\nx = {value}\nin.x = {value}\n+++\nThe mast is new.\n")
    [note] = [each for each in read("markdown", path) if isinstance(each, Statement)]
    assert note.data.get("front") == (None if kept is None else {"x": kept, "in": {"x": kept}})
    anything(note.data, "data")


def test_a_question_of_obsidian_s_own_is_no_text_of_a_note(tmp_path: Path) -> None:
    text = "Rent is due.\n```dataview\nLIST FROM #rent\n```\n\n```python\nprint(1)\n```\n"
    said = " ".join(_texts("obsidian", _written(tmp_path / "a.md", text)))
    assert "LIST" not in said and "print(1)" in said and "Rent is due" in said


def test_a_table_may_say_what_separates_its_cells_and_its_tags(tmp_path: Path) -> None:
    rows = read("csv", _written(tmp_path / "a.csv", "sep=;\ntext;tags\nThe lift, an old one;a,b\n"))
    assert [(each.text, each.tags) for each in rows if isinstance(each, Statement)] == [
        ("The lift, an old one", ("a", "b"))
    ]
    rows = read("csv", _written(tmp_path / "b.csv", "text,tags\nThe lift,a;b\n"))
    assert [each.tags for each in rows if isinstance(each, Statement)] == [("a", "b")]


def test_a_relation_of_mem0_s_names_its_end_either_way(tmp_path: Path) -> None:
    ends = [{"source": "ann", "relationship": "knows", each: each} for each in ("destination", "target")]
    path = _written(tmp_path / "m.json", {"results": [], "relations": ends})
    assert [each.object for each in read("mem0", path) if isinstance(each, Relation)] == [
        "destination",
        "target",
    ]
