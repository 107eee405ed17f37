"""Notes: folders of Markdown, read into statements (passages, observations with a category) and links.

basic-memory, Obsidian and plain Markdown use the same forms, so all three sources are read here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from memcli.importers import fields
from memcli.importers.files import File
from memcli.importers.json_stream import read_document
from memcli.importers.leads import says_nothing
from memcli.importers.markdown import Document, Passage, led, passages, read_markdown, text_id, whole_lists
from memcli.importers.records import Problem, Record, Relation, Statement, When
from memcli.importers.sources.own_document import is_own_document, read_own_document
from memcli.model import Kind
from memcli.text.task_items import TO_DO, has_box, is_over, read_box

_CREATED = ("created", "date", "created_at", "date created", "creation date")
# The file name of a daily note begins with its day.
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
# Fields of front matter that describe the file or are read elsewhere; the others are kept as data.
_OF_THE_FILE = frozenset(
    (*_CREATED, "title", "tags", "tag", "permalink", "aliases", "alias", "type", "cssclasses", "cssclass",
     "publish", "modified", "updated", "date modified")
)  # fmt: skip
_LONGEST_FRONT = 2000
_LINK_ALONE = re.compile(r"!?\[\[[^\[\]\n]+\]\]")
_CATEGORY = re.compile(r"\[([^\[\]()]{2,60})\](?!\()\s+(.+)", re.DOTALL)
_RELATION = re.compile(r"([^\[\]]{1,80}?)\s+\[\[([^\[\]]+)\]\]\s*(?:\([^)]*\))?")
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n]+)\]\]")
# A plain Markdown link to another note.
_NOTE_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(<?((?!\w+:)[^()<>\n]+?\.md)(?:#[^()<>]*)?>?\)")
_TAG = re.compile(r"(?<![\w&/#])#([^\W\d][\w/-]*)")
# Not text of the note: comments, and query blocks that Obsidian replaces with their results.
_ASIDE = re.compile(r"%%.*?%%|^```(?:dataview(?:js)?|query|tasks)\b.*?^```", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9-]+[ \t]*$", re.MULTILINE)
_KINDS: dict[str, Kind] = {
    "preference": "preference", "constraint": "constraint", "requirement": "constraint", "rule": "constraint",
    "outcome": "outcome", "result": "outcome", "fact": "fact", "decision": "fact",
}  # fmt: skip


NO_NOTE = "holds no Markdown"


def is_note(name: str) -> bool:
    """True if a file is a note, or a canvas of notes, by its name."""
    return name.lower().endswith((".md", ".markdown", ".canvas"))


def note_records(file: File, *, trusted: bool) -> Iterator[Record]:
    """Yield the statements and links of a note, without memcli's own output."""
    if file.suffix == ".canvas":
        yield from _canvas(file, trusted)
    elif is_own_document(text := file.whole()):
        yield from read_own_document(file)
    else:
        yield from _note(file, file.cleared(file.place, text), trusted)


def _note(file: File, text: str, trusted: bool) -> Iterator[Record]:
    document = read_markdown(text)
    body = _ASIDE.sub(lambda found: "\n" * found[0].count("\n"), document.body)
    document = document._replace(body=body)
    title = fields.one_line(fields.text(document.front, "title")) or file.stem
    name = fields.text(document.front, "permalink") or file.name
    tags = fields.tags(document.front.get("tags") or document.front.get("tag"))
    at = _created(document, file.stem)
    linked: set[tuple[str, str]] = set()
    for relation, target in _front_links(document.front):
        linked.add((relation, target))
        yield Relation(f"{file.place}: front matter", title, relation, target, trusted)
    data = {"note": title, **_properties(document.front)}
    found = [(passage, _said(passage)) for passage in led(whole_lists(passages(document)))]
    to_do = {words for _, (words, _, own) in found if not TO_DO.isdisjoint(own)}
    for passage, (words, kind, own) in found:
        place = f"{file.place}: line {passage.line}"
        links = [*_links(passage.lead, item=False), *_links(passage.text, item=passage.item)]
        for relation, target in links:
            if (relation, target) not in linked and target.casefold() != title.casefold():
                linked.add((relation, target))
                yield Relation(place, title, relation, target, trusted)
        if passage.item and (_RELATION.fullmatch(passage.text) or _LINK_ALONE.fullmatch(passage.text)):
            continue
        if not words:
            continue
        # A to-do item with the same words as a done one is another item.
        again = own if is_over(own) and words in to_do else ()
        is_named = title.casefold() in words.casefold() or says_nothing(title)
        said = words if is_named else f"{title}: {words}"
        every = tuple(dict.fromkeys((*tags, *own)))
        yield Statement(
            place, text_id(name, said, *again), said, kind, every, at, trusted, data=data, changed=file.date()
        )


