"""memcli's own words, come back through a pipe: recognised, so that they are not stored again.

What recall prints for a prompt is marked (`memcli.prompt_block`); an LLM often
quotes it whole or in part. A memory that grows by quoting itself is worthless.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_BLOCK = re.compile(
    r'<(?P<name>memories|task|session-summary) from="memcli"[^>\n]*>'
    r"(?:\s*\n.*?(?:</(?P=name)>|\Z)|.*?</(?P=name)>)",
    re.DOTALL,
)
# A line of the block: `- [8CHARTAIL, 2026-05-03, …] text`; or of `--format text`: `0.83  8CHARTAIL  fact  …`.
_BULLET = re.compile(r"^\s*[-*]?\s*\[(?P<id>[0-9A-HJKMNP-TV-Z]{8,26})(?:, [^\]\n]*)?\]\s*(?P<text>.*)$")
_LISTED = re.compile(r"^(?:\d\.\d\d  )?(?P<id>[0-9A-HJKMNP-TV-Z]{8})  [a-z]+ +\d{4}-\d\d-\d\d  (?P<text>.*)$")
_HEADING = re.compile(r"^[A-Z][A-Za-z0-9 ,()]{2,40}:$")


class Heard(NamedTuple):
    """A text without memcli's own words, and how many pieces of them it held."""

    text: str
    echoes: int


def without_echoes(text: str, recalled: Callable[[str], str | None]) -> Heard:
    """Take marked blocks and unchanged recalled lines out of a text.

    `recalled` gives the text of the memory whose id ends so, or None: a line
    is an echo only if it says just what that memory says.
    """
    if "[" not in text and 'from="memcli"' not in text and not _LISTED.search(text):
        return Heard(text, 0)
    rest, blocks = _BLOCK.subn("", text)
    kept = []
    lines = 0
    for line in rest.splitlines():
        match = _BULLET.match(line) or _LISTED.match(line)
        known = recalled(match["id"]) if match else None
        if match and known is not None and _same(match["text"], known):
            lines += 1
        else:
            kept.append(line)
    if lines:
        kept = [line for line in kept if not _HEADING.match(line.strip())]
    if not blocks and not lines:
        return Heard(text, 0)
    return Heard("\n".join(kept).strip(), blocks + lines)


def _same(said: str, known: str) -> bool:
    """Whether a line says just what a memory says, or the marked beginning of it."""
    flat, whole = " ".join(said.split()), " ".join(known.split())
    head = flat.removesuffix("… [shortened]")
    return flat == whole or (head != flat and len(head) > 20 and whole.startswith(head))
