"""File kinds: what a file of no known source seems to be, by its first bytes, and how to get its text."""

from __future__ import annotations

import re
import shlex
import zipfile
from pathlib import Path

from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple

_AS_NOTES = "save what it says as one of these"
_NO_TEXT = "write down what it shows, and remember that"
_MARKDOWN, _TEXT = (Command("import", f"--from {source} -", bare=True) for source in ("markdown", "text"))
_PANDOC = message("`pandoc -t markdown {file} | ", _MARKDOWN, "` takes its text")
_PDFTOTEXT = message("`pdftotext {file} - | ", _TEXT, "` takes its text")
_ONE_BY_ONE = "unpack it, and import what is in it"
# Patterns of first bytes: the kind of file, and how to get its text. `{file}` stands for its name.
_BEGINNINGS = (
    (rb"%PDF-", "a PDF document", _PDFTOTEXT),
    (rb"\{\\rtf", "an RTF document", _PANDOC),
    (rb"\xd0\xcf\x11\xe0", "a document of an old Office", _AS_NOTES),
    (rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP|BM....\0\0|II\*\0|MM\0\*|....ftyp(?:hei|avi|mif)",
     "a picture", _NO_TEXT),
    (rb"ID3|\xff[\xfb\xf3\xf2]|OggS|fLaC|RIFF....(?:WAVE|AVI)|\x1a\x45\xdf\xa3|....ftyp|FORM....AIF",
     "sound or film", _NO_TEXT),
    (rb"\x1f\x8b|BZh|\xfd7zXZ|7z\xbc\xaf|Rar!|\x28\xb5\x2f\xfd|.{257}ustar", "an archive", _ONE_BY_ONE),
    (rb"\s*BEGIN:VCALENDAR", "a calendar (iCalendar)", _AS_NOTES),
    (rb"\s*BEGIN:VCARD", "an address book (vCard)", _AS_NOTES),
    (rb"(?i:\s*<(?:!doctype html|html|head|body)\b)", "a web page (HTML)", _PANDOC),
    (rb"\s*<(?:\?xml|!DOCTYPE|!--|[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>)", "XML", _AS_NOTES),
    (rb"From \S+ .*\d{4}\r?\n|(?:Received|Return-Path|Delivered-To|MIME-Version): ", "mail", _AS_NOTES),
    (rb"\x7fELF|MZ.{60}|\xca\xfe\xba\xbe|\xcf\xfa\xed\xfe|\0asm", "a program", ""),
)  # fmt: skip
_ARCHIVES = (
    ("word/", "a Word document", _PANDOC),
    ("xl/", "an Excel workbook", _AS_NOTES),
    ("ppt/", "slides of PowerPoint", _AS_NOTES),
    ("content.xml", "an OpenDocument file", _PANDOC),
    ("META-INF/container.xml", "a book (EPUB)", _PANDOC),
)
# The beginning of JSON; a bracketed check box or date begins a note instead.
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{|\[\s*(?:[{\[\]\"]|\Z))")
_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
_TAKEN = "text (.txt), Markdown, CSV, and exports of memcli's and other programs' (`--from` names them)"


class FileKind(NamedTuple):
    """What a file seems to be, and how its text can be imported ("" if there is no advice).

    `is_text`: it is plain text, which can be imported as notes.
    """

    name: str
    way: str = ""
    is_text: bool = False


PLAIN = FileKind(
    "plain text",
    message(
        Command("import --from text {file}"), " takes each line as a note, ", Command("log"), " what was said"
    ),
    is_text=True,
)


def kind_of(head: bytes) -> FileKind | None:
    """Return the kind of file that begins with these bytes; None for JSON, and for an empty file."""
    for beginning, name, way in _BEGINNINGS:
        if re.match(beginning, head, re.DOTALL):
            return FileKind(name, way)
    if not head.strip() or _JSON.match(head):
        return None
    if head.startswith(_MARKS):
        return None if _JSON.match(head[2:].replace(b"\0", b"")) else PLAIN
    if b"\0" in head:
        # UTF-16 without a mark: every other byte of Latin letters is NUL.
        if abs(head[::2].count(0) - head[1::2].count(0)) > len(head) // 4:
            order = "LE" if head[1::2].count(0) > head[::2].count(0) else "BE"
            return FileKind(
                "UTF-16 without a mark", f"`iconv -f UTF-16{order} -t UTF-8 {{file}}` converts it"
            )
        return FileKind("data, and no text")
    return PLAIN


def is_binary(head: bytes) -> bool:
    """True if a file that begins with these bytes is not text of any kind."""
    if head.startswith(_MARKS[:2]):
        return False
    try:
        head.decode()
    except UnicodeDecodeError as error:
        # The last character may be cut off at the end of `head`.
        return error.start < len(head) - 3 and kind_of(head) != PLAIN
    return b"\0" in head


def kind_of_archive(path: Path) -> FileKind | None:
    """Return the kind of a ZIP archive of no known source, by its member names; None if they do not tell."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return None
    for beginning, name, way in _ARCHIVES:
        if any(each.startswith(beginning) for each in names):
            return FileKind(name, way)
    return None


def refusal(kind: FileKind, file: str, taken: str = _TAKEN) -> BadInput:
    """Return the error for a file of this kind: what it seems to be, what can be imported, and what to do."""
    way = kind.way.replace("{file}", "-" if file == "stdin" else shlex.quote(file))
    if kind.is_text and taken == _TAKEN:
        return BadInput(f"seems to be {kind.name}", about=file, by_hand=way)
    what = f"seems to be {kind.name}, which is not imported as it is"
    return BadInput(what, about=file, advice=f"imported are: {taken}", by_hand=way)


def undecodable(head: bytes, byte: int | None = None) -> BadInput:
    """Return the error for data that is not UTF-8 from this byte on, with what it seems to be, if known."""
    if (kind := kind_of(head)) and not kind.is_text:
        return BadInput(f"seems to be {kind.name}, and no text")
    where = f" (byte {byte})" if byte else ""
    return BadInput(f"not valid UTF-8{where}", advice="convert it first (iconv -f ENCODING -t UTF-8)")
