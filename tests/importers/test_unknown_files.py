"""A file of a kind that is not imported is one line: what it seems to be, what is imported, the way out."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from memcli.importers.file_kinds import kind_of
from tests.conftest import Run

BINARY = bytes(range(256)) * 3
UNKNOWN = {
    "week.ics": (b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nSUMMARY:Dentist\r\nEND:VCALENDAR\r\n", "calendar"),
    "ann.vcf": (b"BEGIN:VCARD\nFN:Ann\nEND:VCARD\n", "address book"),
    "plan.pdf": (b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + BINARY, "PDF"),
    "page.html": (b"<!DOCTYPE html>\n<html>\n<p>hi</p>\n</html>\n", "web page"),
    "feed.xml": (b'<?xml version="1.0"?>\n<a>\n</a>\n', "XML"),
    "photo.png": (b"\x89PNG\r\n\x1a\n" + BINARY, "picture"),
    "photo.jpg": (b"\xff\xd8\xff\xe0" + BINARY, "picture"),
    "song.mp3": (b"ID3\x03\0" + BINARY, "sound"),
    "old.doc": (b"\xd0\xcf\x11\xe0" + BINARY, "Office"),
    "letter.rtf": (b"{\\rtf1\\ansi\n hello}", "RTF"),
    "all.tar.gz": (b"\x1f\x8b\x08\0" + BINARY, "archive"),
    "box.mbox": (b"From ann@x.org Mon Mar  2 10:00:00 2026\nSubject: hi\n\nhello\n", "mail"),
    "prog": (b"\x7fELF" + BINARY, "program"),
    "data.bin": (b"ab\0\0\0\x01" * 40, "data"),
    "notes.log": (b"one\ntwo\nthree\n", "plain text"),
    "wide.txt": ("Ann likes tea\n".encode("utf-16-le") * 9, "UTF-16"),
}  # fmt: skip
ARCHIVES = {
    "a.docx": ("word/document.xml", "Word"), "a.xlsx": ("xl/workbook.xml", "Excel"),
    "a.odt": ("content.xml", "OpenDocument"), "a.epub": ("META-INF/container.xml", "EPUB"),
}  # fmt: skip


@pytest.mark.parametrize("verb", [["import"], ["session", "import"]])
def test_what_is_not_imported_is_one_line_and_writes_nothing(
    mem: Run, tmp_path: Path, verb: list[str]
) -> None:
    for name, (content, what) in UNKNOWN.items():
        path = tmp_path / name
        path.write_bytes(content)
        for given, stdin in ((str(path), None), ("-", path)):
            if stdin:
                with stdin.open("rb") as stream:
                    done = mem(*verb, given, stdin=stream.fileno())
            else:
                done = mem(*verb, given)
            assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), (name, done)
            assert what in done.stderr and ("stdin" if stdin else str(path)) in done.stderr, done.stderr
    assert mem("list").returncode == 1


def test_an_archive_of_a_document_says_which(mem: Run, tmp_path: Path) -> None:
    for name, (member, what) in ARCHIVES.items():
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr(member, "<a/>")
        done = mem("import", str(tmp_path / name))
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
        assert what in done.stderr


def test_named_sources_say_so_as_well(mem: Run, tmp_path: Path) -> None:
    path = tmp_path / "plan.pdf"
    path.write_bytes(UNKNOWN["plan.pdf"][0])
    for source in (
        "text",
        "markdown",
        "obsidian",
        "rules",
        "csv",
        "chatgpt",
        "claude",
        "codex",
        "mem0",
        "llm",
    ):
        done = mem("import", "--from", source, str(path))
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), (source, done)
        assert "iconv" not in done.stderr, (source, done.stderr)


def test_json_that_is_no_memory_is_one_line(mem: Run, tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"a": 1}\n' * 9, encoding="utf-8")
    for verb in (["import"], ["session", "import"]):
        done = mem(*verb, str(path))
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and "8 more" in done.stderr, done
    path.write_text('{"a": 1}\n{"text": "Ann rows on Sundays"}\n{"b": 1}\n', encoding="utf-8")
    done = mem("import", str(path))
    assert done.returncode == 2 and done.stderr.count("\n") == 2 and done.stdout.startswith("1 added"), done


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_other_encodings_that_say_so_are_read(mem: Run, tmp_path: Path, encoding: str) -> None:
    records = tmp_path / "a.jsonl"
    records.write_text('{"text": "Jörg läuft sonntags"}\r\n{"text": "Łucja pływa"}\r\n', encoding=encoding)
    assert mem("import", str(records)).stdout.startswith("2 added")
    lines = tmp_path / "lines"
    lines.write_text("Renée cuisine le lundi\r\nZoé nage\r\n", encoding=encoding)
    with lines.open("rb") as stream:
        assert mem("remember", "--batch", stdin=stream.fileno()).returncode == 0
    lines.write_text("Íñigo vive en León", encoding=encoding)
    with lines.open("rb") as stream:
        assert mem("remember", "-", stdin=stream.fileno()).returncode == 0
    texts = mem("list", "--format", "json").stdout
    for said in (
        "Jörg läuft sonntags",
        "Łucja pływa",
        "Renée cuisine le lundi",
        "Zoé nage",
        "Íñigo vive en León",
    ):
        assert f'"{said}"' in texts, texts


@pytest.mark.parametrize("head", [b"", b"  \n", b'{"text": 1}', b'[\n  {"a": 1}', b"[]", b"\xef\xbb\xbf{"])
def test_json_and_nothing_are_no_kind(head: bytes) -> None:
    assert kind_of(head) is None


@pytest.mark.parametrize(
    "head", [b"[x] mow the lawn", b"[2026-03-01] Ann called", "ça va".encode(), b"<3 Ann"]
)
def test_notes_are_text(head: bytes) -> None:
    kind = kind_of(head)
    assert kind and kind.is_text


def test_stdin_is_read_once(mem: Run) -> None:
    for source in ([], ["--from", "text"]):
        done = mem("import", *source, "-", "-", input='{"text": "Ann rows"}\n')
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
        assert "stdin" in done.stderr


def test_a_folder_of_nothing_says_what_takes_it(mem: Run, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    done = mem("import", str(folder))
    assert done.returncode == 2 and "empty folder" in done.stderr and done.stderr.count("\n") == 1
    (folder / "a.txt").write_text("Ann rows on the lake\n", encoding="utf-8")
    done = mem("import", str(folder))
    assert done.returncode == 2 and f"`mem import --from text {folder}`" in done.stderr, done
    assert mem("import", "--from", "text", str(folder)).stdout.startswith("text: statements: 1 added")
