"""Claude importer: conversations become turns; projects and Claude's own memories become statements.

An export is a ZIP; since September 2026 several ZIPs and a manifest that names them. Their folder, or one of
their files, is read as well. What Claude wrote about its user is untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File, file_at, files_of, head_of, heads_of, is_zip, read_each
from memcli.importers.json_stream import read_array, read_document, records_of_array
from memcli.importers.markdown import led, passages, read_markdown, text_id, whole_lists
from memcli.importers.records import Cleared, Only, Problem, Record, Statement, Turn, When, known
from memcli.importers.source import Source
from memcli.importers.sources.claude_artifacts import Artifacts

_NAMES = re.compile(
    r"(?:.*/)?(?:(?:conversations|projects|memories)(?:-\d+)?\.json"
    r"|(?:projects|memories|design_chats)/[^/]+\.json)"
)
_PROJECTS = re.compile(r"(?:.*/)?(?:projects(?:-\d+)?\.json|projects/[^/]+\.json)")
_CATEGORIES = ("conversations", "projects", "memories", "design_chats")
_KEYS = (
    '"chat_messages"', '"prompt_template"', '"conversations_memory"', '"project_memories"', '"memory_files"',
    '"contentBlocks"', '"authorAccountUuid"',
)  # fmt: skip
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
# The prefix of a line of Claude's memory: whether Claude was told it, or inferred it.
_HOW_KNOWN = re.compile(r"\[(stated|inferred)\]\s+")


def _wanted(name: str) -> bool:
    return _NAMES.fullmatch(name) is not None


def guess(path: Path) -> bool:
    """True if the file has the fields of such an export, or is its manifest."""
    if is_zip(path):
        return any(key in head for head in heads_of(path, _wanted, most=8) for key in _KEYS)
    head = head_of(path).decode("utf-8", "replace")
    if head.lstrip("\ufeff \t\r\n")[:1] not in ("[", "{"):
        return False
    return any(key in head for key in _KEYS) or ('"data_files"' in head and '"export_url"' in head)


def read(path: Path, only: Only, _: Cleared) -> Iterator[Record]:
    """Yield turns of the conversations, and statements of projects and memories."""
    if path.is_file() and b'"data_files"' in head_of(path):
        yield from _beside(path)
    else:
        yield from _read(path, _project_names(path), only)


def _read(path: Path, names: Mapping[str, str], only: Only = None) -> Iterator[Record]:
    folders: set[Path] = set()

    def files() -> Iterator[File | Problem]:
        for file in files_of(path, _wanted, only, archives=True):
            if path.is_dir():
                folders.update(each for each in Path(file.place).parents if each.is_relative_to(path))
            yield file

    def records(file: File) -> Iterator[Record]:
        return records_of_array(file, lambda value, place: _records(value, place, names, file.date()))

    without_any = "holds no conversations, projects or memories of Claude's"
    if path.is_dir() and _manifests(path):
        without_any = "holds a manifest, but none of the archives that it links to"
    yield from read_each(files(), records, nothing=f"{path}: {without_any}")
    for manifest in (each for folder in sorted(folders) for each in _manifests(folder)):
        yield from (_not_there(each) for each in _archives_of(manifest) if not each.is_file())


def _manifests(folder: Path) -> list[Path]:
    return [each for each in sorted(folder.glob("manifest-*.json")) if b'"export_url"' in head_of(each)]


def _archives_of(manifest: Path) -> list[Path]:
    """Return the archives that a manifest links to, which are downloaded into its folder. Raises BadInput."""
    document = read_document(file_at(manifest))
    return [
        manifest.parent
        / Path(fields.text(each, "filename") or f"{fields.text(each, 'category')}-000.zip").name
        for each in fields.objects(document, "data_files")
        if fields.text(each, "category") in _CATEGORIES
    ]


def _not_there(archive: Path) -> Problem:
    return Problem(str(archive), "is named by the manifest, and not there; download it into this folder")


def _beside(manifest: Path) -> Iterator[Record]:
    """Yield the records of the archives that a manifest names, and a problem for each that is missing."""
    named = _archives_of(manifest)
    names: dict[str, str] = {}
    for archive in named:
        names |= _project_names(archive)
    for archive in named:
        if not archive.is_file():
            yield _not_there(archive)
            continue
        try:
            yield from _read(archive, names)
        except BadInput as error:
            yield Problem(str(archive), error.beside(archive))


def _project_names(path: Path) -> dict[str, str]:
    """Return the names of an export's projects, by their ids."""
    names: dict[str, str] = {}
    if not path.is_dir() and not is_zip(path):
        return names
    try:
        for file in files_of(path, lambda name: _PROJECTS.fullmatch(name) is not None, archives=True):
            for _, value in read_array(file) if isinstance(file, File) else ():
                if name := fields.one_line(fields.text(value, "name")):
                    names[fields.text(value, "uuid")] = name
    except BadInput:
        pass  # reported when it is read
    return names


