"""Document of a procedure as people write it: YAML, or Markdown with front matter.

The document itself is kept, byte for byte; what is parsed here is what memcli needs to find it and to check
its tools. In Markdown a field is in the front matter or under a heading of its name (`## Steps`); other
parts are the owner's and are not parsed. A SKILL.md is such a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from memcli.errors import BadInput
from memcli.named_tuple import NamedTuple
from memcli.text.printable import clip
from memcli.text.yaml_text import read_yaml, text_of, texts_of, write_yaml

DocumentFormat = Literal["markdown", "yaml"]
SUFFIXES: dict[DocumentFormat, tuple[str, ...]] = {
    "markdown": (".md", ".markdown"),
    "yaml": (".yaml", ".yml"),
}

_FRONT = re.compile(
    r"\A(\ufeff?---[ \t]*\r?\n)(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_OPENED = re.compile(r"\A\ufeff?---[ \t]*\r?\n")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_ITEM = re.compile(r"( {0,3})(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(?:\[[ xX]\][ \t]+)?|$)")
_NAME_LINE = re.compile(r"^name[ \t]*:.*?(?=\r?$)", re.MULTILINE)

# The names of each field, in front matter and as headings.
_FIELDS: dict[str, tuple[str, ...]] = {
    "description": ("description", "summary"),
    "when": ("when", "when to use", "when to use it", "when to use this", "when to use this skill"),
    "steps": ("steps",),
    "tools": ("tools", "required tools"),
    "checks": ("checks", "safety checks"),
    "examples": ("examples", "example"),
}
_FIELD_OF = {each: field for field, names in _FIELDS.items() for each in names}
# The most characters of "When to use" that are searched: some write an essay, but the first lines tell.
_LONGEST_WHEN = 1000
LIST_FIELDS = ("steps", "tools", "checks", "examples")

TEMPLATE = """\
---
name: {name}
description:
when:
tools: []
---

## Steps

1.

## Checks

-

## Examples

-
"""


class ProcedureText(NamedTuple):
    """The content of a procedure; every field may be empty."""

    name: str = ""
    description: str = ""
    when: str = ""
    steps: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()

    def search_text(self, name: str) -> str:
        """Return the text with which a situation is compared: the name, what it does, and when."""
        says = self.description or "; ".join(self.steps[:3])
        lines = [f"{name}: {says}" if says else name]
        if self.when:
            lines.append(f"When: {clip(self.when, _LONGEST_WHEN)}")
        return "\n".join(lines)


def document_format(document: str, file_name: str = "") -> DocumentFormat:
    """Return which of the two formats a document has: by its file's suffix, else by its content."""
    for form, suffixes in SUFFIXES.items():
        if file_name.lower().endswith(suffixes):
            return form
    if has_front_matter(document):
        return "markdown"
    if _key(document.lstrip("\ufeff \t\r\n").partition(":")[0]) in {*_FIELD_OF, "name"}:
        return "yaml"
    try:
        fields = read_yaml(document, "")
    except BadInput:
        return "markdown"
    # After a line that is a comment in YAML and a heading in Markdown, a name alone proves nothing.
    telling = {each for field in ("description", "when", "steps") for each in _FIELDS[field]}
    return "yaml" if isinstance(fields, dict) and telling & {_key(name) for name in fields} else "markdown"


def has_front_matter(document: str) -> bool:
    """True if a document begins with a block between two lines of `---`."""
    return _FRONT.match(document) is not None


def read_procedure(document: str, form: DocumentFormat, where: str) -> ProcedureText:
    """Parse a document. Raises BadInput, naming `where`, for one without content, or malformed."""
    if form == "yaml":
        fields = _mapping(document, where)
    else:
        found = _FRONT.match(document)
        if not found and _OPENED.match(document):
            raise BadInput("the front matter is opened with --- and not closed", about=where)
        front = _front_matter(found[2], where) if found else {}
        fields = {**_from_body(document[found.end() :] if found else document), **front}
    said: dict[str, Any] = {name: text_of(fields.get(name, "")) for name in ("name", "description", "when")}
    said |= {name: tuple(texts_of(fields.get(name, ""))) for name in LIST_FIELDS}
    if isinstance(fields.get("tools"), str):
        said["tools"] = tuple(re.findall(r"[^\s,]+", fields["tools"]))
    procedure = ProcedureText(**said)
    if not (procedure.description or procedure.when or procedure.steps):
        raise BadInput("says nothing yet; give a description, or steps", about=where)
    return procedure


def procedure_document(procedure: ProcedureText) -> str:
    """Return a procedure as a YAML document; `read_procedure` reads it back."""
    fields = procedure._asdict()
    return write_yaml(
        {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items() if value}
    )


