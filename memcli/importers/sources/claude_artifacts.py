"""Claude's artifacts: documents written beside a conversation, and files made for its user.

A call creates one, rewrites it or changes a part of it. Each is kept once, as the last call left it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memcli.importers import fields
from memcli.named_tuple import NamedTuple


class Artifact(NamedTuple):
    """An artifact in its final state: its id in the conversation, its title, and its whole text."""

    id: str
    name: str
    text: str


class Artifacts:
    """The artifacts of a conversation, by the message that last changed each."""

    def __init__(self, messages: Sequence[Mapping[str, Any]]) -> None:
        self._made: dict[str, tuple[int, Artifact]] = {}
        for message in messages:
            for call in fields.objects(message, "content"):
                if call.get("type") == "tool_use":
                    self._follow(message, fields.text(call, "name"), fields.mapping(call, "input"))

    def of(self, message: Mapping[str, Any]) -> Iterator[Artifact]:
        """Yield the artifacts last changed by a message, in the order in which they were begun."""
        for owner, artifact in self._made.values():
            if owner == id(message):
                yield artifact

    def _follow(self, message: Mapping[str, Any], tool: str, given: Mapping[str, Any]) -> None:
        if tool == "artifacts":
            key, text = fields.text(given, "id"), fields.text(given, "content")
        elif tool in ("create_file", "str_replace"):
            key, text = fields.text(given, "path"), fields.text(given, "file_text")
        else:
            return
        before = self._made[key][1] if key in self._made else Artifact(key, key.rsplit("/", 1)[-1], "")
        if not text:
            old = fields.text(given, "old_str")
            if not old or old not in before.text:
                return
            new = given.get("new_str")
            text = before.text.replace(old, new if isinstance(new, str) else "", 1)
        if text.strip():
            name = fields.one_line(fields.text(given, "title")) or before.name
            self._made[key] = (id(message), Artifact(key, name, text))