def _records(value: object, place: str, names: Mapping[str, str], date: datetime | None) -> Iterator[Record]:
    if not isinstance(value, dict):
        yield Problem(place, "no JSON object")
    elif "chat_messages" in value:
        yield from _turns(value, place)
    elif {"conversations_memory", "project_memories", "memory_files"} & value.keys():
        yield from _memories(value, place, names, date)
    elif {"prompt_template", "docs"} & value.keys():
        yield from _project(value, place, date)
    elif "messages" in value:
        yield from _design(value, place)
    else:
        yield Problem(place, "no conversation, project or memory of Claude's")


def _turns(conversation: Mapping[str, Any], place: str) -> Iterator[Record]:
    start = fields.when(conversation, "created_at")
    title = fields.text(conversation, "name")
    found_id = fields.text(conversation, "uuid") or f"{title} {known(start)}"
    branch = _last_branch(conversation)
    artifacts = Artifacts(branch)
    for number, message in enumerate(branch):
        role = _ROLES.get(fields.text(message, "sender"))
        if role is None:
            yield Problem(place, f"a message of {fields.text(message, 'sender')!r:.40}")
            continue
        names = [name for kind in ("attachments", "files") for each in fields.objects(message, kind)
                 if (name := fields.text(each, "file_name"))]  # fmt: skip
        said = [fields.content_text(message.get("content")) or fields.text(message, "text").strip()]
        said += [f"[attached: {', '.join(names)}]"] if names else []
        at = fields.first_of(fields.when(message, "created_at"), start)
        message_id = fields.text(message, "uuid") or str(number)
        if text := "\n\n".join(filter(None, said)):
            yield Turn(place, found_id, title, message_id, role, text, at)
        for part, each in enumerate(fields.objects(message, "attachments")):
            if text := fields.text(each, "extracted_content"):
                data = {"name": fields.text(each, "file_name") or "attachment"}
                yield Turn(place, found_id, title, f"{message_id}/{part}", "tool", text, at, data)
        for made in artifacts.of(message):
            data = {"name": made.name}
            yield Turn(
                place, found_id, title, f"{message_id}/made/{made.id}", "assistant", made.text, at, data
            )


