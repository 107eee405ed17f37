"""memcli's own words, come back through a pipe: recognised, so that they are not stored again.

What recall prints for a prompt is marked (`memcli.prompt.context`); other output has the ids of
what it shows. An LLM often quotes it whole or in part: numbered, bulleted, quoted, in a table or
a code fence, escaped as JSON. A memory that grows by quoting itself is worthless. But what
somebody says anew stays, be it between such lines or around one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

_OPEN = re.compile(r'<(?P<name>memories|task|session-summary) from=\\?"memcli\\?"[^>\n]*>')
_BLOCK = re.compile(
    r'<(?P<name>task|session-summary) from="memcli"[^>\n]*>(?:\s*\n.*?(?:</(?P=name)>|\Z)|.*?</(?P=name)>)',
    re.DOTALL,
)
_CLOSE = re.compile(r"</(?:memories|task|session-summary)>[\s\"'`}\])*]*$")
_INLINE = re.compile(r'<memories from="memcli"[^>\n]*>.*?</memories>')
# What a quotation, a list, a table or a fence puts before a line; bounded, or a long run of such signs
# would be divided between the two in every way there is.
_SIGNS = r"[\s>|*+`\"'“”(-]{0,24}"
_WRAP = rf"{_SIGNS}(?:\d{{1,3}}[.)]\s{{1,4}})?{_SIGNS}"
# A line inside the block of memories: a memory or a block's label, what belongs to it, a heading.
_INSIDE = re.compile(
    rf"^(?:{_WRAP}- |[>|\s]{{0,60}}\s{{2,}}\S|{_WRAP}[A-Z][A-Za-z0-9 ,()]{{2,40}}:\s*$|\s*$)"
)
_NOTICE = re.compile(
    rf"^{_WRAP}(?:Remembered notes, most relevant first\.|Working memory of the task at hand\.).{{0,80}}$"
)
_HEADING = re.compile(r"^[^\n]{0,100}:[\s*_\"']*$")
_LABEL = re.compile(rf"^{_WRAP}[^\s:][^:\n]{{0,80}}: [^\n]+\s*$")
_FENCE = re.compile(r"^\s*(?:>\s*)?(?:```|~~~)\w{0,12}\s*$|^[\W_]*(?:\"\w{1,20}\"\s*:\s*)?[\W_]*$")
_ID = re.compile(r"(?<![0-9A-Za-z])[0-9A-HJKMNP-TV-Z]{8}(?:[0-9A-HJKMNP-TV-Z]{18})?(?![0-9A-Za-z])")
# All that memcli prints around a text, without spaces and ids: times, numbers, kinds, what it says of them.
# Nothing is tried twice (atomic), or a long number would take for ever.
_FRAME = re.compile(
    r"(?>[\W\d_]|session[^,\]]{1,200}(?=[,\]])|#[^#\s]{1,80}"
    r"|fact|preference|outcome|constraint|episode|procedure|policy|words|meaning|confidence|from|until|untrusted"
    r"|user|assistant|system|tool|error|decision|note|event|summary|shortened|ended|id|score|by\w{1,20}"
    r"|add|import|confirm|doubt|edit|correct|merge|end|restore|known|recalled|miss)*+"
)
# The fields that `mem show` prints, a line each.
_FIELD = re.compile(r"^[a-z_]{2,14} {2,}\S|^[a-z_]{14} \S")
_SHOWN = re.compile(r"^id {8,}[0-9A-HJKMNP-TV-Z]{26}\s*$")
# The head of a table of memories; what `recall --explain` says beside the texts.
_TABLE = re.compile(r"^\s*(?:score\s+)?id\s+kind\s+when(?:\s+by)?\s+text\s*$")
_EXPLAINED = re.compile(
    r"^ {2,8}[a-z][a-z ]{0,20} [+-]\d+\.\d{3}\b.{0,400} = -?\d+\.\d{3}\s*$"
    r"|^ {2,8}words score (?:-|\d\.\d\d), meaning score (?:-|\d\.\d\d)\s*$"
    r"|^ {2,8}[^:\n]{3,300}: score \d\.\d\d(?:, total -?\d+\.\d{3})?\s*$"
    r"|^miss  [0-9A-HJKMNP-TV-Z]{8}\s*$"
    r"|^floor: nearest meaning .{1,40}, most words in one memory \d"
    r"|^event: '.{1,300}' is [0-9A-HJKMNP-TV-Z]{8}  |^ {6}preferred is what happened "
)
# A line of `mem history`: which change, when, what, of which memory, by whom, why.
_HISTORY = re.compile(
    r"^[0-9A-HJKMNP-TV-Z]{8}  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  [a-z]{2,10} +"
    r"(?P<id>[0-9A-HJKMNP-TV-Z]{8})  by \S{1,80}(?:  [a-z_]{3,14}: [^\n]{1,300} -> [^\n]{1,300})?"
    r"(?:  \([^\n]{0,300}\))?\s*$"
)
# What a record has of a piece of an answer that is no memory (`memcli.tiers.context.answer.record`).
_PIECE = {"tier", "text", "trusted", "degraded"}
_PIECE_MAY = _PIECE | {"id", "link", "degraded_reason", "shortened"}
# The first line below the heading of a task, as text and a table have it.
_GOAL = "  Goal: "
# A folded table or an indented text goes on for so many lines.
_FOLDED = 12
# An id stands this near to a line's beginning, or to its end.
_HEAD, _FOOT = 120, 60

# What stands over the parts of a profile, beside the headings of the tiers.
_PROFILE = ("Habits:", "Relationships:", "Goals:")

# The reason, as people read it.
ECHOED = "it is what memcli itself printed, unchanged"

Recalled = Callable[[str], str | None]


class Heard(NamedTuple):
    """A text without memcli's own words, and how many pieces of them it held."""

    text: str
    echoes: int


