"""JSONC: JSON with comments and trailing commas, edited in place.

A text is parsed into nodes that know where they begin and end; an edit is made in the text, which is then
parsed again. So everything that is not edited stays as it was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from memcli.errors import BadInput
from memcli.named_tuple import NamedTuple

_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_WORD = re.compile(r'"(?:[^"\\\n]|\\.)*"|[^\s,:{}\[\]"/]+')
# The deepest nesting: no settings file has more.
_DEEPEST = 100


class Node(NamedTuple):
    """A value and its place. Of an object, `keys` are the names of its `parts`; `value` holds it all."""

    start: int
    end: int
    value: Any
    parts: Sequence[Part] = ()


class Part(NamedTuple):
    """A member of an object (beginning with its name) or an item of a list, with its node."""

    start: int
    key: str | int
    node: Node


class NotJson(BadInput):
    """A text that is not JSON, even with comments and trailing commas."""


def parse(text: str) -> Node:
    """Parse a text. Raises NotJson, with the line."""
    start = _skip(text, 0)
    if start == len(text):
        return Node(start, start, None)
    node = _node(text, start, 0)
    if _skip(text, node.end) != len(text):
        raise _broken(text, _skip(text, node.end))
    return node


def _node(text: str, at: int, depth: int) -> Node:
    if depth > _DEEPEST:
        raise _broken(text, at)
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    word = _WORD.match(text, at)
    try:
        return Node(at, word.end() if word else at, json.loads(word[0] if word else ""))
    except ValueError:
        raise _broken(text, at) from None


def _container(text: str, start: int, depth: int) -> Node:
    is_object, close = text[start] == "{", "}" if text[start] == "{" else "]"
    parts: list[Part] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != close:
        began, key = at, len(parts)
        if is_object:
            name = _WORD.match(text, at)
            if not name or not name[0].startswith('"'):
                raise _broken(text, at)
            key = json.loads(name[0], strict=False)
            at = _skip(text, name.end())
            if text[at : at + 1] != ":":
                raise _broken(text, at)
            at = _skip(text, at + 1)
        node = _node(text, at, depth + 1)
        parts.append(Part(began, key, node))
        at = _skip(text, node.end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != close:
            raise _broken(text, at)
    held = {part.key: part.node.value for part in parts}
    return Node(start, at + 1, held if is_object else [*held.values()], parts)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _broken(text: str, at: int) -> NotJson:
    return NotJson(f"line {text.count(chr(10), 0, at) + 1}: not valid JSON")


# Edits


def find(node: Node, path: Sequence[str | int]) -> Node | None:
    """Return the node under these keys; None if there is none."""
    for key in path:
        found = [part.node for part in node.parts if part.key == key]
        if not found:
            return None
        node = found[-1]
    return node


def put(text: str, path: Sequence[str], value: Any) -> str:
    """Return the text with this value under the keys of `path`, whose objects are created if missing.

    Raises BadInput if one of them exists and is no object.
    """
    root = parse(text)
    if root.value is None and root.start == root.end:
        text, root = "{}\n", parse("{}")
    for depth, key in enumerate(path):
        here = find(root, path[:depth])
        if here is None or not isinstance(here.value, dict):
            raise BadInput(f"{'.'.join(path[:depth]) or 'the whole'} is not an object")
        there = find(here, [key])
        if there is None:
            held = value
            for name in reversed(path[depth + 1 :]):
                held = {name: held}
            return _insert(text, here, held, key)
    last = find(root, path)
    assert last  # noqa: S101 - found on the way
    return text[: last.start] + _written(value, text, last.start) + text[last.end :]


def append(text: str, path: Sequence[str], value: Any) -> str:
    """Return the text with one more item in the list under `path`, which is created if missing."""
    there = find(parse(text), path)
    if there is None:
        return put(text, path, [value])
    if not isinstance(there.value, list):
        raise BadInput(f"{'.'.join(path)} is not a list")
    return _insert(text, there, value, None)


def remove(text: str, path: Sequence[str | int]) -> str:
    """Return the text without the member or item at `path`, and without containers that are empty then."""
    root = parse(text)
    while path:
        holder, where = find(root, path[:-1]), path[-1]
        if holder is None or all(part.key != where for part in holder.parts):
            return text
        if len(holder.parts) > 1 or len(path) == 1:
            return _without(text, holder, where)
        path = path[:-1]
    return text


def _without(text: str, holder: Node, key: str | int) -> str:
    parts = holder.parts
    number = next(place for place, part in enumerate(parts) if part.key == key)
    if len(parts) == 1:
        return text[: holder.start + 1] + text[holder.end - 1 :]
    if number + 1 < len(parts):
        return text[: parts[number].start] + text[parts[number + 1].start :]
    # Remove the comma, and keep a comment on the part before it.
    comma = _skip(text, parts[number - 1].node.end)
    said = text[comma + 1 : parts[number].start].rstrip()
    rest = text[parts[number].node.end :]
    line = "\n" if "//" in said and not re.match(r"[ \t]*\r?\n", rest) else ""
    return f"{text[:comma]}{said}{line}{rest}"


def _insert(text: str, holder: Node, value: Any, key: str | None) -> str:
    """Return the text with one more part at the end of an object or a list, indented like its neighbours."""
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if not holder.parts:
        outer = _indent(text, holder.start)
        inner = outer + _unit(text)
        made = name + _written(value, inner)
        return f"{text[: holder.start + 1]}\n{inner}{made}\n{outer}{text[holder.end - 1 :]}"
    last = holder.parts[-1]
    after = last.node.end
    on_lines = "\n" in text[holder.start : last.start]
    between = "\n" + _indent(text, last.start) if on_lines else " "
    made = name + (
        _written(value, _indent(text, last.start)) if on_lines else json.dumps(value, ensure_ascii=False)
    )
    # After a trailing comma, if any, and a comment on the last part in the same line.
    comma = re.compile(r"(?:[ \t\r\n]+|/\*.*?\*/)*,", re.DOTALL).match(text, after)
    after = comma.end() if comma else after
    beside = re.compile(r"(?:[ \t]*(?:/\*[^\n]*?\*/|//[^\n\r]*))*").match(text, after) if on_lines else None
    said = beside[0] if beside else ""
    return f"{text[:after]}{'' if comma else ','}{said}{between}{made}{text[after + len(said) :]}"


def _written(value: Any, text_or_indent: str, at: int | None = None) -> str:
    """Return a value over several lines, indented like the line that it is inserted in."""
    indent = text_or_indent if at is None else _indent(text_or_indent, at)
    unit = "\t" if "\t" in indent else "  "
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"\n{indent}")


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return the indentation unit of a text, by its first indented line."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else "  "
