"""A file that `mem import` does not take says what does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run


@pytest.mark.parametrize("more", [{}, {"type": "message"}])
def test_a_transcript_is_told_what_takes_it(mem: Run, tmp_path: Path, more: dict[str, str]) -> None:
    file = tmp_path / "chat.jsonl"
    turn = {"role": "user", "content": "I live in Graz", **more}
    file.write_text(json.dumps(turn) + "\n" + json.dumps({"role": "boss", "content": "x"}) + "\n")
    done = mem("import", str(file))
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert line.endswith(
        "line 1: no memory but a turn of a conversation; `mem session import` takes what was said;"
        " nor can 1 more"
    )
