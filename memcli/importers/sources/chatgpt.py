"""ChatGPT importer: an export as a ZIP or `conversations.json` (since 2026 `conversations-000.json` etc.).

A conversation is a tree of messages, in which an edit is a branch: what is imported is the path from
`current_node` up to the root. Tool and system messages and hidden messages are left out; a document written
beside the conversation (canvas) becomes a turn where it was written. ChatGPT's own memories are in no list of
their own; they are read from calls of the tool `bio`, from the list that older conversations begin with, and
from the custom instructions, which its user wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File, files_of, head_of, heads_of, is_zip, read_each
from memcli.importers.json_stream import read_value, records_of_array
from memcli.importers.markdown import text_id
from memcli.importers.records import Cleared, Only, Problem, Record, Statement, Turn, known
from memcli.importers.source import Source
from memcli.importers.sources.chatgpt_groups import by_people, group_turns, is_group_file
from memcli.model import Kind

_NAME = re.compile(
    r"(?:.*/)?(?:conversations(?:-\d+)?\.json|group_chats(?:-\d+)?\.json|textdocs/[^/]+\.json)"
)
# Fields of an object that wraps a file's conversations, or group chats.
_WRAPPED = ("conversations", "chats")
_SPOKEN = ("text", "multimodal_text", "code")
# Citation marks: `citeturn0search1` between private-use characters; in older exports `【4†source】`.
_CITED = re.compile("[ \t]?\ue200[^\ue201]*\ue201")
_CITED_BEFORE = re.compile(r"【\d+(?::\d+)?†[^】]*】")
# Custom instructions: what the user wrote about themselves, and how they want to be answered.
_INSTRUCTIONS: tuple[tuple[str, str, Kind], ...] = (
    ("about_user_message", "user_profile", "fact"),
    ("about_model_message", "user_instructions", "preference"),
)
# Audio and video are represented by their transcript, if there is one.
_HEARD = ("[audio]", "[video]")
_FENCED = re.compile(r"```(?:\w*\n)?(.*?)```", re.DOTALL)
_KEPT = re.compile(r"\d+\. (?:\[(\d{4}-\d\d-\d\d)\]\.? )?(\S.*)")
# The tool calls that write a canvas document, and the patterns that mean replacing all of it.
_DOCUMENT = ("canmore.create_textdoc", "canmore.update_textdoc")
_ALL_OF_IT = (".*", "(?s).*", "(?s)^.*$", "^.*$")
# A `bio` call that retracts a memory: its words do not identify which one.
_TAKEN_BACK = re.compile(r"forget\b", re.IGNORECASE)


def _wanted(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def guess(path: Path) -> bool:
    """True if the first conversation has a `mapping`."""
    if is_zip(path):
        return any('"mapping"' in head for head in heads_of(path, _wanted))
    head = head_of(path)
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{") and b'"mapping"' in head


def read(path: Path, only: Only, _: Cleared) -> Iterator[Record]:
    """Yield the turns of every conversation in the order in which they were said, and what was remembered."""
    found = read_each(
        files_of(path, _wanted, only, archives=True),
        lambda file: records_of_array(file, lambda value, place: _records(value, place, file)),
        nothing=f"{path}: holds no conversations.json of ChatGPT's",
    )
    # Yield a memory found in several conversations only once.
    stated: set[str] = set()
    for each in found:
        if isinstance(each, Statement):
            if each.id in stated:
                continue
            stated.add(each.id)
        yield each


def _records(value: object, place: str, file: File) -> Iterator[Record]:
    """Yield the records of one value of a file: a conversation, a wrapper, a group chat or a document."""
    if isinstance(value, dict) and isinstance(value.get("mapping"), dict):
        way = _way(value)
        turns = _turns(value, way, place)
        yield from by_people(turns) if is_group_file(file.name) else turns
        yield from _remembered(way, place)
    elif wrapped := next((name for name in _WRAPPED if _is_list(value, name)), None):
        for number, each in enumerate(fields.objects(value, wrapped), start=1):
            yield from _records(each, f"{place}, {wrapped[:-1]} {number}", file)
    elif is_group_file(file.name):
        yield from group_turns(value, place, _said)
    elif "textdocs/" in file.name and fields.text(value, "content"):
        yield _textdoc(value, place, file)
    else:
        yield Problem(place, "no conversation: it has no 'mapping'")


def _is_list(value: object, name: str) -> bool:
    return isinstance(value, dict) and isinstance(value.get(name), list)


def _textdoc(value: object, place: str, file: File) -> Turn:
    """Return a turn for a canvas document, which does not name the conversation that it belongs to."""
    title = fields.one_line(fields.text(value, "title", "name"))
    text = fields.text(value, "content")
    said = f"[document: {title}]\n\n{text}" if title else text
    at = fields.when(value, "created_at", "create_time", "updated_at")
    return Turn(place, f"textdoc/{fields.text(value, 'id') or file.stem}", title, "0", "assistant", said, at)


def _turns(
    conversation: Mapping[str, Any], way: list[tuple[str, Mapping[str, Any]]], place: str
) -> Iterator[Record]:
    title = fields.text(conversation, "title")
    start = fields.when(conversation, "create_time")
    if known(start) is None and not any(fields.instant(each.get("create_time")) for _, each in way):
        start = fields.first_of(start, fields.when(conversation, "update_time"))
    found_id = fields.text(conversation, "conversation_id", "id") or text_id(
        title, str(known(start)), *(_said(each) for _, each in way[:3])
    )
    for node_id, message in way:
        role = fields.text(message.get("author"), "role")
        if role == "assistant" and message.get("recipient") in _DOCUMENT and (text := _document(message)):
            at = fields.first_of(fields.when(message, "create_time"), start)
            yield Turn(place, found_id, title, fields.text(message, "id") or node_id, role, text, at)
            continue
        if role not in ("user", "assistant") or _hidden(message):
            continue
        if fields.mapping(message, "content").get("content_type") not in _SPOKEN:
            continue
        if text := _said(message):
            at = fields.first_of(fields.when(message, "create_time"), start)
            model = fields.text(message.get("metadata"), "model_slug")
            yield Turn(
                place, found_id, title, fields.text(message, "id") or node_id, role, text, at,
                {"model": model} if model else {},
            )  # fmt: skip


def _remembered(way: list[tuple[str, Mapping[str, Any]]], place: str) -> Iterator[Statement]:
    """Yield what ChatGPT noted about its user (untrusted), and the user's own instructions."""
    for _, message in way:
        at = fields.when(message, "create_time")
        content = fields.mapping(message, "content")
        if content.get("content_type") == "user_editable_context":
            written = fields.mapping(fields.mapping(message, "metadata"), "user_context_message_data")
            for name, wrapped, kind in _INSTRUCTIONS:
                text = fields.text(written, name).strip() or _unwrapped(fields.text(content, wrapped))
                if text:
                    yield Statement(place, text_id(text), text, kind, ("instructions",), changed=at)
        elif content.get("content_type") == "model_editable_context":
            yield from _kept(fields.text(content, "model_set_context"), place)
        elif message.get("recipient") == "bio" and fields.text(message.get("author"), "role") == "assistant":
            for line in map(str.strip, _said(message).splitlines()):
                if line and not _TAKEN_BACK.match(line):
                    yield Statement(place, text_id(line), line, None, (), trusted=False, changed=at)