def _last_branch(conversation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the messages from first to last: an edited message is a sibling of the one that replaced it."""
    messages = list(fields.objects(conversation, "chat_messages"))
    by_id = {fields.text(each, "uuid"): each for each in messages}
    if not messages or not all(fields.text(each, "parent_message_uuid") for each in messages):
        return messages
    if len(by_id) < len(messages):
        return messages
    way: list[Mapping[str, Any]] = []
    leaf = by_id.get(fields.text(conversation, "current_leaf_message_uuid"))
    here: Mapping[str, Any] | None = leaf or messages[-1]
    while here is not None and len(way) < len(messages):
        way.append(here)
        here = by_id.get(fields.text(here, "parent_message_uuid"))
    return way[::-1]


def _design(chat: Mapping[str, Any], place: str) -> Iterator[Record]:
    """Yield the turns of a design chat."""
    start = fields.when(chat, "created_at")
    title = fields.text(chat, "title") or fields.text(chat.get("project"), "name")
    found_id = fields.text(chat, "uuid") or f"{title} {known(start)}"
    for number, message in enumerate(fields.objects(chat, "messages")):
        role, content = _ROLES.get(fields.text(message, "role")), fields.mapping(message, "content")
        if role is None:
            continue
        at = fields.first_of(fields.when(message, "created_at"), fields.when(content, "timestamp"), start)
        message_id = fields.text(message, "uuid") or str(number)
        said = fields.content_text(content.get("contentBlocks")) or fields.text(content, "content").strip()
        names = [fields.text(each, "name") for each in fields.objects(content, "attachments")]
        attached = f"[attached: {', '.join(filter(None, names))}]" if any(names) else ""
        if text := "\n\n".join(filter(None, (said, attached))):
            yield Turn(place, found_id, title, message_id, role, text, at)
        for part, each in enumerate(fields.objects(content, "attachments")):
            if text := fields.text(each, "content"):
                data = {"name": fields.text(each, "name") or "attachment"}
                yield Turn(place, found_id, title, f"{message_id}/{part}", "tool", text, at, data)


def _memories(
    record: Mapping[str, Any], place: str, names: Mapping[str, str], date: datetime | None
) -> Iterator[Record]:
    account = fields.text(record, "account_uuid")
    yield from _written(fields.text(record, "conversations_memory"), place, account, (), date)
    for project, text in fields.mapping(record, "project_memories").items():
        if isinstance(text, str):
            tags = fields.tags([names.get(project, f"project:{project}")])
            yield from _written(text, place, f"{account}/{project}", tags, date)
    for each in fields.objects(record, "memory_files"):
        name = fields.text(each, "path", "name", "file_name")
        changed = fields.first_of(fields.when(each, "updated_at"), date)
        tags = fields.tags([Path(name).stem])
        yield from _written(fields.text(each, "content", "text"), place, f"{account}/{name}", tags, changed)


def _project(record: Mapping[str, Any], place: str, date: datetime | None) -> Iterator[Record]:
    name = fields.one_line(fields.text(record, "name")) or "a project"
    found_id, tags = fields.text(record, "uuid") or name, fields.tags([name])
    at = fields.when(record, "created_at")
    own = record.get("is_starter_project") is not True
    for field, said in (
        ("description", "is about"),
        ("prompt_template", "is worked on by these instructions"),
    ):
        if text := fields.text(record, field).strip():
            whole = f"The project {name} {said}: {text}"
            yield Statement(place, f"{found_id}/{field}", whole, "fact", tags, at, trusted=own, changed=date)
    for doc in fields.objects(record, "docs"):
        file = fields.text(doc, "filename") or "document"
        yield from _written(
            fields.text(doc, "content"),
            f"{place}: {file}",
            f"{found_id}/{file}",
            tags,
            fields.first_of(at, date),
        )


def _written(text: str, place: str, where: str, tags: tuple[str, ...], changed: When) -> Iterator[Record]:
    for passage in led(whole_lists(passages(read_markdown(text)))):
        said, how = passage.by_itself, tags
        if known := _HOW_KNOWN.match(passage.text):
            said, how = passage._replace(text=passage.text[known.end() :]).by_itself, (*tags, known[1])
        yield Statement(
            place, text_id(where, said), said, None, how, trusted=False, changed=changed
        )  # fmt: skip


SOURCE = Source(
    "claude",
    "Claude's export: conversations, projects, memories; ZIP, manifest, folder or file.",
    guess,
    wants=_wanted,
    aside=((r"users?(?:-\d+)?\.json", "of the account"), (r"manifest-.*\.json", "links to the archives")),
    read_path=read,
)
