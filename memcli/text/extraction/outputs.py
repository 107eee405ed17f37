"""Outputs of programs, condensed to a few lines: what failed, its context, and how it ended.

Compilers, test runners and deploy scripts say the same few things in many formats, so lines are weighted
instead of parsed for one program at a time: by words of failure, by how rare the line's shape is in this
output, and by position. The chosen lines are shown in order with what explains them (a traceback, the source
line under a compiler's arrow); omitted lines are counted in place.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from memcli.named_tuple import NamedTuple
from memcli.text.printable import without_controls
from memcli.text.sentences import shorten

# Shares of the limit for the head, with what was called, and the tail, with how it ended.
_HEAD, _TAIL = 0.15, 0.25
# A line longer than this share of the limit is shortened around the word of failure.
_LONG = 1 / 6
# The most lines of a passage with its context, and the most lines before the failure.
_FOLLOWING, _BEFORE = 24, 6
# If that does not fit, so many lines, of which so many from the end: the innermost call, the exception.
_SHORT, _LAST = 12, 6
# How many lines an explanation is followed, and how many inside another explanation.
_REACH, _INSIDE = 400, 4
# In an output of at least so many lines, lines of a shape that at most so many have are news, whatever they
# say.
_MANY, _FEW = 50, 2
# The worth of a line by its severity; 1 is a warning.
_WORTH = {3: 8.0, 2: 4.0, 1: 1.0}

# A whole word, not part of a name: `errors.py`, `test_error_path`, `-Werror` are no failures.
_OWN = r"(?<![\w/.\-]){}(?!\w|[./\-]\w|\()"
_FATAL = re.compile(
    _OWN.format(
        r"(?:errors?|fatal|fail(?:s|ed|ures?|ing)?|exceptions?|panic(?:ked)?|traceback|abort(?:ed)?|crash(?:ed)?"
        r"|assert(?:ion)?s?|segmentation fault|core dumped|undefined (?:reference|symbol)|unresolved"
        r"|fehler|erreurs?|échec|errore|fout|ошибка|エラー)"
    )
    + r"|\b[A-Za-z]\w*(?:Error|Exception|Failure|Fault)\b|Failure/Error|\bERR!|\*\*\*(?!\*)|\bnot ok\b"
    r"|^\s*(?:E {2,}|[✗✖✘❌×]|FAIL\b|--- FAIL)",
    re.IGNORECASE,
)
_BAD = re.compile(
    _OWN.format(
        r"(?:cannot|can't|could ?n[o']t|unable to|denied|refused|forbidden|unauthori[sz]ed|not found|no such"
        r"|missing|invalid|illegal|unexpected|unsupported|unrecogni[sz]ed|mismatch(?:ed)?|conflicts?|killed"
        r"|tim(?:ed? ?|e-)out|timeout|leak(?:ed|s)?|corrupt(?:ed)?|overflow|deadlock|rejected"
        r"|undeclared|undefined:|ambiguous|duplicated?|incompatible|incomplete|unknown|evicted|oomkilled"
        r"|expected(?: \w+){0,3}[:,]|expected\b.*\b(?:got|but|found|received|was)|(?:actual|received|got):"
        r"|violat(?:es|ed|ion)|rolled back|roll(?:ing)? ?back|out of memory|unhealthy|unreachable"
        r"|exit(?:ed)?(?: with)? (?:code|status))"
    )
    + r"|back-?off\b"
    # What compilers point at: a place by file, line and column.
    r"|^\S+?[:(]\d+[:,]\d+\)?: (?!note|info|debug|warning)",
    re.IGNORECASE,
)
_WARNING = re.compile(_OWN.format(r"(?:warn(?:ings?)?|deprecated|caution|retry(?:ing)?)"), re.IGNORECASE)
# "0 errors", "no failures": the same words say that nothing failed.
_NONE = re.compile(
    r"\b(?:0|no|zero|without)\s+(?:\w+\s+)?(?:errors?|failures?|failed|fail|exceptions?|warnings?|crashes)\b"
    r"|\b(?:errors?|failures?|failed|fail|exceptions?|warnings?)\s*[:=]\s*0\b"
    r"|\bexit(?:ed)?(?: with)? (?:code|status)[:= ]+0\b",
    re.IGNORECASE,
)
_PASSED = re.compile(
    r"^\s*(?:[✓✔√]|ok\b|PASS\b|\[\s*(?:ok|pass(?:ed)?)\s*\])|(?:\.\s?ok|\bPASSED|\bSUCCESS|\bOK)\s*(?:[\[(].*[\])])?$",
)
# The summary line of a run.
_SUMMARY = re.compile(
    r"\b\d+ (?:tests?|examples?|specs?|suites?|passed|failed|passing|failing|pending|errors?|warnings?"
    r"|failures?|problems?|assertions?|skipped|targets?|crates?)\b"
    r"|^\W*(?:BUILD|TESTS?|RESULTS?|TOTAL|SUMMARY|RAN|DONE|FINISHED)\b"
    r"|\bexit(?:ed)?(?: with)? (?:code|status)\b",
    re.IGNORECASE,
)
# A line with one of these beginnings explains the line above, however it is indented.
_EXPLAINS = re.compile(
    r"\s*(?:[|^~>│┃╷╵╰×]|\d+ ?\||-->|at |File |Caused by|note:|help:|hint:|E {2,}|\.\.\.|={1,3} ?note"
    r"|(?:error message|expected|actual|received|got|left|right|diff|reason|stack ?trace|backtrace)\b.*:"
    r"|goroutine \d|created by |# \S+:\d|[\w.*/()]+\(.*\)$|[\w./\\-]+:\d+(?::\d+)?:?$|-{4,}$)",
    re.IGNORECASE,
)
# The parts that vary between lines of one shape: numbers, paths, quotations.
_VARIES = re.compile(r"0x[0-9a-f]+|(?:[\w.\-]*/)+[\w.\-]*|\"[^\"]*\"|'[^']*'|\d+", re.IGNORECASE)
_NUMBER = re.compile(r"[\dw]+")
_WORD = re.compile(r"[^\W\d_]+")


class _Passage(NamedTuple):
    """Lines that belong together, their worth, a shorter selection of them, and the line of the failure."""

    worth: float
    lines: tuple[int, ...]
    fewer: tuple[int, ...]
    news: int


def condense(text: str, limit: int) -> str:
    """Condense a program's output to at most `limit` characters: head, failures with context, tail.

    Omitted lines are counted in place. A text that fits is returned as it is; one of fewer than four lines is
    cut in the middle. Colours are removed.
    """
    if len(text) <= limit:
        return text
    # Each state of a progress bar, which overwrites itself by \r, becomes a line of its own.
    plain = without_controls(text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [line.rstrip() for line in plain.strip("\n").splitlines()]
    if len(lines) < 4:
        return shorten(text, limit)
    width = max(40, int(limit * _LONG))
    lines = [line if len(line) <= width else _around(line, width) for line in lines]
    chosen = _chosen(lines, limit)
    return _with_gaps(lines, sorted(chosen)) if chosen else shorten(text, limit)


def telling_lines(text: str, most: int) -> list[str]:
    """Return up to `most` lines that represent an output: its first, those that say what failed, its last."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    chosen = {0, len(lines) - 1} if lines else set()
    for passage in _passages(lines):
        # Of a passage, the most severe lines: the failure, and the exception that a traceback ends with.
        for number in sorted(passage.lines, key=lambda each: -_severity(lines[each])):
            if len(chosen) < most and _severity(lines[number]) > 1:
                chosen.add(number)
    return [lines[number] for number in sorted(chosen)[:most]]