def renamed_document(document: str, form: DocumentFormat, name: str, where: str) -> str:
    """Return the document with `name` set; unchanged if it has it already, and ending with a newline.

    Raises BadInput if its name cannot be set.
    """
    document = document if document.endswith("\n") else document + "\n"
    if read_procedure(document, form, where).name == name:
        return document
    line = write_yaml({"name": name}).strip()
    front = _FRONT.match(document) if form == "markdown" else None
    if form == "markdown" and not front:
        document = f"---\n{line}\n---\n\n{document}"
    else:
        opened = front or _OPENED.match(document)
        start = opened.end(1 if front else 0) if opened else 0
        end = front.end(2) if front else len(document)
        fields = document[start:end]
        if _NAME_LINE.search(fields):
            fields = _NAME_LINE.sub(lambda _: line, fields, count=1)
        else:
            fields = f"{line}\n{fields}"
        document = document[:start] + fields + document[end:]
    if read_procedure(document, form, where).name != name:
        raise BadInput(f"says another name than {name!r}; write `{line}` there", about=where)
    return document


def _mapping(text: str, where: str) -> dict[str, Any]:
    fields: Any = read_yaml(text, where)
    if fields == "":
        return {}
    if not isinstance(fields, dict):
        raise BadInput("expected `field: value` lines (description, when, steps, …)", about=where)
    # An empty field is dropped, since it may be given elsewhere.
    return {_FIELD_OF.get(_key(name), str(name)): value for name, value in fields.items() if value}


def _front_matter(text: str, where: str) -> dict[str, Any]:
    try:
        return _mapping(text, where)
    except BadInput:
        # Skills in the wild have `description: Use when: …` or `argument-hint: [a] [b]`, which is invalid
        # YAML, but every agent reads it: so parse by line. Lists are not supported that way.
        fields = _by_line(text)
        if fields is None or set(fields) & set(LIST_FIELDS):
            raise
        return {name: _scalar(value) for name, value in fields.items() if value}


def _by_line(text: str) -> dict[str, str] | None:
    """Return each `key: value` at the margin, with its indented lines; None if there is anything else."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        pair = re.match(r"([A-Za-z][\w-]*):(?:[ \t]+(.*))?$", line)
        if pair:
            name = pair[1]
            fields[name] = re.sub(r"^[>|][+-]?$", "", (pair[2] or "").strip())
        elif not line.strip() or line.startswith((" ", "\t", "- ", "#")):
            if fields and not line.startswith("#"):
                fields[name] = f"{fields[name]} {line.strip()}".strip()
        else:
            return None
    return fields


def _scalar(text: str) -> str:
    """Return the content of a quoted text; text that is no YAML, unchanged."""
    try:
        value = read_yaml(text, "")
    except BadInput:
        return text
    return value if isinstance(value, str) else text


def _from_body(body: str) -> dict[str, Any]:
    """Return the fields under headings of their own; the first paragraph is the description."""
    fields: dict[str, Any] = {}
    title, before = "", []
    section, depth = None, 0
    for line, in_fence in _lines(body):
        heading = None if in_fence else _HEADING.match(line)
        if heading and (section is None or len(heading[1]) <= depth):
            title = title or heading[2]
            section, depth = _FIELD_OF.get(_key(heading[2])), len(heading[1])
            if section:
                fields.setdefault(section, [])
        elif section:
            fields[section].append((line, in_fence))
        elif not fields:
            before.append(line)
    for name, lines in fields.items():
        fields[name] = _items(lines) if name in LIST_FIELDS else "\n".join(line for line, _ in lines).strip()
    if "description" not in fields:
        paragraphs = re.split(r"\n\s*\n", "\n".join(before).strip())
        fields["description"] = " ".join(paragraphs[0].split()) or title
    return fields


def _lines(text: str) -> Iterable[tuple[str, bool]]:
    """Yield each line, and whether it is in a fenced block (its fences included)."""
    fence = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        mark = _FENCE.match(line)
        if fence:
            yield line, True
            if mark and mark[1].startswith(fence) and not line.strip(" \t" + fence[0]):
                fence = ""
        else:
            fence = mark[1] if mark else ""
            yield line, bool(mark)


def _items(lines: Sequence[tuple[str, bool]]) -> list[str]:
    """Return the items of a list with their continuation; the paragraphs if there is no list."""
    items: list[list[str]] = []
    indent = 0
    for line, in_fence in lines:
        mark = None if in_fence else _ITEM.match(line)
        if mark and (not items or len(mark[1]) < indent):
            indent = mark.end()
            items.append([line[indent:]])
        elif items:
            # Deeper lines keep their indentation beyond the item's own.
            items[-1].append(line[min(indent, len(line) - len(line.lstrip())) :])
    if not items:
        paragraphs = re.split(r"\n\s*\n", "\n".join(line for line, _ in lines))
        return [each.strip() for each in paragraphs if each.strip()]
    return [text for text in ("\n".join(item).strip() for item in items) if text]


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name).strip().rstrip(":").casefold()
