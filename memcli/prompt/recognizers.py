"""Recognizers: regular expressions made from the templates in `formats`, which match filled-in templates.

Compiled when first needed: most texts hold nothing that memcli printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from string import Formatter

from memcli.ids import ALPHABET
from memcli.model import KINDS, ROLES, SOURCES
from memcli.prompt import formats
from memcli.prompt.budget import SHORTENED
from memcli.prompt.sections import HEADINGS

_DAY = r"\d{4}-\d\d-\d\d"
_TAIL = rf"[{ALPHABET}]{{8}}"
_COUNT = r"\d[\d,]{0,8}"
_SCORE = r"(?:-|-?\d\.\d\d)"
_ANY = r"[^\n]*?"
# What may stand in each field of a template; bounded, or the last of its line, because hostile texts are
# read, too.
FIELDS = {
    # Ids: of a memory of this space; of any memory; in full; of a change.
    "id": _TAIL, "stranger": _TAIL, "whole": rf"[{ALPHABET}]{{26}}", "change": rf"[{ALPHABET}]{{1,8}}",
    "text": _ANY, "rest": _ANY, "value": _ANY, "reason": _ANY, "why": _ANY,
    # Enumerations.
    "kind": f"(?:{'|'.join(KINDS)})", "source": f"(?:{'|'.join(SOURCES)})", "trust": "(?:un)?trusted",
    "enforcement": "(?:hard|soft|allow)", "mark": f"(?:{'|'.join(formats.NOTICES)})", "done": "[x ]",
    "answer": "(?:yes|no)", "zone": "(?:sure|weak|none)",
    # Times and numbers.
    "day": f"(?:{_DAY}|{formats.UNDATED})", "minute": rf"(?:{_DAY} \d\d:\d\d|{formats.UNDATED})", "second": rf"{_DAY} \d\d:\d\d:\d\d",
    "count": _COUNT, "total": _COUNT, "number": _COUNT, "confidence": r"\d(?:\.\d{1,6})?",
    "score": _SCORE, "words": _SCORE, "meaning": _SCORE, "share": _SCORE, "nearest": rf"(?:not searched|{_SCORE})",
    "sum": r"-?\d+\.\d{3}", "parts": r"[a-z][a-z ]{0,30} [+-]\d[^\n]{0,400}?",
    "span": r"(?:before|from) [^\n]{1,60}",
    # Columns of lists.
    "check": r"[a-z][a-z-]{3,14}",
    "size": r"(?:deleted|\d[\d,]{0,9}/\d[\d,]{0,9})", "at_hand": r"[* ]?",
    "success": r"(?:never reported|worked \d{1,9} of \d{1,9} \(at least \d{1,3}%\))",
    # Names.
    "action": "[a-z]{2,12}", "actor": r"\S{1,80}", "origin": r"\S{1,200}", "rule": r"\S{1,60}",
    "name": r"\S[^\n]{0,200}?", "field": "[a-z_]{2,14}", "fields": r"[a-z_]{2,14}(?:\.[^\n]{1,200}?)?: [^\n]{1,4000}? -> [^\n]{1,4000}?",
    "phrase": r"['\"][^\n]{1,300}?['\"]", "speaker": r"[^\s()]{1,60}(?:  \([^\n]{1,600}\))?",
    "attributes": r"[^>\n]*", "label": r"[^\s:][^:\n]{0,80}",
}  # fmt: skip
# In a line without spaces, a name ends before the next separator.
_RUN_TOGETHER = {
    "session": r"[^,\]…]{1,200}(?=[,\]…])",
    "space": r"[^,\])…]{1,200}(?=[,\])…])",
    "tag": r"[^#\s]{1,80}",
    "actor": r"\w{1,20}",
}
# The fields that are captured.
_GROUPS = ("id", "whole", "text", "mark")
# What a quotation, a list, a table or a fence puts before a line; bounded, because a long run of such
# characters could be divided between the two in many ways.
_QUOTING = r"[\s>|*+`\"'“”(-]{0,24}"
DRESS = rf"{_QUOTING}(?:\d{{1,3}}[.)]\s{{1,4}})?{_QUOTING}"


def pattern_of(template: str, **given: str) -> str:
    """Return the pattern of a filled-in template, with some of its fields as groups.

    `given` overrides the patterns of fields.
    """
    parts = []
    width = 0
    for literal, field, spec, _ in Formatter().parse(template):
        parts.append(_spaced(literal, width))
        if field:
            group = f"?P<{field}>" if field in _GROUPS else "?:"
            parts.append(given.get(field, f"({group}{FIELDS[field]})"))
        width = int(spec[1:]) if spec and spec.startswith("<") else 0
    return "".join(parts)


def _spaced(literal: str, width: int) -> str:
    """Return the pattern of a literal after a field that is padded to a width: at least its own spaces."""

    def spaces(run: re.Match[str]) -> str:
        least = len(run[0]) // 2
        wide = rf"(?<=\S{{{width}}})\s{{{least},40}}|" if width and not run.start() else ""
        return rf"(?:{wide}\s{{{least + bool(wide)},40}})"

    return re.sub(r"(?:\\ )+", spaces, re.escape(literal))


@cache
def line(*templates: str) -> re.Pattern[str]:
    """Return the pattern of a whole line from one of the templates, in any dress; indented if they are."""
    deep = [r"(?<=\s\s)" if each.startswith("  ") else "" for each in templates]
    lines = (found + pattern_of(each.strip()) for found, each in zip(deep, templates, strict=True))
    return re.compile(rf"^{DRESS}(?:{'|'.join(lines)})\s*$")


@cache
def opening() -> re.Pattern[str]:
    """Return the pattern of the beginning of a marked block, with its quotes escaped or not."""
    return re.compile(pattern_of(formats.OPEN).replace('"', r'\\?"'))


@cache
def closing() -> re.Pattern[str]:
    """Return the pattern of the end of a marked block, with nothing meaningful after it."""
    return re.compile(pattern_of(formats.CLOSE) + r"[\s\"'`}\])*]*$")


@cache
def whole_blocks() -> re.Pattern[str]:
    """Return the pattern of blocks removed as a whole: of tasks and sessions, and memories on one line."""
    free = "|".join(mark for mark in formats.NOTICES if mark != "memories")
    opened = pattern_of(formats.OPEN, mark=f"(?P<mark>{free})")
    closed = pattern_of(formats.CLOSE, mark="(?P=mark)")
    on_one_line = pattern_of(formats.OPEN, mark="memories") + ".*?" + formats.CLOSE.format(mark="memories")
    return re.compile(rf"{opened}(?:\s*\n(?s:.*?)(?:{closed}|\Z)|(?s:.*?){closed})|{on_one_line}")


@cache
def alone() -> re.Pattern[str]:
    """Return the pattern of lines that memcli prints whatever memories there are."""
    lines = (
        each
        for each in formats.LINES
        if not {*_GROUPS} & {field for _, field, _, _ in Formatter().parse(each)}
    )
    return line(*lines)


@cache
def inside() -> re.Pattern[str]:
    """Return the pattern of lines inside the block of memories: a memory or label, its details, a heading."""
    lines = "|".join(
        pattern_of(each, text=_ANY) for each in (*HEADINGS.values(), formats.IN_TIME_ORDER, *formats.TASK)
    )
    deep = len(formats.CONTINUED.removeprefix("\n"))
    return re.compile(rf"^(?:{DRESS}(?:{lines})\s*|[>|\s]{{0,60}}\s{{{deep},}}\S.*|\s*)$")


@cache
def heading() -> re.Pattern[str]:
    """Return the pattern of a heading over memories, and nothing else."""
    headings = dict.fromkeys(
        (*HEADINGS.values(), formats.IN_TIME_ORDER, *formats.PROFILE.values(), formats.NOW_HEADING)
    )
    return re.compile(rf"^{DRESS}(?:{'|'.join(map(re.escape, headings))})\s*$")


@cache
def beside() -> re.Pattern[str]:
    """Return the pattern of lines among memories that hold none: a block's notice, the head of a table."""
    said = (*formats.NOTICES.values(), *formats.FORMER_NOTICES)
    notices = "|".join(re.escape(notice.partition(".")[0]) for notice in said)
    heads = "|".join(
        r"\s+".join(columns[:shown] + columns[-1:])
        for columns, narrow in (
            (formats.FOUND_COLUMNS, formats.FOUND_NARROW),
            (formats.LISTED_COLUMNS, formats.LISTED_NARROW),
        )
        for shown in (narrow, len(columns) - 1)
    )
    return re.compile(rf"^{DRESS}(?:(?:{notices})\..{{0,80}}|{re.escape(formats.WEAK)})$|^\s*(?:{heads})\s*$")


@cache
def frame() -> re.Pattern[str]:
    """Return the pattern of all that may surround a text, without spaces and ids: punctuation, kinds, marks.

    Atomic, without backtracking, which would take forever on a long number.
    """
    words: dict[str, None] = dict.fromkeys((*KINDS, *ROLES, formats.UNDATED))
    named: list[str] = []
    for template in (*formats.AROUND, SHORTENED):
        for literal, field, _, _ in Formatter().parse(template):
            said = re.findall("[a-z]+|#$", literal)
            if field in _RUN_TOGETHER:
                named.append(said.pop() + _RUN_TOGETHER[field])
            words.update(dict.fromkeys(word for word in said if word != "#"))
    return re.compile(rf"(?>(?:{'|'.join([*named, *_longest_first(words)])}|[\W\d_])*)")


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(words, key=lambda word: (-len(word), word))
