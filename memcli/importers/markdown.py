"""Markdown parser: front matter, and a body split into passages that can stand by themselves."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from memcli.errors import BadInput
from memcli.importers.leads import says_nothing
from memcli.named_tuple import NamedTuple
from memcli.text.sentences import sentences
from memcli.text.task_items import has_box, read_box
from memcli.text.yaml_text import DEEPEST, read_yaml

_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)(?:^---[ \t]*(?:\r?\n|\Z)|\Z)", re.DOTALL | re.MULTILINE)
_TOML_FRONT = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LOOSE = re.compile(r"([A-Za-z_][\w -]*):[ \t]*(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*")
# A line that is all bold counts as a heading, of a lower level than every real one.
_BOLD = re.compile(r" {0,3}(?:\*\*|__)([^*_].{0,118}?)(?:\*\*:?|:\*\*|__:?)\s*")
_BELOW = 7
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)")
# An item that begins with a bracketed mark, a check box or a category, is a passage of its own in any list.
_MARKED = re.compile(r"\[[^\[\]]*\](?!\()\s")
# The most characters of a numbered list that is kept as one passage; a longer one is a text of its own.
_LONGEST_LIST = 8000
_UNDERLINE = re.compile(r" {0,3}(=+|--+)\s*")
_RULE = re.compile(r" {0,3}([-*_=])[ \t]*(?:\1[ \t]*){2,}")
_COLONS = " :：\xa0\u202f"
_ENDS_SENTENCE = (".", "!", "?", "…", ";", ",")
# A line right above a list introduces it even without a colon, if it has at most so many words.
_LEAD_WORDS = 8
_TABLE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?")
# Lines of HTML tags alone: `<details>` and the like.
_TAGS_ALONE = re.compile(r"(?:\s*(?:<summary>[^<]*</summary>|</?[a-zA-Z][^<>]*>))+\s*")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# A passage of fewer words is given its heading.
_FEW_WORDS = 5


class Document(NamedTuple):
    """A Markdown text: its front matter, its body, and the line that the body begins on."""

    front: Mapping[str, Any]
    body: str
    line: int


class Passage(NamedTuple):
    """A paragraph, list item or table row, with its line and the headings above it, outermost first."""

    line: int
    text: str
    headings: tuple[str, ...]
    item: bool
    number: int | None = None
    """Its number in a numbered list."""
    row: bool = False
    lead: str = ""
    """The line that introduces it, above its list ("To buy:"): part of what it says."""

    @property
    def whole(self) -> str:
        """Return its words after the line that introduces it."""
        if not self.lead or says_nothing(self.lead):
            return self.text
        return f"{self.lead.rstrip(_COLONS)}:{chr(10) if self.is_code else ' '}{self.text}"

    @property
    def is_code(self) -> bool:
        """True if it begins with a code fence."""
        return self.text.startswith(("```", "~~~"))

    @property
    def by_itself(self) -> str:
        """Return its words, after the heading if they are few."""
        code = self.is_code and not self.lead
        enough = len(self.whole.split()) >= _FEW_WORDS and not code
        if not self.headings or enough or says_nothing(self.headings[-1]):
            return self.whole
        return f"{self.headings[-1].rstrip(':')}:{chr(10) if code else ' '}{self.whole}"


def read_markdown(text: str) -> Document:
    """Parse front matter and body. Front matter that is not YAML is read line by line, as `key: value`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if toml := _TOML_FRONT.match(text):
        return Document(_toml_front(toml[1]), text[toml.end() :], text.count("\n", 0, toml.end()) + 1)
    found = _FRONT.match(text)
    if not found or not text[: found.end()].rstrip().endswith("---") or found.end() < 5:
        return Document({}, text, 1)
    head = found[1]
    try:
        front = read_yaml(head, "front matter")
    except BadInput:
        front = _loose_front(head)
    body = text[found.end() :]
    if not isinstance(front, dict):
        return Document({}, text, 1)
    return Document(front, body, text.count("\n", 0, found.end()) + 1)


