"""Claude Code's memory: `~/.claude/projects/<folder>/memory/` with MEMORY.md and topic files; untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memcli.importers import fields
from memcli.importers.files import File, files_of, head_of, read_each
from memcli.importers.markdown import led, passages, read_markdown, text_id, whole_lists
from memcli.importers.records import Cleared, Only, Record, Relation, Statement
from memcli.importers.source import Source, ending_in
from memcli.model import Kind

_INDEX = "MEMORY.md"
_KINDS: dict[str, Kind] = {"feedback": "preference", "project": "fact", "reference": "fact"}
_ENTRY = re.compile(r"\[[^\]]*\]\([^)]*\.md\)")
_LINK = re.compile(r"\[\[([^\[\]|#]+)")
_HEAD = re.compile(rb"---\r?\nname:.*?\btype: *(?:user|feedback|project|reference)\b.*?\n---", re.DOTALL)
_wanted = ending_in(".md")


def _is_folder(folder: Path) -> bool:
    return (folder / _INDEX).is_file()


def guess(path: Path) -> bool:
    """True if it is the index, or a topic file."""
    return path.name == _INDEX or (path.suffix == ".md" and _HEAD.match(head_of(path)) is not None)


def read(path: Path, only: Only, _: Cleared) -> Iterator[Record]:
    """Yield a statement for each topic, those in the index itself, and links between topics."""
    folder = path.resolve() if path.is_dir() else path.resolve().parent
    project = folder.parent.name if folder.name == "memory" else folder.name

    def records(file: File) -> Iterator[Record]:
        return _records(file, f"{project}/{Path(file.name).name}")

    yield from read_each(files_of(path, _wanted, only), records)


def _records(file: File, found_id: str) -> Iterator[Record]:
    document = read_markdown(file.whole())
    if Path(file.name).name == _INDEX or not document.front:
        for passage in led(whole_lists(passages(document))):
            if not _ENTRY.match(passage.text):
                text = passage.by_itself
                place = f"{file.place}: line {passage.line}"
                yield Statement(place, text_id(found_id, text), text, trusted=False, changed=file.date())
        return
    front = document.front
    name = fields.one_line(fields.text(front, "name")) or file.stem
    told = {**front, **fields.mapping(front, "metadata")}
    kind = fields.text(told, "type")
    changed = fields.first_of(fields.when(told, "modified"), file.date())
    body = document.body.strip() or fields.text(front, "description")
    for target in dict.fromkeys(each.strip() for each in _LINK.findall(body)):
        yield Relation(file.place, name, "links_to", target, trusted=False)
    data = {"name": name, "description": fields.text(front, "description")}
    if body:
        text = _LINK.sub(lambda found: found[1], body).replace("]]", "")
        yield Statement(
            file.place, found_id, text, _KINDS.get(kind), fields.tags([kind] if kind else []), trusted=False,
            data={key: value for key, value in data.items() if value}, changed=changed,
        )  # fmt: skip


SOURCE = Source(
    "claude-memory",
    "What Claude Code notes by itself: its folder `memory`.",
    guess,
    suffix=".md",
    wants=_wanted,
    lives_in=_is_folder,
    read_path=read,
)