def _nobody(_: str) -> bool:
    return False


def without_echoes(
    text: str,
    recalled: Recalled,
    said: Callable[[str], bool] = _nobody,
    labelled: Callable[[], Collection[str]] = tuple,
) -> Heard:
    """Take marked blocks and unchanged recalled lines out of a text.

    `recalled` gives the text of the memory whose id ends so, or None: a line is an
    echo only if it says just what that memory says. `said` tells whether a text was a
    turn of a session, `labelled` gives the blocks as they are printed (`label: text`).
    """
    if _LABEL.match(text) and _flat(_unwrapped(text)) in {_flat(label) for label in labelled()}:
        return Heard("", 1)
    if not _may_echo(text):
        return Heard(text, 0)
    if (records := _records(text)) and all(_is_record(each, recalled, said) for each in records):
        return Heard("", len(records))
    rest, blocks = _BLOCK.subn("", _unescaped(text))
    rest, inline = _INLINE.subn("", rest) if "</memories>" in rest else (rest, 0)
    kept: list[str] = []
    echoes = blocks + inline
    own = OwnLines(recalled)
    for line in own.taken_from(rest.splitlines(), said):
        kept.append(line)
    echoes += own.taken
    if not echoes:
        return Heard(text, 0)
    labels = {_flat(label) for label in labelled()}
    kept = [line for line in kept if not _is_around(line) and _flat(_unwrapped(line)) not in labels]
    return Heard("\n".join(kept).strip(), echoes)


class OwnLines:
    """Lines of memcli's own output among others, one after the other: what a batch gets."""

    def __init__(self, recalled: Recalled) -> None:
        self._recalled = recalled
        self._inside = False
        self._shown = False
        self._task = ""
        self.taken = 0

    def taken_from(self, lines: list[str], said: Callable[[str], bool]) -> Iterator[str]:
        """The lines that are not memcli's own; `taken` counts the others."""
        place = 0
        while place < len(lines):
            opened = _OPEN.search(lines[place])
            if opened and not _is_around(before := lines[place][: opened.start()]):
                yield before.rstrip()
            if self.is_own(lines[place]):
                self.taken += 1
                place += 1
            elif own := self._echoed(lines, place):
                self.taken += 1
                place += own
            elif (records := _records(lines[place])) and all(
                _is_record(each, self._recalled, said) for each in records
            ):
                self.taken += 1
                place += 1
            else:
                yield lines[place]
                place += 1

    def is_own(self, line: str) -> bool:
        """Whether a line is of the frame: of a marked block, or of a memory's fields as `mem show` has them.

        A line inside a block that memcli would not print there is none of its own.
        """
        if _OPEN.search(line) and not _CLOSE.search(line):
            self._inside = True
            return True
        if _CLOSE.search(line) and (self._inside or _CLOSE.match(line.lstrip(" >|"))):
            self._inside = False
            return True
        if self._is_beside(line):
            return True
        if self._inside:
            return _INSIDE.match(line) is not None
        if _SHOWN.match(line) and self._recalled(line.split()[1]) is not None:
            self._shown = True
            return True
        self._shown = self._shown and _FIELD.match(line) is not None
        return self._shown or self._is_of_task(line)

    def _is_of_task(self, line: str) -> bool:
        """Whether a line stands below the heading of a task: its goal, and what is indented after that."""
        from memcli.prompt.sections import HEADINGS, NOW

        if line.rstrip().endswith(":") and _unwrapped(line).strip() in (HEADINGS["task"], NOW):
            self._task = _GOAL
            return False
        if self._task and line.startswith(self._task):
            self._task = "  "
            return True
        self._task = ""
        return False

    def _is_beside(self, line: str) -> bool:
        """Whether a line is one that memcli prints beside texts, and that holds none."""
        if _NOTICE.match(line) or _TABLE.match(line) or _EXPLAINED.match(line):
            return True
        change = _HISTORY.match(line)
        return change is not None and self._recalled(change["id"]) is not None

    def _echoed(self, lines: list[str], place: int) -> int:
        """How many lines from this one on say what a memory says, and nothing else; 0 where they do not."""
        line = lines[place]
        for tail in dict.fromkeys(_ID.findall(line[:_HEAD]) + _ID.findall(line[_HEAD:][-_FOOT:])):
            known = self._recalled(tail)
            if known is None:
                continue
            whole = _dense(known)
            joined = ""
            for number, line in enumerate(lines[place : place + _FOLDED], start=1):
                if number > 1 and (not line.startswith((" ", "|", ">", "\t")) or _ID.search(line)):
                    break
                joined += _dense(line)
                if _is_frame(_without(joined, whole)):
                    return number
            # Only the frame, as over an indented text that was changed: nothing to remember in it.
            if _is_frame(_dense(lines[place])):
                return 1
        return 0


