"""A program's output in a few lines: what failed, what stands around it, and how it ended.

Compilers, test runners and deploy scripts say the same few things in many shapes, so
lines are weighed instead of matched one program at a time: by the words in which
failures are told, by how rare the line's shape is in this output, and by where it
stands. The chosen lines come in their order with what explains them (a traceback, the
source under a compiler's arrow); what is left out is counted where it stood.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from memcli.text.sentences import shorten

# Of the room: what was called stands at the head, how it ended at the tail.
_HEAD, _TAIL = 0.15, 0.25
# A line longer than this part of the room is shortened around what makes it matter.
_LONG = 1 / 6
# So many lines explain one that matters: what follows it, and the one before.
_FOLLOWING, _BEFORE = 12, 1
# Of a long explanation the end says most: the innermost call, the exception.
_LAST = 6
# How much a line is worth by how bad its news is; the last by itself is only a warning.
_WORTH = {3: 8.0, 2: 4.0, 1: 1.0}

# A word of its own, and no part of a name: `errors.py`, `test_error_path`, `-Werror` fail nothing.
_OWN = r"(?<![\w/.\-]){}(?!\w|[./\-]\w|\()"
_FATAL = re.compile(
    _OWN.format(
        r"(?:errors?|fatal|fail(?:s|ed|ures?|ing)?|exceptions?|panic(?:ked)?|traceback|abort(?:ed)?|crash(?:ed)?"
        r"|assert(?:ion)?s?|segmentation fault|core dumped|undefined (?:reference|symbol)|unresolved"
        r"|fehler|erreurs?|échec|errore|fout|ошибка|エラー)"
    )
    + r"|\b[A-Za-z]\w*(?:Error|Exception|Failure|Fault)\b|\bERR!|\*\*\*(?!\*)|\bnot ok\b"
    r"|^\s*(?:E {2,}|[✗✖✘❌×]|FAIL\b|--- FAIL)",
    re.IGNORECASE,
)
_BAD = re.compile(
    _OWN.format(
        r"(?:cannot|can't|could ?n[o']t|unable to|denied|refused|forbidden|unauthori[sz]ed|not found|no such"
        r"|missing|invalid|illegal|unexpected|unsupported|unrecogni[sz]ed|mismatch(?:ed)?|conflicts?|killed"
        r"|tim(?:ed? ?|e-)out|timeout|leak(?:ed|s)?|corrupt(?:ed)?|overflow|deadlock|rejected"
        r"|violat(?:es|ed|ion)|rolled back|roll(?:ing)? ?back|out of memory|unhealthy|unreachable"
        r"|exit(?:ed)?(?: with)? (?:code|status))"
    ),
    re.IGNORECASE,
)
_WARNING = re.compile(_OWN.format(r"(?:warn(?:ings?)?|deprecated|caution|retry(?:ing)?)"), re.IGNORECASE)
# That nothing failed is told in the same words.
_NONE = re.compile(
    r"\b(?:0|no|zero|without)\s+(?:\w+\s+)?(?:errors?|failures?|failed|fail|exceptions?|warnings?|crashes)\b"
    r"|\b(?:errors?|failures?|failed|fail|exceptions?|warnings?)\s*[:=]\s*0\b"
    r"|\bexit(?:ed)?(?: with)? (?:code|status)[:= ]+0\b",
    re.IGNORECASE,
)
_PASSED = re.compile(
    r"^\s*(?:[✓✔√]|ok\b|PASS\b|\[\s*(?:ok|pass(?:ed)?)\s*\])|(?:\.\s?ok|\bPASSED|\bSUCCESS|\bOK)\s*(?:[\[(].*[\])])?$",
)
# What a run says of itself as a whole.
_SUMMARY = re.compile(
    r"\b\d+ (?:tests?|examples?|specs?|suites?|passed|failed|passing|failing|pending|errors?|warnings?"
    r"|failures?|problems?|assertions?|skipped|targets?|crates?)\b"
    r"|^\W*(?:BUILD|TESTS?|RESULTS?|TOTAL|SUMMARY|RAN|DONE|FINISHED)\b"
    r"|\bexit(?:ed)?(?: with)? (?:code|status)\b",
    re.IGNORECASE,
)
# A line of one of these beginnings explains the one above, however it is indented.
_EXPLAINS = re.compile(
    r"\s+\S|[|^~>]|\d+ ?\||-->|at |File |Caused by|note:|help:|hint:|E {2,}|\.\.\.|={1,3} ?note"
)
# What differs between lines of one shape: numbers, paths, what is quoted.
_VARIES = re.compile(r"0x[0-9a-f]+|(?:[\w.\-]*/)+[\w.\-]*|\"[^\"]*\"|'[^']*'|\d+", re.IGNORECASE)


class _Passage(NamedTuple):
    """Lines that belong together, and what they are worth."""

    worth: float
    lines: tuple[int, ...]


def condense(text: str, limit: int) -> str:
    """A program's output in at most `limit` characters: head, failures with their context, tail.

    Left-out lines are counted where they stood. A text of that length or less
    comes back as it is; one of hardly any lines is cut in its middle.
    """
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    if len(text) <= limit:
        return text
    if len(lines) < 4:
        return shorten(text, limit)
    width = max(40, int(limit * _LONG))
    lines = [line if len(line) <= width else _around(line, width) for line in lines]
    chosen = _chosen(lines, limit)
    return _with_gaps(lines, sorted(chosen)) if chosen else shorten(text, limit)


def telling_lines(text: str, most: int) -> list[str]:
    """Up to `most` lines that stand for an output: its first, those that say what failed, its last."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    chosen = {0, len(lines) - 1} if lines else set()
    for passage in _passages(lines):
        # Of an explanation, the line that it explains and the one that it comes to.
        for number in sorted(passage.lines, key=lambda each: -_severity(lines[each])):
            if len(chosen) < most and _severity(lines[number]) > 1:
                chosen.add(number)
    return [lines[number] for number in sorted(chosen)[:most]]


