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


@pytest.mark.parametrize(
    "text", ['{"role": "user", "content": "I live in Graz"}\n', '[\n{"role": "user", "content": "x"}\n]']
)
def test_a_dry_run_says_the_same_of_a_transcript(mem: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "chat.json"
    file.write_text(text)
    wet, dry = mem("import", str(file)), mem("import", str(file), "--dry-run")
    assert (wet.returncode, dry.returncode) == (2, 2)
    assert wet.stderr == dry.stderr and "`mem session import` takes what was said" in dry.stderr
    piped = mem("import", "-", "--dry-run", input=text)
    assert "`mem session import` takes what was said" in piped.stderr and "stdin: " in piped.stderr
    file.write_text('{"text": "I live in Graz"}\n')
    assert "say whose by --from" in mem("import", str(file), "--dry-run").stderr