def is_heading(line: str) -> bool:
    """Whether a line is a heading that memcli prints over memories, and nothing else."""
    from memcli.prompt.sections import HEADINGS, NOW

    return _unwrapped(line).strip() in {*HEADINGS.values(), *_PROFILE, NOW}


def is_echo_record(record: dict[str, object], recalled: Recalled) -> bool:
    """Whether a JSON object is what memcli printed of a memory: its id, and just its text."""
    return _is_record(record, recalled, _nobody)


def _may_echo(text: str) -> bool:
    return (
        "memcli" in text or _ID.search(text) is not None or '"content"' in text or "Remembered notes" in text
    )


def _is_record(record: object, recalled: Recalled, said: Callable[[str], bool]) -> bool:
    if not isinstance(record, dict):
        return False
    if _is_piece(record):
        return True
    named, text, content = record.get("id"), record.get("text"), record.get("content")
    if isinstance(named, str) and isinstance(text, str) and _ID.fullmatch(named):
        known = recalled(named)
        return known is not None and _is_frame(_without(_dense(text), _dense(known)))
    if isinstance(content, str) and isinstance(record.get("role"), str):
        bare = re.sub(r"^\[[a-z]{3,10}\] | \([a-z]{3,10}:? ?[^()]{0,200}\)$", "", content)
        return content.startswith("<session-summary from=") or said(content) or said(bare)
    return False


def _is_piece(record: dict[str, object]) -> bool:
    """Whether a record is what recall printed of a block, a line of a task or a link: it names no memory."""
    from memcli.prompt.sections import HEADINGS

    named, tier = record.get("id") is not None, record.get("tier")
    return not named and tier in list(HEADINGS) and _PIECE <= record.keys() <= _PIECE_MAY


def _records(text: str) -> list[object]:
    """The JSON objects of a text that has nothing else; of one line of an array as well."""
    bare = text.strip()
    if not bare.startswith(("{", "[{")):
        return []
    for candidate in (bare, bare.rstrip(","), bare.lstrip("[").rstrip("],")):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, list) else [value]
    try:
        return [json.loads(line) for line in bare.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return []


def _unescaped(text: str) -> str:
    """A text whose lines were escaped as JSON has them, with its lines again."""
    if r"\n" not in text or not (r"from=\"memcli\"" in text or re.search(r"\\n\s*[-*\d]", text)):
        return text
    return text.replace(r"\n", "\n").replace(r"\"", '"')


def _without(dense: str, known: str) -> str:
    """A line without what a memory says, or the marked beginning of it."""
    if known and known in dense:
        return dense.replace(known, " ", 1)
    if "…" in dense and len(known) > 20 and (start := dense.find(known[:20])) >= 0:
        said, _, rest = dense[start:].partition("…")
        if known.startswith(said):
            return f"{dense[:start]} {rest}"
    return f"{dense}~other"


def _is_frame(dense: str) -> bool:
    return _FRAME.fullmatch(dense) is not None


def _is_around(line: str) -> bool:
    """What leads to or encloses a quotation, and says nothing by itself."""
    return bool(_HEADING.match(line) or _FENCE.match(line))


def _unwrapped(line: str) -> str:
    return re.sub(f"^{_WRAP}", "", line)


def _flat(text: str) -> str:
    return " ".join(text.split()).rstrip(" *\"'|")


def _dense(text: str) -> str:
    """Without spaces, and with a sign in place of each id, which would run into what stands beside it."""
    return "".join(_ID.sub("§", text).split())