def _kept(listed: str, place: str) -> Iterator[Statement]:
    """Yield the memories that older exports list at the start: `1. [2024-05-03]. Has a dog.`"""
    for line in map(str.strip, listed.splitlines()):
        if found := _KEPT.fullmatch(line):
            day = fields.told_time("date", found[1])
            yield Statement(place, text_id(found[2]), found[2], None, (), trusted=False, changed=day)


def _unwrapped(text: str) -> str:
    """Return the contents of the code fence that ChatGPT puts around a text."""
    found = _FENCED.search(text)
    return (found[1] if found else text).strip()


def _document(message: Mapping[str, Any]) -> str:
    """Return the document that a call writes as a whole; "" for one that changes only a part."""
    try:
        given = read_value(_said(message))
    except BadInput:
        return ""
    whole = [each for each in fields.objects(given, "updates") if each.get("pattern") in _ALL_OF_IT]
    text = fields.text(given, "content") or (fields.text(whole[-1], "replacement") if whole else "")
    name = fields.one_line(fields.text(given, "name"))
    return f"[document: {name}]\n\n{text}" if text and name else text


def _hidden(message: Mapping[str, Any]) -> bool:
    metadata = fields.mapping(message, "metadata")
    aside = message.get("recipient") not in (None, "", "all")
    return aside or metadata.get("is_visually_hidden_from_conversation") is True


