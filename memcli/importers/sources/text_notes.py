"""Text notes: plain text in which a line is a note, and a title or "To buy:" introduces the notes below it.

A paragraph wrapped at a margin is one note; so is a list item with what is indented below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from memcli.importers.file_kinds import is_binary, kind_of, refusal
from memcli.importers.files import File, head_of, opened
from memcli.importers.markdown import Passage, says_by_itself, text_id
from memcli.importers.records import Record, Statement
from memcli.importers.source import Source
from memcli.text.task_items import TO_DO, is_over, read_box

_BULLET = re.compile(r"\s*(?:[-*+•·–—▪◦]|\d{1,3}[.)])\s+(?=\S)")
_HEADING = re.compile(r"\s*#{1,6}\s+(.*?)\s*#*\s*")
_UNDERLINE = re.compile(r"\s*([=~_*-])\1{2,}\s*")
# The beginning of a turn in a conversation by anybody but the owner.
_SAID = re.compile(rb"^(?:assistant|system|tool):", re.IGNORECASE | re.MULTILINE)
# A line with at least so many characters may have been wrapped at a margin.
_BROKEN_FROM = 50


def _wanted(name: str) -> bool:
    return name.lower().endswith((".txt", ".text"))


def guess(path: Path) -> bool:
    """True if it has a text file's name and is text, but not a transcript of a conversation."""
    head = head_of(path) if path.is_file() and _wanted(path.name) else b""
    kind = kind_of(head)
    return kind is not None and kind.is_text and not _SAID.search(head)


def records(file: File) -> Iterator[Record]:
    """A statement for each note."""
    with opened(file) as stream:
        head = stream.read(4096)
    kind = kind_of(head)
    if kind and is_binary(head):
        raise refusal(kind, file.place)
    found = [(passage, *read_box(passage.text)) for passage in _passages(file.prose())]
    to_do = {words for _, words, tags in found if not TO_DO.isdisjoint(tags)}
    for passage, words, tags in found:
        text = passage._replace(text=words).by_itself
        # A to-do item with the same words as a done one is another item.
        again = tags if is_over(tags) and words in to_do else ()
        yield Statement(
            f"{file.place}: line {passage.line}", text_id(file.name, text, *again), text, tags=tags,
            data={"note": file.stem}, changed=file.date(),
        )  # fmt: skip


def _passages(text: str) -> Iterator[Passage]:
    """Yield the notes of a text, each with the title above it, and its lead up to the next blank line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    headings: tuple[str, ...] = ()
    lead: Passage | None = None
    is_used = False
    for passage in _joined(lines):
        below = lines[passage.line] if passage.line < len(lines) else ""
        if found := _HEADING.fullmatch(passage.text):
            headings = (found[1],)
        elif _UNDERLINE.fullmatch(below) and re.search(r"\w", passage.text):
            headings = (passage.text.rstrip(":"),)
        elif not re.search(r"\w", passage.text):
            if is_used and not passage.text:
                lead = None
            continue
        elif _leads(passage.text):
            if lead and not is_used and says_by_itself(lead.text):
                yield lead
            lead, is_used = passage._replace(headings=headings), False
            continue
        else:
            is_used = True
            yield passage._replace(headings=headings, item=True, lead=lead.text if lead else "")
            continue
        lead = None
    if lead and not is_used and says_by_itself(lead.text):
        yield lead


def _joined(lines: Sequence[str]) -> Iterator[Passage]:
    """Yield the lines without their bullets, joined if a margin broke them."""
    at_hand, last = Passage(0, "", (), item=False), ""
    item = ""
    for number, line in enumerate(lines, start=1):
        if _goes_on(last, line) or (item and _is_below(item, line) and not _leads(at_hand.text)):
            at_hand = at_hand._replace(text=f"{at_hand.text} {line.strip()}")
        else:
            yield at_hand
            item = line if _BULLET.match(line) else ""
            at_hand = Passage(number, _BULLET.sub("", line, count=1).strip(), (), item=False)
        last = line
    yield at_hand


def _leads(text: str) -> bool:
    return text.endswith((":", "："))


def _is_below(item: str, line: str) -> bool:
    """True if a line is indented below a list item, and is not an item itself."""
    indents = [len(each) - len(each.lstrip()) for each in (item.expandtabs(4), line.expandtabs(4))]
    return indents[0] < indents[1] and re.search(r"\w", line) is not None and not _BULLET.match(line)


def _goes_on(last: str, line: str) -> bool:
    """True if a line continues the one before: that one is long, and this one begins mid-sentence."""
    words = line.strip()
    return (
        len(last.rstrip()) >= _BROKEN_FROM
        and bool(words)
        and words[0].islower()
        and not last.rstrip().endswith((".", "!", "?", ":", "…"))
        and not _BULLET.match(line)
    )


SOURCE = Source(
    "text", "Plain text: a note a line.", guess, records, ".txt", _wanted, nothing="holds no text"
)
