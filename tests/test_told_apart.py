"""Of many lines that come in together each is told apart: taken in, or named; none keeps the others out."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import pytest

from benchmarks.fuzz.inputs import Input
from benchmarks.fuzz.shrinking import places_of, runs_with, smallest
from benchmarks.fuzz.told import untold
from tests.conftest import Run

# A line that is no text, one with nothing in it but a colour, one that ends a text in the middle of a letter.
_NO_TEXT = (b'{"text": "\xff"}', b'{"text": "\\u001b[31m"}', b'{"text": "\xc3"}')


def _run_of(mem: Run, *arguments: str, data: bytes) -> tuple[int, str, str]:
    # As text the bytes would have to be valid.
    done = mem(*arguments, input=data.decode("utf-8", "surrogateescape"), errors="surrogateescape")
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("bad", _NO_TEXT)
def test_a_line_that_is_no_text_keeps_no_other_out(mem: Run, bad: bytes) -> None:
    good = [b'{"text": "Ann lives in Rome"}', b'{"text": "The rent is 900 a month"}']
    lines = b"\n".join([good[0], bad, good[1]]) + b"\n"
    for command in (("remember", "--batch"), ("import", "-", "--space", "b")):
        status, _, told = _run_of(mem, *command, data=lines)
        assert status == 2 and "line 2: " in told, (command, told)
        assert "line 1" not in told and "line 3" not in told, (command, told)
        here = mem("list", "--json", *command[2:]).stdout.splitlines()
        assert {json.loads(each)["text"] for each in here} == {json.loads(each)["text"] for each in good}


@pytest.mark.parametrize("bad", _NO_TEXT)
def test_a_turn_that_is_no_text_keeps_no_other_out(mem: Run, bad: bytes) -> None:
    good = b'{"role": "user", "content": "%s", "time": "2026-05-0%d"}'
    said = bad.replace(b'"text"', b'"role": "user", "content"')
    lines = b"\n".join([good % (b"Hello", 1), said, good % (b"See you", 2)])
    status, out, told = _run_of(mem, "session", "import", "-", "--session", "s", "--json", data=lines)
    assert status == 2 and "line 2: " in told
    assert json.loads(out)["added"] == 2


def test_of_a_document_no_line_stands_by_itself(mem: Run) -> None:
    array = b'[{"text": "Ann lives in Rome"},\n{"text": "\xff"}]'
    status, out, told = _run_of(mem, "import", "-", data=array)
    assert status == 2 and not out and "line 2: not valid UTF-8" in told
    assert mem("list").returncode == 1


def test_a_statement_of_colours_alone_keeps_no_other_out_of_another_programs_file(mem: Run) -> None:
    said = ("Ann lives in Rome", "\x1b[31m", "The rent is 900 a month")
    data = json.dumps([{"id": str(number), "memory": text} for number, text in enumerate(said)])
    done = mem("import", "--from", "mem0", "-", "--json", input=data)
    report = json.loads(done.stdout)
    assert (report["statements_added"], report["unreadable"]) == (2, 1), done


def test_the_harness_notices_a_line_that_nobody_tells_of() -> None:
    batch = Input("batch lines", (), lines=(b'{"text": "a"}', b"x", b"", b'{"text": "b"}'))
    said = '{"line": 1}\n{"line": 4}\n'
    assert untold(batch, said, "mem: line 2: not a JSON object\n") is None
    assert "neither decided nor named" in (untold(batch, said, "") or "")
    imported = batch._replace(door="import lines")
    assert "kept all others out" in (untold(imported, "", "mem: -: line 2: not valid UTF-8\n") or "")
    assert "not named" in (untold(imported, '{"added": 2}\n', "") or "")
    assert untold(imported, '{"added": 2}\n', "mem: -: line 2: not a JSON object\n") is None
    asked = Input("mcp messages", (), lines=(b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}',))
    assert "without an answer" in (untold(asked, "", "") or "")
    assert untold(asked, '{"jsonrpc": "2.0", "id": 7, "result": {}}\n', "") is None


def test_of_many_inputs_those_are_found_that_fail_together() -> None:
    runs = [Input("batch lines", (), lines=(b"a", b"b", b"c")), Input("x", ()), Input("y", ())]
    runs += [Input("folder documents", (), documents=tuple((str(n), b"d") for n in range(20)))]
    assert len(places_of(runs)) == 25

    def fails(places: Sequence[tuple[int, int]]) -> bool:
        return {(0, 1), (3, 17)} <= set(places)

    found = smallest(places_of(runs), fails)
    assert sorted(found) == [(0, 1), (3, 17)]
    first, second = runs_with(runs, found)
    assert first.lines == (b"b",) and second.documents == (("17", b"d"),)


@pytest.mark.skipif(sys.platform == "win32", reason="CPU time is measured by signals")
def test_the_harness_sees_what_a_hook_hides(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.fuzz.ground import playground
    from memcli.agents.hooks import answers

    def breaks(*_: object) -> str:
        raise KeyError("prompt")

    # However busy the machine is.
    monkeypatch.setenv("MEMCLI_HOOK_DEADLINE", "30s")
    with playground() as place:
        place.renew()
        event = b'{"session_id": "s", "prompt": "Where does Ann live?"}'
        hook = Input("hooks", ("hook", "prompt", "--agent", "claude"), event)
        said = place.mem(hook)
        assert said.failure is None and "additionalContext" in said.out
        monkeypatch.setattr(answers, "answer", breaks)
        failure = place.mem(hook).failure
    assert failure and failure.kind == "swallowed KeyError in runner.py:_said"
