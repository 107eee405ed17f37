"""Files in the shapes that other programs write, made up here."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memcli.importers.carrier import Carrier
from memcli.importers.records import Record
from memcli.importers.register import source_named
from memcli.importers.report import CarriedReport
from memcli.importers.survey import survey
from memcli.memories import Memories


def read(name: str, path: Path) -> list[Record]:
    """What a source yields of a path."""
    return list(source_named(name).read(path))


def carry(memories: Memories, name: str, path: Path, **options: Any) -> CarriedReport:
    """Import a path."""
    source = source_named(name)
    return Carrier(memories, source, **options).take(source.read(path))


def guessed(path: Path) -> str:
    """Whose a path is, the first where several have a part in it; `none` for nobody's."""
    return next((part.source.name for part in survey(path).parts), "none")


def zipped(path: Path, members: Mapping[str, str]) -> Path:
    """A ZIP archive of these members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def folder(path: Path, files: Mapping[str, str]) -> Path:
    """A folder of these files."""
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    return path


def json_lines(path: Path, lines: list[Any]) -> Path:
    """A file of JSON Lines; the last has no end."""
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines), "utf-8")
    return path


def chatgpt_message(
    node: str, role: str, text: str, at: float | None = 1.75e9, **more: Any
) -> dict[str, Any]:
    """A message of ChatGPT's export."""
    return {
        "id": node, "author": {"role": role, "name": None, "metadata": {}}, "create_time": at,
        "content": {"content_type": "text", "parts": [text]}, "status": "finished_successfully",
        "recipient": "all", "metadata": {}, "weight": 1.0, **more,
    }  # fmt: skip


def chatgpt_conversation(number: int, messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A conversation of ChatGPT's export, without branches."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    last = "root"
    for message in messages:
        mapping[message["id"]] = {"id": message["id"], "message": message, "parent": last, "children": []}
        mapping[last]["children"].append(message["id"])
        last = message["id"]
    return {
        "title": f"Talk {number}", "create_time": 1.75e9 + number, "update_time": 1.75e9 + number,
        "mapping": mapping, "current_node": last, "conversation_id": f"c-{number}",
        "id": f"c-{number}", **more,
    }  # fmt: skip