def _toml_front(head: str) -> dict[str, Any]:
    """Return the fields of TOML front matter, as Hugo has it; none if it is not TOML, or nested too deep."""
    import tomllib

    try:
        return {name: _as_texts(value) for name, value in tomllib.loads(head).items()}
    except (ValueError, RecursionError):
        return {}


def _as_texts(value: Any, depth: int = 1) -> Any:
    """Return a TOML value as YAML is read here: every date, time, number (nan, too) and boolean as text.

    Raises ValueError for nesting deeper than DEEPEST, and for a number with more digits than Python writes.
    """
    if depth > DEEPEST:
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    if isinstance(value, list):
        return [_as_texts(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {name: _as_texts(each, depth + 1) for name, each in value.items()}
    return str(value)


def _loose_front(head: str) -> dict[str, Any]:
    """Return the fields of front matter that is not YAML as a whole: each parsed alone, or taken as it is."""
    front: dict[str, Any] = {}
    for each in re.split(r"\n(?=[A-Za-z_])", head):
        if not (pair := _LOOSE.match(each)):
            continue
        try:
            value = read_yaml(each, "front matter")
        except BadInput:
            value = None
        front |= value if isinstance(value, dict) else {pair[1].strip(): pair[2].strip().strip("\"'")}
    return front


def passages(document: Document) -> Iterator[Passage]:
    """Yield the passages of a body: paragraphs, list items with their contents, table rows, code."""
    body = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), document.body)
    reader = _PassageReader()
    for number, line in enumerate(body.split("\n"), start=document.line):
        yield from reader.read(number, line)
    yield from reader.end()


def whole_lists(found: Iterable[Passage]) -> Iterator[Passage]:
    """Join each numbered list into one passage, with the line that introduces it, or its heading, as title.

    Its steps say little one by one. A list without a title, or whose items have marks of their own, is left
    alone.
    """
    every = list(found)
    place = 0
    while place < len(every):
        lead = every[place] if not every[place].item and every[place].text.endswith(":") else None
        first = place + (lead is not None)
        end = _end_of_list(every, first, every[place].headings)
        behind = max(end, place + 1)
        joined = _joined(every[first:end], lead)
        yield from [joined] if joined else every[place:behind]
        place = behind


def led(found: Iterable[Passage]) -> Iterator[Passage]:
    """Make a line that introduces a list, a table, code or a paragraph the lead of each of these passages.

    It says nothing by itself; one that introduces nothing is left out, unless it is long enough to be a note.
    """
    every = list(found)
    place = 0
    while place < len(every):
        rest, lead = _lead(every, place)
        if rest:
            yield every[place]._replace(text=rest)
        if not lead:
            place += 1
            continue
        place += 1
        end = _end_of_led(every, place)
        if place == end:
            if says_by_itself(lead):
                yield every[place - 1]._replace(text=lead)
        elif end - place == 1 and _lead(every, place)[1]:
            first = every[place]
            every[place] = first._replace(text=_below(lead, first.text))
        else:
            yield from (each._replace(lead=_below(lead, each.lead)) for each in every[place:end])
            place = end


def _below(lead: str, rest: str) -> str:
    """Join two leads, the outer and the inner one; leave out an outer lead that says nothing."""
    return rest if rest and says_nothing(lead) else f"{lead.rstrip(_COLONS)}: {rest}" if rest else lead


def says_by_itself(lead: str) -> bool:
    """True if a lead that introduces nothing has enough words to be a note."""
    return len(lead.split()) >= _FEW_WORDS