def _created(document: Document, stem: str) -> When:
    """Return the time in the note's front matter, else the day in its name, if any."""
    day = _DAY.match(stem)
    return fields.first_of(fields.when(document.front, *_CREATED), fields.instant(day[0]) if day else None)


def _front_links(front: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the links in a note's front matter, named after their fields, and its aliases."""
    for name, value in front.items():
        each = value if isinstance(value, list) else [value]
        texts = [text for text in each if isinstance(text, str)]
        if name in ("aliases", "alias"):
            yield from (("also_called", alias) for alias in fields.tags(texts if len(texts) > 1 else value))
            continue
        for link in (found for text in texts for found in _WIKILINK.finditer(text)):
            if target := _target(link[2]):
                yield "_".join(name.split()), target


def _properties(front: Mapping[str, Any]) -> dict[str, Any]:
    """Return the remaining fields of front matter, so that nothing is lost; none if they are very long."""
    said = {name: value for name, value in front.items() if name not in _OF_THE_FILE and value}
    return {"front": said} if said and len(json.dumps(said)) <= _LONGEST_FRONT else {}


def _said(passage: Passage) -> tuple[str, Kind | None, tuple[str, ...]]:
    """Return a passage's plain words, the kind that it declares, and its tags."""
    text, item = passage.text, passage.item
    category = _CATEGORY.fullmatch(text) if item and not has_box(text) else None
    kind: Kind | None
    own: tuple[str, ...] = ()
    if category:
        text = passage._replace(text=category[2], headings=()).by_itself
        kind, own = _KINDS.get(category[1].strip().lower()), fields.tags([category[1]])
    else:
        # Code states no preference and no constraint, whatever its words.
        kind = "fact" if passage.is_code else None
        if item:
            text, own = read_box(text)
        text = passage._replace(text=text).by_itself
    tags = fields.tags(_TAG.findall(_CODE.sub("", text)))
    parts = re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.DOTALL)
    plain = "".join(part if number % 2 else _plain(part) for number, part in enumerate(parts))
    return plain.strip(), kind, (*own, *tags)


def _plain(text: str) -> str:
    text = _BLOCK_ID.sub("", text)
    text = _WIKILINK.sub(lambda found: "" if found[1] else _shown(found[2]), text)
    text = _NOTE_LINK.sub(lambda found: found[1] or _target(unquote(found[2])), text)
    text = re.sub(r"^> ?\[![\w-]+\][+-]?\s*|^> ?", "", text, flags=re.MULTILINE)
    text = re.sub(r"(\s)#[^\W\d][\w/-]*(?=\s*(?:#|\(|$))", r"\1", text)
    return re.sub(r"(\w)::\s", r"\1: ", re.sub(r"(?<=\S)[ \t]{2,}", " ", text))


def _shown(target: str) -> str:
    name, _, alias = target.partition("|")
    return alias.strip() or _target(name) or name


def _target(target: str) -> str:
    """Return the note that a wikilink leads to: without heading, block, folder and suffix."""
    note = re.split(r"[|#^]", target, maxsplit=1)[0].strip()
    return note.rsplit("/", 1)[-1].removesuffix(".md")


def _links(text: str, *, item: bool) -> Iterator[tuple[str, str]]:
    text = _CODE.sub("", text)
    if item and (found := _RELATION.fullmatch(text)) and (target := _target(found[2])):
        yield "_".join(found[1].rstrip(":").split()), target
        return
    for link in _WIKILINK.finditer(text):
        if not link[1] and (target := _target(link[2])):
            yield "links_to", target
    for link in _NOTE_LINK.finditer(text):
        if target := _target(unquote(link[2])):
            yield "links_to", target


def _canvas(file: File, trusted: bool) -> Iterator[Record]:
    """Yield the texts and the arrows of a JSON Canvas, as statements and links."""
    canvas = read_document(file)
    names: dict[str, str] = {}
    for part in ("nodes", "edges"):
        if not isinstance(canvas, dict) or not isinstance(canvas.get(part, []), list):
            yield Problem(file.place, f"no canvas: its {part} are no list")
    for node in fields.objects(canvas, "nodes"):
        text, node_id = fields.text(node, "text").strip(), fields.text(node, "id")
        first = text.lstrip("# \n").split("\n", 1)[0]
        names[node_id] = (
            _target(fields.text(node, "file")) or fields.one_line(first or fields.text(node, "url", "label"))
        )  # fmt: skip
        if text:
            plain = _plain(text)
            for relation, target in _links(text, item=False):
                yield Relation(file.place, names[node_id], relation, target, trusted)
            yield Statement(file.place, f"{file.name}/{node_id}", plain, trusted=trusted, changed=file.date())
    for edge in fields.objects(canvas, "edges"):
        ends = [names.get(fields.text(edge, name)) for name in ("fromNode", "toNode")]
        if ends[0] and ends[1]:
            label: Any = "_".join(fields.text(edge, "label").split()) or "links_to"
            yield Relation(file.place, ends[0], label, ends[1], trusted)