def _chosen(lines: Sequence[str], limit: int) -> set[int]:
    """Return the numbers of the lines that represent the output in `limit` characters."""
    # Reserve room for the marks of gaps: two here, and one for each passage below.
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
    for passage in [*_passages(lines), *_rarities(lines)]:
        for some in (passage.lines, passage.fewer, (passage.news,)):
            fresh = [number for number in some if number not in chosen]
            if fresh and sum(len(lines[number]) + 1 for number in fresh) + mark <= room:
                room -= mark
                for number in fresh:
                    take(number)
                break
    # Fill the remaining room with more of the head and the tail.
    _fill(range(len(lines)), room * 2 / 3, lines, take)
    _fill(range(len(lines) - 1, -1, -1), room, lines, take)
    return chosen


def _fill(numbers: Iterable[int], share: float, lines: Sequence[str], take: Callable[[int], bool]) -> None:
    """Take lines in this order until their share of the room is used up."""
    left = share
    for number in numbers:
        if left <= 0 or not take(number):
            return
        left -= len(lines[number]) + 1


def _passages(lines: Sequence[str]) -> list[_Passage]:
    """Return a passage for each line of failure, with its explanation; the most severe and rarest first."""
    severity = [_severity(line) for line in lines]
    shapes = [_VARIES.sub("#", line.strip()) for line in lines]
    often = Counter(shapes)
    seen: Counter[str] = Counter()
    found = []
    covered = -1
    for number, bad in enumerate(severity):
        summary = bool(_SUMMARY.search(lines[number]))
        if not (bad or summary):
            continue
        seen[shapes[number]] += 1
        # The first line of a shape counts most, and rare shapes more than frequent ones.
        rare = 1 / (seen[shapes[number]] * math.sqrt(often[shapes[number]]))
        worth = (_WORTH.get(bad, 0.0) + (_WORTH[2] if summary else 0.0)) * rare
        inside = number <= covered
        if inside:
            worth /= 2  # it stands in the explanation of what came before
        reach = _INSIDE if inside else _REACH
        context, fewer = _context(lines, number, reach) if bad > 1 else ((number,), (number,))
        covered = max(covered, *context)
        found.append(_Passage(worth, context, fewer, number))
    return sorted(found, key=lambda each: (-each.worth, each.lines))