def _lead(every: Sequence[Passage], place: int) -> tuple[str, str]:
    """Return what a passage says by itself, and the part of it that introduces the next; either may be ""."""
    each = every[place]
    if each.item or each.row or each.lead or each.is_code:
        return each.text, ""
    if each.text.endswith((":", "：")) and "```" not in each.text:
        last = sentences(each.text)[-1]
        return (each.text[: -len(last)].rstrip(), last) if each.text.endswith(last) else ("", each.text)
    after = every[place + 1] if place + 1 < len(every) else None
    above = after and after.item and after.line == each.line + 1 and "\n" not in each.text
    if above and len(each.text.split()) <= _LEAD_WORDS and not each.text.endswith(_ENDS_SENTENCE):
        return "", each.text
    return each.text, ""


def _end_of_led(every: Sequence[Passage], first: int) -> int:
    """Return the index after the passages that a line introduces: a whole list or table, or one passage."""
    end = first
    while end < len(every) and every[end].headings == every[first - 1].headings:
        alike = (every[first].item and every[end].item) or (every[first].row and every[end].row)
        if end > first and not alike:
            break
        end += 1
    return end


def _end_of_list(every: Sequence[Passage], first: int, headings: tuple[str, ...]) -> int:
    """Return the index after the last item of the numbered list that begins at `first`; `first` if none does.

    Code and unnumbered items between two of its items belong to it. The numbers increase by one or stay the
    same, as Markdown allows.
    """
    end, last = first, None
    for place in range(first, len(every)):
        each = every[place]
        if each.headings != headings or not (each.item or (each.is_code and end > first)):
            break
        if each.number is not None and (last is None or each.number - last in (0, 1)):
            end, last = place + 1, each.number
        elif last is None or each.number is not None:
            break
    return end


def _joined(parts: Sequence[Passage], lead: Passage | None) -> Passage | None:
    """Return a numbered list as one passage; None if it is none, has no title, or should stay in parts."""
    numbered = [each for each in parts if each.number is not None]
    if len(numbered) < 2 or any(_MARKED.match(each.text) for each in parts):
        return None
    headings = numbered[0].headings
    if lead is None and not headings:
        return None
    title, above = (lead.text, headings) if lead else (headings[-1], headings[:-1])
    number, lines = numbered[0].number or 0, [f"{title.rstrip(':')}:"]
    for each in parts:
        if each.number is not None:
            lines.append(f"{number}. {each.text}")
            number += 1
        else:
            lines.append(each.text if each.is_code else f"   - {each.text}")
    text = "\n".join(lines)
    if len(text) > _LONGEST_LIST:
        return None
    return Passage((lead or parts[0]).line, text, above, item=False)


class _PassageReader:
    """Takes the lines of a body one by one, and yields each passage when it has ended."""

    def __init__(self) -> None:
        # The headings above, outermost first, each with its level.
        self._headings: list[tuple[int, str]] = []
        # The current passage: its lines, the number of the first, whether it is a list item.
        self._lines: list[str] = []
        self._start = 0
        self._is_item = False
        self._number: int | None = None
        # If the current passage is a to-do item nested below another item, the words of that item; else "".
        self._above = ""
        # The fence that ends the current code block; "" outside of one.
        self._fence = ""

    def read(self, number: int, line: str) -> Iterator[Passage]:
        """Take the next line; yield the passages that it ends."""
        if self._fence:
            self._lines.append(line)
            if line.strip().startswith(self._fence):
                self._fence = ""
        elif _RULE.fullmatch(line) and not _is_underline(line, self._lines, item=self._is_item):
            yield from self.end()
        elif heading := _heading(line, self._lines, item=self._is_item):
            if _UNDERLINE.fullmatch(line):
                # The lines collected so far are the words of the heading.
                self._lines.clear()
            yield from self.end()
            self._headings = [each for each in self._headings if each[0] < heading[0]] + [heading]
        else:
            yield from self._read_text(number, line)

    def end(self) -> Iterator[Passage]:
        """End the current passage, if there is one, and yield it."""
        headings = [name for _, name in self._headings]
        for each in _passage(self._lines, self._start, headings, item=self._is_item):
            yield each._replace(number=self._number, lead=self._above)
        self._lines.clear()

    def _read_text(self, number: int, line: str) -> Iterator[Passage]:
        blank = not line.strip()
        bullet = _ITEM.fullmatch(line)
        if bullet and self._is_item and self._lines and len(bullet[1].expandtabs(4)) > 1:
            # A nested item is part of the current one, but a nested to-do item is a passage of its own.
            if has_box(bullet[3]):
                above = self._above or read_box(self._lines[0])[0]
                yield from self.end()
                self._start, self._number, self._above = number, None, above
                self._lines.append(bullet[3])
                return
            bullet = None
        after_item = (
            self._is_item and self._lines[-1:] == [""] and not blank and not line.startswith((" ", "\t"))
        )
        if bullet or after_item or (blank and not self._is_item):
            yield from self.end()
        if not self._lines and not blank:
            self._start, self._is_item = number, bullet is not None
            self._number = int(bullet[2]) if bullet and bullet[2] else None
            self._above = ""
        if bullet:
            self._lines.append(bullet[3])
        elif opening := _FENCE.match(line.lstrip() if self._is_item and self._lines else line):
            self._fence = opening[1]
            self._lines.append(line)
        elif not blank or self._lines:
            self._lines.append("" if blank else line.rstrip() if self._is_item else line.strip())