def _chosen(lines: Sequence[str], limit: int) -> set[int]:
    """The numbers of the lines that stand for the output in `limit` characters."""
    # A gap's mark has its place taken from the room when a passage opens it.
    mark = len(_gap(len(lines))) + 1
    room = limit - 2 * mark
    chosen: set[int] = set()

    def take(number: int) -> bool:
        nonlocal room
        if number in chosen:
            return True
        if room < (cost := len(lines[number]) + 1):
            return False
        room -= cost
        chosen.add(number)
        return True

    _fill(range(len(lines)), limit * _HEAD, lines, take)
    _fill(range(len(lines) - 1, -1, -1), limit * _TAIL, lines, take)
    for passage in _passages(lines):
        fresh = [number for number in passage.lines if number not in chosen]
        if fresh and sum(len(lines[number]) + 1 for number in fresh) + mark <= room:
            room -= mark
            for number in fresh:
                take(number)
    # What is left shows more of how it began, and of how it ended.
    _fill(range(len(lines)), room * 2 / 3, lines, take)
    _fill(range(len(lines) - 1, -1, -1), room, lines, take)
    return chosen


def _fill(numbers: Iterable[int], share: float, lines: Sequence[str], take: Callable[[int], bool]) -> None:
    """Take lines in this order while their share of the room lasts."""
    left = share
    for number in numbers:
        if left <= 0 or not take(number):
            return
        left -= len(lines[number]) + 1


def _passages(lines: Sequence[str]) -> list[_Passage]:
    """What explains each line of bad news, together with it; the worst and rarest first."""
    severity = [_severity(line) for line in lines]
    shapes = [_VARIES.sub("#", line.strip()) for line in lines]
    often = Counter(shapes)
    seen: Counter[str] = Counter()
    ends = _ends(lines)
    found = []
    covered = -1
    for number, bad in enumerate(severity):
        summary = bool(_SUMMARY.search(lines[number]))
        if not (bad or summary):
            continue
        seen[shapes[number]] += 1
        # The first of a shape is news; and what is rare here tells more than what fills the output.
        rare = 1 / (seen[shapes[number]] * math.sqrt(often[shapes[number]]))
        worth = (_WORTH.get(bad, 0.0) + (_WORTH[2] if summary else 0.0)) * rare
        if number <= covered:
            worth /= 2  # it stands in the explanation of what came before
        context = _context(lines, number, ends[number]) if bad > 1 else (number,)
        covered = max(covered, *context)
        found.append(_Passage(worth, context))
    return sorted(found, key=lambda each: (-each.worth, each.lines))


def _ends(lines: Sequence[str]) -> list[int]:
    """For each line, the last of those that explain it."""
    ends = list(range(len(lines)))
    for number in range(len(lines) - 2, -1, -1):
        if _EXPLAINS.match(lines[number + 1]):
            ends[number] = ends[number + 1]
    return ends


def _context(lines: Sequence[str], number: int, last: int) -> tuple[int, ...]:
    """A line of bad news with the one before it and those that explain it."""
    if last > number and last + 1 < len(lines) and _severity(lines[last + 1]) == 3:
        last += 1  # a traceback comes to its exception
    first = max(0, number - _BEFORE) if number and lines[number - 1].strip() else number
    if last - first < _FOLLOWING:
        return tuple(range(first, last + 1))
    return (*range(first, first + _FOLLOWING - _LAST), *range(last - _LAST + 1, last + 1))


def _severity(line: str) -> int:
    """3: something failed; 2: something is wrong; 1: a warning; 0: neither."""
    if _PASSED.search(line):
        return 0
    told = _NONE.sub("", line)
    return 3 if _FATAL.search(told) else 2 if _BAD.search(told) else 1 if _WARNING.search(told) else 0


def _around(line: str, width: int) -> str:
    """A long line in `width` characters: its beginning, and what surrounds the bad news in it."""
    news = _FATAL.search(line) or _BAD.search(line)
    if news is None or news.start() < width // 2:
        return line[: width - 1] + "…"
    head, rest = width // 4, width - width // 4 - 3
    start = max(head, news.start() - rest // 4)
    return f"{line[:head]} … {line[start : start + rest]}"


def _with_gaps(lines: Sequence[str], numbers: Sequence[int]) -> str:
    return "\n".join(_gapped(lines, numbers))


def _gapped(lines: Sequence[str], numbers: Sequence[int]) -> Iterator[str]:
    before = -1
    for number in (*numbers, len(lines)):
        omitted = number - before - 1
        if omitted == 1 and len(lines[before + 1]) <= len(_gap(1)):
            yield lines[before + 1]  # to say that it is left out would take as much
        elif omitted:
            yield _gap(omitted)
        if number < len(lines):
            yield lines[number]
        before = number


def _gap(omitted: int) -> str:
    return f"… [{omitted:,} line{'s' if omitted > 1 else ''} omitted] …"
