"""Nothing that is shown hides or reorders what is read; what a script or an emoji needs stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata

import pytest

from memcli.text.printable import is_blank, printable, visible
from tests.conftest import MEM, Run

# Unicode, PropList.txt: Bidi_Control.
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# What of the format characters is seen: signs of numbers, of verses, of Syriac, Kaithi, hieroglyphs.
SEEN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}


def test_every_format_character_is_shown_escaped() -> None:
    formats = {chr(n) for n in range(0x110000) if unicodedata.category(chr(n)) == "Cf" and n not in SEEN}
    assert set(BIDI) < formats
    for sign in [*formats, "\u034f", "\u115f", "\u3164", "\uffa0", "\ufe0f", "\U000e0100"]:
        shown = visible(f"{sign} a {sign}")
        assert sign not in shown and json.loads(f'"{shown}"') == f"{sign} a {sign}", ascii(sign)


@pytest.mark.parametrize(
    "text", ["👩‍👩‍👧", "❤️‍🔥", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "می‌خواهم", "क्‍ष", "葛\U000e0100", "東京", "Grüße", "tab\tand\nline"]
)
def test_what_a_script_needs_stays(text: str) -> None:
    assert printable(text) == text


def test_a_carriage_return_ends_a_line_and_glues_no_words() -> None:
    assert printable("one\rtwo\r\nthree\r") == "one\ntwo\nthree\n"


def test_a_text_is_blank_where_no_sign_of_it_is_seen() -> None:
    nothing = [
        "",
        " \n",
        "\u200b",
        "\u200b\u2060\ufeff",
        "\u3164",
        "\u115f\u1160",
        "\u2800",
        "\ufe0f",
        "\x01\x7f",
    ]
    nothing += ["\u200d", "\u202e \u2069", "\U000e0041\U000e007f", "\u00ad", "\u034f", "\u2028\u3000\u00a0"]
    assert [each for each in nothing if not is_blank(each)] == []
    something = ["a", "é", ".", "\u200bx", " 東", "👍", "❤\ufe0f", "\u0301", "中\u200b", "\u06dd", "\ue000"]
    assert [each for each in something if is_blank(each)] == []


def test_a_joiner_hides_in_no_latin_word_and_no_row_of_variants_in_a_sign() -> None:
    assert printable("pass\u200dword") == "pass\\u200dword"
    assert printable("x\ufe0f\ufe01\ufe02") == "x\ufe0f\\ufe01\\ufe02"
    assert printable("\x1b[31mred\x1b[0m \u202etxt.exe") == "red \\u202etxt.exe"


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are made otherwise there")
def test_a_terminal_shows_it_in_json_too_and_a_pipe_gets_the_data(mem: Run) -> None:
    said = f"the gate {BIDI} opens \u200b at \U000e0041 ten"
    assert mem("remember", said).returncode == 0
    for arguments in (
        ["list"],
        ["list", "--json"],
        ["recall", "gate"],
        ["export"],
        ["export", "--format", "csv"],
    ):
        shown = on_a_terminal(*arguments)
        assert "\\u061c" in shown and not set(BIDI + "\u200b\U000e0041") & set(shown), arguments
    piped = json.loads(mem("list", "--json").stdout)
    assert piped["text"] == said
    shown = json.loads(on_a_terminal("list", "--json"))
    assert shown["text"] == said


def on_a_terminal(*arguments: str) -> str:
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen([MEM, *arguments], stdout=theirs, stderr=theirs, stdin=theirs) as process:
        os.close(theirs)
        parts = []
        while part := _read(ours):
            parts.append(part)
        process.wait()
    os.close(ours)
    return b"".join(parts).decode().replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other side is closed
        return b""


def test_whatever_ends_a_line_is_shown_as_a_line_feed() -> None:
    assert printable("a\rb\r\nc\u2028d\u2029e\nf") == "a\nb\nc\nd\ne\nf"