def _way(conversation: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the messages from the root to the current node, or to the latest leaf if none is current."""
    nodes = conversation["mapping"]
    node_id = conversation.get("current_node")
    if not isinstance(node_id, str) or not isinstance(nodes.get(node_id), dict):
        node_id = _latest_leaf(nodes)
    way: list[tuple[str, Mapping[str, Any]]] = []
    seen: set[str] = set()
    while isinstance(node_id, str) and node_id not in seen and isinstance(nodes.get(node_id), dict):
        seen.add(node_id)
        if isinstance(message := nodes[node_id].get("message"), dict):
            way.append((node_id, message))
        node_id = nodes[node_id].get("parent")
    return way[::-1]


def _latest_leaf(nodes: Mapping[str, Any]) -> str | None:
    parents = {each.get("parent") for each in nodes.values() if isinstance(each, dict) and _is_name(each)}
    leaves = [name for name, each in nodes.items() if name not in parents and isinstance(each, dict)]

    def written(name: str) -> float:
        at = fields.instant(fields.mapping(nodes[name], "message").get("create_time"))
        return at.timestamp() if at else 0.0

    return max(leaves, key=written, default=None)


def _is_name(node: Mapping[str, Any]) -> bool:
    return isinstance(node.get("parent"), str)


def _said(message: Mapping[str, Any]) -> str:
    """Return the words of a message without citation marks, and attachments by their names."""
    content, metadata = fields.mapping(message, "content"), fields.mapping(message, "metadata")
    names = [name for each in fields.objects(metadata, "attachments") if (name := fields.text(each, "name"))]
    parts = content.get("parts")
    texts = [_part(each) for each in parts] if isinstance(parts, list) else [fields.text(content, "text")]
    if names:
        # An attachment with a name needs no placeholder.
        texts = [*(text for text in texts if text != "[image]"), f"[attached: {', '.join(names)}]"]
    if any(text and text not in _HEARD for text in texts):
        texts = [text for text in texts if text not in _HEARD]
    cited = {
        matched: fields.text(each, "alt")
        for each in fields.objects(metadata, "content_references")
        if (matched := fields.text(each, "matched_text"))
    }
    plain = (_without_marks(text, cited).strip() for text in texts)
    return "\n\n".join(filter(None, plain))


def _without_marks(text: str, cited: Mapping[str, str]) -> str:
    if "\ue200" in text:
        text = _CITED.sub(lambda found: _shown(cited, found[0]), text)
    return _CITED_BEFORE.sub("", text) if "†" in text else text


def _shown(cited: Mapping[str, str], mark: str) -> str:
    alt = cited.get(mark.lstrip(" \t"), "")
    return f" {alt}" if alt and mark[0] != "\ue200" else alt


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if text := fields.text(part, "text"):
        return text
    kind = fields.text(part, "content_type")
    if not kind.endswith("_asset_pointer"):
        return ""
    return next((each for each in _HEARD if each[1:-1] in kind), "[image]")


_ASIDE = (
    (r"chat\.html", "the same conversations as a page"),
    (r"(?:user|user_settings|export_manifest|ads)\.json", "of the account"),
    (r"shared_conversations\.json", "links to conversations"),
    (r"(?:message_feedback|model_comparisons)\.json", "ratings, and answers that were not taken"),
    (r"(?:assets|library_files|conversation_asset_file_names)\.json", "names of files"),
    (r".*\.(?:png|jpe?g|webp|gif|heic|wav|mp3|m4a|mp4|webm|dat|pdf)", "attachments; turns name them"),
)
SOURCE = Source(
    "chatgpt", "ChatGPT's export: the ZIP, its folder or conversations.json.", guess,
    wants=_wanted, aside=_ASIDE, read_path=read,
)  # fmt: skip
