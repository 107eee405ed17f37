"""Payload that an agent passes on stdin: read until it is complete, bounded, and of any shape."""

from __future__ import annotations

import codecs
import json
import os
import re
import select
from collections.abc import Mapping
from typing import Any

from memcli.named_tuple import NamedTuple

# The most bytes read from stdin: enough for a prompt with a whole log pasted in.
_MOST = 4 * 1024 * 1024
_BLOCK = 64 * 1024
_NAME = 64
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class Payload(NamedTuple):
    """The fields of an event, by their names in snake case."""

    fields: Mapping[str, Any]

    def text(self, *names: str) -> str:
        """Return the first of these fields that is a non-blank text; else an empty text."""
        found = (self.fields.get(name) for name in names)
        return next((each for each in found if isinstance(each, str) and each.strip()), "")

    @property
    def session(self) -> str:
        """Return the agent's session id as a name: its letters, digits, `_` and `-`, at most 64."""
        told = self.text("session_id", "conversation_id")
        return re.sub(r"[^A-Za-z0-9_-]", "", told)[:_NAME]

    @property
    def is_of_the_session_itself(self) -> bool:
        """True unless it comes from a subagent, or from a hook's own doing."""
        return not (self.text("agent_id") or self.fields.get("stop_hook_active") is True)


def read_payload(descriptor: int) -> Payload | None:
    """Read an agent's event; None if it is no JSON object. Blocks while nothing comes.

    An agent may leave its end open: the input is parsed as soon as it is complete.
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
            # The code page of a Windows console.
            text = content.decode("cp1252", "replace")
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    return Payload({_snake(name): value for name, value in said.items()})


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name[:_NAME]).lower()
