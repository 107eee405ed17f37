"""The Markdown that `mem export --format md` writes, read back: what it says of each memory, and no more."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.importers import fields
from memcli.importers.files import File
from memcli.importers.records import Record, Statement
from memcli.model import KINDS, Kind
from memcli.prompt.formats import UNDATED, UNTRUSTED_TEXT

_HEAD = re.compile(r"\ufeff?# Memories\s*\n")
_SECTION = re.compile(r"## (\w+)(?: \(.*\))?")
_ITEM = re.compile(r"- (.*?) <!-- ([0-9A-Z]{26}) --> _\((.*)\)_", re.DOTALL)
_KINDS: dict[str, Kind] = {
    **{f"{kind}s": kind for kind in KINDS}, "policies": "policy",
}  # fmt: skip
_UNTRUSTED = UNTRUSTED_TEXT.partition("{")[0]
_CONFIDENCE = re.compile(r"confidence (\d(?:\.\d+)?)")


def is_own_document(head: str) -> bool:
    """Whether a text begins as such an export."""
    return _HEAD.match(head) is not None and _ITEM.search(head) is not None


def read_own_document(file: File) -> Iterator[Record]:
    """A statement for each memory that is in force."""
    kind: Kind | None = None
    waiting: list[str] = []
    start = 0

    def ended() -> Iterator[Record]:
        if found := _ITEM.fullmatch("\n".join(waiting)):
            yield from _statement(f"{file.place}: line {start}", found, kind)
        waiting.clear()

    for number, line in enumerate(file.whole().replace("\r\n", "\n").split("\n"), start=1):
        if section := _SECTION.fullmatch(line):
            yield from ended()
            kind = _KINDS.get(section[1].lower())
        elif line.startswith("- "):
            yield from ended()
            start = number
            waiting.append(line)
        elif waiting:
            waiting.append(line.removeprefix("  "))
            if not line and _ITEM.fullmatch("\n".join(waiting[:-1])):
                waiting.pop()
                yield from ended()
    yield from ended()


def _statement(place: str, found: re.Match[str], kind: Kind | None) -> Iterator[Record]:
    day, *about = found[3].split(", ")
    tags = [each for each in about if each.startswith("#")]
    confidence = next(filter(None, map(_CONFIDENCE.fullmatch, about)), None)
    others = [each for each in about if each not in (*tags, "ended") and not _CONFIDENCE.fullmatch(each)]
    if "ended" in about:
        return
    undated = day == UNDATED
    trusted = not found[1].startswith(_UNTRUSTED)
    yield Statement(
        place, found[2], found[1].removeprefix(_UNTRUSTED), kind, fields.tags(tags),
        None if undated else fields.told_time("day", day), trusted,
        float(confidence[1]) if confidence else None, session=others[0] if others else None,
        data={"undated": True} if undated else {},
    )  # fmt: skip
