"""What an agent hands over on stdin: read as far as it is whole, bounded, and of whatever shape."""

from __future__ import annotations

import codecs
import json
import os
import re
import select
from collections.abc import Mapping
from typing import Any

from memcli.named_tuple import NamedTuple

# The most that is read of stdin, in bytes: a prompt with a whole log pasted in.
_MOST = 4 * 1024 * 1024
_BLOCK = 64 * 1024
_NAME = 64
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class Payload(NamedTuple):
    """The fields of an event, by their names in snake case."""

    fields: Mapping[str, Any]

    def text(self, *names: str) -> str:
        """The first of these fields that is a text with something in it; else an empty one."""
        found = (self.fields.get(name) for name in names)
        return next((each for each in found if isinstance(each, str) and each.strip()), "")

    @property
    def session(self) -> str:
        """The agent's id of its session as a name: letters, digits, `_` and `-` of it, and not many."""
        told = self.text("session_id", "conversation_id")
        return re.sub(r"[^A-Za-z0-9_-]", "", told)[:_NAME]

    @property
    def is_of_the_session_itself(self) -> bool:
        """Whether it is no helper's of the agent (a subagent), and not a hook's own doing."""
        return not (self.text("agent_id") or self.fields.get("stop_hook_active") is True)


def read_payload(descriptor: int) -> Payload | None:
    """What an agent says of an event; None where it is no JSON object. Blocks while nothing comes.

    An agent may leave its end open: what is there is read as soon as it is whole.
    """
    held = bytearray()
    while len(held) <= _MOST:
        block = os.read(descriptor, _BLOCK)
        held += block
        if not block:
            return _parsed(bytes(held))
        if held.rstrip().endswith(b"}") and not _has_more(descriptor) and (payload := _parsed(bytes(held))):
            return payload
    return None


def _has_more(descriptor: int) -> bool:
    try:
        return bool(select.select([descriptor], [], [], 0)[0])
    except (OSError, ValueError):  # Windows selects sockets only
        return False


def _parsed(content: bytes) -> Payload | None:
    encoding = next((name for mark, name in _MARKS.items() if content.startswith(mark)), "utf-8")
    try:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            # A Windows console's.
            text = content.decode("cp1252", "replace")
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    return Payload({_snake(name): value for name, value in said.items()})


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name[:_NAME]).lower()
