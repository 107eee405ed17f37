"""Markdown as people and programs write it: front matter, and passages that stand by themselves."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memcli.errors import BadInput
from memcli.text.yaml_text import read_yaml

_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)(?:^---[ \t]*(?:\r?\n|\Z)|\Z)", re.DOTALL | re.MULTILINE)
_LOOSE = re.compile(r"([A-Za-z_][\w -]*):[ \t]*(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*")
# A line in bold alone heads what follows, below every real heading.
_BOLD = re.compile(r" {0,3}(?:\*\*|__)([^*_].{0,118}?)(?:\*\*:?|:\*\*|__:?)\s*")
_BELOW = 7
_ITEM = re.compile(r"( *)(?:[-*+]|\d{1,9}[.)])\s+(.*)")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# A passage with fewer words says too little without its heading.
_FEW_WORDS = 5


class Document(NamedTuple):
    """A Markdown text: its front matter, its body, and on which line the body begins."""

    front: Mapping[str, Any]
    body: str
    line: int


class Passage(NamedTuple):
    """A paragraph or an item of a list, its line, and the headings that it stands under, outermost first."""

    line: int
    text: str
    headings: tuple[str, ...]
    item: bool

    @property
    def by_itself(self) -> str:
        """Its words, with the heading before them where they are few."""
        if not self.headings or len(self.text.split()) >= _FEW_WORDS:
            return self.text
        return f"{self.headings[-1].rstrip(':')}: {self.text}"


def read_markdown(text: str) -> Document:
    """Front matter and body. Front matter that is no YAML is read line by line, as `key: value`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    found = _FRONT.match(text)
    if not found or not text[: found.end()].rstrip().endswith("---") or found.end() < 5:
        return Document({}, text, 1)
    head = found[1]
    try:
        front = read_yaml(head, "front matter")
    except BadInput:
        front = {}
        for line in head.splitlines():
            if pair := _LOOSE.fullmatch(line.strip()):
                front[pair[1].strip()] = pair[2].strip().strip("\"'")
    body = text[found.end() :]
    if not isinstance(front, dict):
        return Document({}, text, 1)
    return Document(front, body, text.count("\n", 0, found.end()) + 1)


def passages(document: Document) -> Iterator[Passage]:
    """The passages of a body: paragraphs, items with what is below them, code with what it follows."""
    body = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), document.body)
    headings: list[tuple[int, str]] = []
    lines: list[str] = []
    start, item, fence = 0, False, ""

    def passage() -> Iterator[Passage]:
        text = "\n".join(lines).strip()
        lines.clear()
        if text and text.strip("-*_= \t"):
            yield Passage(start, text, tuple(name for _, name in headings), item)

    for number, line in enumerate(body.split("\n"), start=document.line):
        if fence:
            lines.append(line)
            fence = "" if line.strip().startswith(fence) else fence
            continue
        if opening := _FENCE.match(line):
            fence = opening[1]
            if not lines:
                start, item = number, False
            lines.append(line)
        elif (heading := _heading(line, after=bool(lines))) is not None:
            yield from passage()
            headings = [each for each in headings if each[0] < heading[0]] + [heading]
        elif (bullet := _ITEM.fullmatch(line)) and not (item and lines and len(bullet[1]) > 1):
            yield from passage()
            start, item = number, True
            lines.append(bullet[2])
        elif not line.strip():
            if not item:
                yield from passage()
            elif lines:
                lines.append("")
        else:
            if item and lines and lines[-1] == "" and not line.startswith((" ", "\t")):
                yield from passage()
            if not lines:
                start, item = number, False
            lines.append(line.strip() if not item else line.rstrip())
    yield from passage()


def _heading(line: str, *, after: bool) -> tuple[int, str] | None:
    """How deep a heading is, and its words; one in bold stands by itself, `after` nothing."""
    if found := _HEADING.fullmatch(line):
        return len(found[1]), found[2]
    if not after and (found := _BOLD.fullmatch(line)) and "**" not in found[1]:
        return _BELOW, found[1].rstrip(":")
    return None


def text_id(*parts: str) -> str:
    """An id for what has none of its own: by what it says, and where."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:24]