def _passage(lines: list[str], start: int, headings: list[str], *, item: bool) -> Iterator[Passage]:
    """Yield the passages in some lines: one, or one for each row of a table, after any paragraph above it."""
    table = len(lines)
    if not item:
        below = (place for place, line in enumerate(lines) if "|" in line and _TABLE.fullmatch(line))
        table = next((max(0, p - 1) for p in below if not p or "|" in lines[p - 1]), table)
    said = [(0, "\n".join(lines[:table]).strip())]
    rows = [(table + after, text) for after, text in _rows(lines[table:])]
    for after, text in said + rows:
        if text.strip("-*_= \t\n") and not _TAGS_ALONE.fullmatch(text):
            yield Passage(start + after, text, tuple(headings), item, row=bool(after))


def _heading(line: str, above: list[str], *, item: bool) -> tuple[int, str] | None:
    """Return a heading's level and words; an underlined one has its words in the line above."""
    if found := _HEADING.fullmatch(line):
        return len(found[1]), found[2]
    if _is_underline(line, above, item=item):
        return 1 if "=" in line else 2, above[0]
    if not above and (found := _BOLD.fullmatch(line)) and "**" not in found[1]:
        return _BELOW, found[1].rstrip(":")
    return None


def _is_underline(line: str, above: list[str], *, item: bool) -> bool:
    """True if a line makes the one above it a heading; below a sentence it is a rule between two notes."""
    found = _UNDERLINE.fullmatch(line) if len(above) == 1 and not item else None
    return found is not None and ("=" in line or not above[0].endswith(_ENDS_SENTENCE))


def _rows(lines: list[str]) -> list[tuple[int, str]]:
    """Return a table's rows: each one's line offset from the first line, and its cells with their names."""

    def cells(line: str) -> list[str]:
        inner = line.strip().removeprefix("|").removesuffix("|")
        return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inner)]

    # A table without a header row begins with the delimiter line.
    headless = bool(lines) and _TABLE.fullmatch(lines[0]) is not None
    head = [] if headless or not lines else cells(lines[0])
    found = []
    for after, line in enumerate(lines[1 if headless else 2 :], start=1 if headless else 2):
        named = zip_longest(head, cells(line), fillvalue="")
        said = [f"{name}: {cell}" if name else cell for name, cell in named if cell]
        found.append((after, ", ".join(said)))
    return found


def text_id(*parts: str) -> str:
    """Return an id for a record that has none of its own: a hash of what it says, and where."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:24]