def _rarities(lines: Sequence[str]) -> list[_Passage]:
    """Return the lines of rare shape among many, in order: these are news in any language."""
    if len(lines) < _MANY:
        return []
    shapes = [_NUMBER.sub("w", _WORD.sub("w", line)) for line in lines]
    often = Counter(shapes)
    words = Counter(word for line in lines for word in set(_WORD.findall(line)))
    rare = [
        number
        for number, shape in enumerate(shapes)
        if shape.strip()
        and (often[shape] <= _FEW or any(words[w] <= 1 for w in _WORD.findall(lines[number])))
    ]
    # If many lines are unlike the others, none is news.
    if len(rare) > len(lines) / 10:
        return []
    return [_Passage(0.0, (number,), (number,), number) for number in rare]


def _context(lines: Sequence[str], number: int, reach: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return a line of failure with the lines before and after that explain it; and a shorter selection."""
    first, last = _beginning(lines, number), _end(lines, number, reach)
    if last > number and last + 1 < len(lines) and _severity(lines[last + 1]) == 3:
        last += 1  # a traceback comes to its exception

    def within(most: int) -> tuple[int, ...]:
        if last - first < most:
            return tuple(range(first, last + 1))
        head = range(first, max(number + 1, first + most - _LAST))
        return (*head, *range(max(last - _LAST + 1, head.stop), last + 1))

    return within(_FOLLOWING), within(_SHORT)


def _beginning(lines: Sequence[str], number: int) -> int:
    """Return the first line of the context before a line of failure.

    From an indented line back to the line that it is indented from; otherwise back over the indented lines
    before it, which a test printed before it failed; in either case at least the line before.
    """
    deep = _indent(lines[number])
    first = number
    while first and number - first < _BEFORE:
        above = lines[first - 1]
        if _PASSED.search(above) or not (above.strip() or deep):
            break
        if above.strip() and _indent(above) < deep:
            return first - 1
        if not deep and not _indent(above):
            break
        first -= 1
    close = number and lines[number - 1].strip()
    return min(first, number - 1 if close else number) if not deep else (number - 1 if close else number)


def _end(lines: Sequence[str], number: int, reach: int) -> int:
    """Return the last line that explains a line of failure: indented deeper, or with a known beginning."""
    deep = _indent(lines[number])
    last = number
    for place in range(number + 1, min(number + reach, len(lines))):
        line = lines[place]
        if not line.strip():
            continue  # an explanation may be in paragraphs
        if _PASSED.search(line) or not (_indent(line) > deep or _EXPLAINS.match(line)):
            break
        last = place
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _severity(line: str) -> int:
    """Return 3 if something failed, 2 if something is wrong, 1 for a warning, else 0."""
    if _PASSED.search(line):
        return 0
    told = _NONE.sub("", line)
    return 3 if _FATAL.search(told) else 2 if _BAD.search(told) else 1 if _WARNING.search(told) else 0


def _around(line: str, width: int) -> str:
    """Shorten a long line to `width` characters: its beginning, and the part around the word of failure."""
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
