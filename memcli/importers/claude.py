"""Claude's export: conversations become turns; projects and what Claude keeps of its user, statements.

A ZIP, the folder of several ZIPs that the newest download makes, or one of their files. What Claude wrote
of its user is a program's word: untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import files_of, head_of, heads_of, is_zip
from memcli.importers.json_stream import read_array
from memcli.importers.markdown import passages, read_markdown, text_id
from memcli.importers.records import Problem, Record, Source, Statement, Turn

_NAMES = re.compile(
    r"(?:.*/)?(?:(?:conversations|projects|memories)(?:-\d+)?\.json|projects/[^/]+\.json|memories/[^/]+\.json)"
)
_SIGNS = ('"chat_messages"', '"prompt_template"', '"conversations_memory"', '"memory_files"')
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}


def _wanted(name: str) -> bool:
    return _NAMES.fullmatch(name) is not None


def guess(path: Path) -> bool:
    """Whether its files have the fields of such an export."""
    if path.is_dir() or is_zip(path):
        heads = heads_of(path, _wanted, most=8)
        inner = path.is_dir() and next(path.glob("conversations-[0-9]*.zip"), None)
        return any(sign in head for head in heads for sign in _SIGNS) or bool(inner and guess(inner))
    head = head_of(path).decode("utf-8", "replace")
    return head.lstrip("\ufeff \t\r\n")[:1] in ("[", "{") and any(sign in head for sign in _SIGNS)


def read(path: Path) -> Iterator[Record]:
    """Turns of the conversations, statements of projects and memories."""
    some = False
    for file in files_of(path, _wanted, archives=True):
        some = True
        if isinstance(file, Problem):
            yield file
            continue
        try:
            for line, value in read_array(file):
                place = f"{file.place}: line {line}"
                if isinstance(value, BadInput):
                    yield Problem(place, str(value))
                else:
                    yield from _records(value, place)
        except BadInput as error:
            yield Problem(file.place, str(error))
    if not some:
        raise BadInput(f"{path}: holds no conversations, projects or memories of Claude's")


def _records(value: object, place: str) -> Iterator[Record]:
    if not isinstance(value, dict):
        yield Problem(place, "no JSON object")
    elif "chat_messages" in value:
        yield from _turns(value, place)
    elif {"conversations_memory", "project_memories", "memory_files"} & value.keys():
        yield from _memories(value, place)
    elif {"prompt_template", "docs"} & value.keys():
        yield from _project(value, place)
    else:
        yield Problem(place, "no conversation, project or memory of Claude's")


def _turns(conversation: Mapping[str, Any], place: str) -> Iterator[Record]:
    start = fields.instant(conversation.get("created_at"))
    title = fields.text(conversation, "name")
    found_id = fields.text(conversation, "uuid") or f"{title} {start}"
    for number, message in enumerate(_last_branch(list(fields.objects(conversation, "chat_messages")))):
        role = _ROLES.get(fields.text(message, "sender"))
        if role is None:
            yield Problem(place, f"a message of {fields.text(message, 'sender')!r:.40}")
            continue
        names = [name for kind in ("attachments", "files") for each in fields.objects(message, kind)
                 if (name := fields.text(each, "file_name"))]  # fmt: skip
        said = [fields.content_text(message.get("content")) or fields.text(message, "text").strip()]
        said += [f"[attached: {', '.join(names)}]"] if names else []
        at = fields.instant(message.get("created_at")) or start
        message_id = fields.text(message, "uuid") or str(number)
        if text := "\n\n".join(filter(None, said)):
            yield Turn(place, found_id, title, message_id, role, text, at)
        for part, each in enumerate(fields.objects(message, "attachments")):
            if text := fields.text(each, "extracted_content"):
                data = {"name": fields.text(each, "file_name") or "attachment"}
                yield Turn(place, found_id, title, f"{message_id}/{part}", "tool", text, at, data)


def _last_branch(messages: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The way from the first message to the last: an edited message is a sibling of what replaced it."""
    by_id = {fields.text(each, "uuid"): each for each in messages}
    if not messages or not all(fields.text(each, "parent_message_uuid") for each in messages):
        return messages
    if len(by_id) < len(messages):
        return messages
    way: list[Mapping[str, Any]] = []
    here: Mapping[str, Any] | None = messages[-1]
    while here is not None and len(way) < len(messages):
        way.append(here)
        here = by_id.get(fields.text(here, "parent_message_uuid"))
    return way[::-1]


def _memories(record: Mapping[str, Any], place: str) -> Iterator[Record]:
    account = fields.text(record, "account_uuid")
    yield from _written(fields.text(record, "conversations_memory"), place, account, ())
    for project, text in fields.mapping(record, "project_memories").items():
        if isinstance(text, str):
            yield from _written(text, place, f"{account}/{project}", (f"project:{project}"[:200],))
    for each in fields.objects(record, "memory_files"):
        name = fields.text(each, "path", "name", "file_name")
        yield from _written(fields.text(each, "content", "text"), place, f"{account}/{name}", ())


def _project(record: Mapping[str, Any], place: str) -> Iterator[Record]:
    name = fields.one_line(fields.text(record, "name")) or "a project"
    found_id, tags = fields.text(record, "uuid") or name, fields.tags([name])
    at = fields.instant(record.get("created_at"))
    for field, said in (
        ("description", "is about"),
        ("prompt_template", "is worked on by these instructions"),
    ):
        if text := fields.text(record, field).strip():
            whole = f"The project {name} {said}: {text}"
            yield Statement(place, f"{found_id}/{field}", whole, "fact", tags, at)
    for doc in fields.objects(record, "docs"):
        file = fields.text(doc, "filename") or "document"
        yield from _written(fields.text(doc, "content"), f"{place}: {file}", f"{found_id}/{file}", tags)


def _written(text: str, place: str, where: str, tags: tuple[str, ...]) -> Iterator[Record]:
    for passage in passages(read_markdown(text)):
        said = passage.by_itself
        yield Statement(place, text_id(where, said), said, None, tags, trusted=False)


SOURCE = Source(
    "claude", "Claude's export: conversations, projects, memories; ZIP, folder or file.", guess, read
)
