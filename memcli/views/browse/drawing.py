"""Drawing: turn the screen's data into Textual content; texts are never markup, styles set by position."""

from __future__ import annotations

from textual.content import Content
from textual.theme import Theme

from memcli.views.browse.detail import Detail
from memcli.views.browse.listings import Entry

THEME = Theme(
    "memcli", dark=True, background="#15171c", surface="#1d2027", panel="#252a33", foreground="#d8dce4",
    primary="#7cb2f0", secondary="#9aa5b8", accent="#e0a3d8", success="#93c98c", warning="#e3bd6e",
    error="#ec8078",
)  # fmt: skip
# The colours of kinds, by the theme's names; other values are not coloured.
_KINDS = {
    "fact": "$primary", "preference": "$accent", "outcome": "$success", "constraint": "$error",
    "episode": "$secondary", "procedure": "$warning", "policy": "$error", "link": "$primary",
    "contradiction": "$error", "duplicate": "$warning", "at hand": "$success",
}  # fmt: skip
_KIND_WIDTH = 10
_BETWEEN = "  ·  "
FAINT = "dim"


def drawn_entry(entry: Entry) -> Content:
    """Return an entry as one line of a list."""
    if entry.sort == "heading":
        return Content.assemble((entry.head, "bold"), (f"  {entry.text}", FAINT))
    kind = f"{entry.kind[:_KIND_WIDTH]:<{_KIND_WIDTH}}"
    parts = [(entry.head, FAINT), ("  ", ""), (kind, _KINDS.get(entry.kind, "")), ("  ", "")]
    parts.append((entry.text, FAINT if entry.faint else ""))
    if entry.marks:
        parts.append((f"  {entry.marks}", FAINT))
    return assembled(parts)


def drawn_beginning(entry: Entry) -> Content:
    """Return what is shown of an entry until its detail has been read."""
    return assembled([(entry.text, "")])


def drawn_detail(detail: Detail) -> Content:
    """Return the whole detail of an entry."""
    parts: list[tuple[str, str]] = [(detail.text, "bold"), ("\n\n" if detail.facts else "\n", "")]
    for number, (name, value) in enumerate(detail.facts):
        parts += [(_BETWEEN if number else "", FAINT), (f"{name} " if name else "", FAINT)]
        parts.append((value, _KINDS.get(value, "")))
    for section in detail.sections:
        parts.append((f"\n\n{section.heading}", "bold underline"))
        for line in section.lines:
            parts += [("\n  ", ""), (line, "")]
    return assembled(parts)


def assembled(parts: list[tuple[str, str]]) -> Content:
    """Join texts with their styles."""
    return Content.assemble(*(part if part[1] else Content(part[0]) for part in parts if part[0]))
