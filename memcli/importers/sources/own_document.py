"""memcli's own Markdown document, as `mem export --format md` writes it, read back into statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File
from memcli.importers.records import Problem, Record, Statement, UnreadTime, When
from memcli.model import KINDS, Kind
from memcli.prompt.formats import UNDATED, UNTRUSTED_TEXT
from memcli.times import now, parse_instant
from memcli.upkeep.exchange.documents import COMMA, IN_PART, MARK

_HEAD = re.compile(r"\ufeff?# Memories\s*\n")
_SECTION = re.compile(r"## (\w+)(?: \((.*)\))?")
_ITEM = re.compile(r"- (.*?) <!-- ([0-9A-Z]{26}) --> _\((.*)\)_", re.DOTALL)
_KINDS: dict[str, Kind] = {
    **{f"{kind}s": kind for kind in KINDS}, "policies": "policy",
}  # fmt: skip
_UNTRUSTED = UNTRUSTED_TEXT.partition("{")[0]


def is_own_document(head: str) -> bool:
    """True if a text begins like such an export."""
    return _HEAD.match(head) is not None and _ITEM.search(head) is not None


def read_own_document(file: File) -> Iterator[Record]:
    """A statement for each memory that is in force.

    Of a policy or a named procedure only the text stands there: it is a problem.
    """
    kind: Kind | None = None
    space: str | None = None
    waiting: list[str] = []
    start = 0

    def ended() -> Iterator[Record]:
        if found := _ITEM.fullmatch("\n".join(waiting)):
            yield from _statement(f"{file.place}: line {start}", found, kind, space)
        waiting.clear()

    for number, line in enumerate(file.whole().replace("\r\n", "\n").split("\n"), start=1):
        if section := _SECTION.fullmatch(line):
            yield from ended()
            kind, space = _KINDS.get(section[1].lower()), section[2]
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


def _statement(place: str, found: re.Match[str], kind: Kind | None, space: str | None) -> Iterator[Record]:
    day, *about = found[3].split(", ")
    marks: dict[str, str] = {}
    tags = []
    for each in (part.replace(COMMA, ",") for part in about):
        mark = MARK.fullmatch(each)
        if mark is None:
            marks.setdefault("session", each)
        elif each.startswith("#"):
            tags.append(each)
        else:
            marks[mark["flag"] or mark["name"]] = mark["value"] or ""
    if "ended" in marks:
        return
    if IN_PART in marks:
        whole = "mem policy export" if kind == "policy" else "mem procedure export"
        yield Problem(
            place, f"of a {kind} only the text stands here; `{whole}` and --format jsonl have it whole"
        )
        return
    undated = day == UNDATED
    trusted = not found[1].startswith(_UNTRUSTED)
    yield Statement(
        place, found[2], found[1].removeprefix(_UNTRUSTED), kind, fields.tags(tags),
        None if undated else fields.told_time("day", day), trusted,
        _fraction(marks, "confidence"), _fraction(marks, "importance"), session=marks.get("session"),
        data={"undated": True} if undated else {}, space=space,
        valid_from=_instant(marks, "from"), valid_until=_instant(marks, "until", end=True),
        expires_at=_instant(marks, "expires"),
    )  # fmt: skip


def _fraction(marks: Mapping[str, str], name: str) -> float | None:
    try:
        return float(marks[name]) if name in marks else None
    except ValueError:
        return None


def _instant(marks: Mapping[str, str], name: str, *, end: bool = False) -> When:
    """Parse a local day or an instant; return what could not be parsed as an UnreadTime."""
    if name not in marks:
        return None
    try:
        return parse_instant(marks[name], now(), end=end)
    except BadInput:
        return UnreadTime(f"{name}: {marks[name]!r:.40}")
