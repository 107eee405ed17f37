"""An LLM behind a command: it hangs, floods, fails, and nothing is ever stuck."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
from pathlib import Path

import pytest

from memcli.config.config import Config
from memcli.errors import BadInput, LlmFailed
from memcli.llm import open_llm
from memcli.llm.prompts import PromptSource, make_prompt
from tests.llms import fake, gone, opened


def test_a_command_gets_the_prompt_and_gives_the_answer() -> None:
    llm = open_llm(shlex.join([sys.executable, "-c", "print(input()[::-1])"]), Config())
    answer = llm.ask("olleh\n")
    assert answer.text == "hello"
    assert answer.tokens_in == 2
    assert answer.tokens_out == 2


@pytest.mark.skipif(os.name == "nt", reason="process groups")
def test_a_command_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    config = Config({"MEMCLI_LLM_TIMEOUT": "1.5", "MEMCLI_CONFIG": str(tmp_path / "none")})
    llm = open_llm(fake("hang", str(pids)), config)
    with pytest.raises(LlmFailed, match=r"no answer within 1.5 s \(llm_timeout\)"):
        llm.ask("x" * 500_000)
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def test_a_flood_is_cut_off() -> None:
    with pytest.raises(LlmFailed, match="more than 1,000,000 bytes") as failed:
        opened("flood").ask("prompt")
    assert failed.value.tokens_out == 333_334


@pytest.mark.parametrize(
    ("way", "said"),
    [
        (["fail", "model not found"], r"failed \(exit status 1\): Error: model not found"),
        (["fail", "bad key ghp_16C7e42F292c6912E7710c838347Ae178B4a"], r"bad key \[redacted GitHub"),
        (["nothing"], "answered nothing"),
    ],
)
def test_a_failing_command_says_why_in_a_line(way: list[str], said: str) -> None:
    with pytest.raises(LlmFailed, match=said):
        opened(*way).ask("prompt")


PROMPT = make_prompt("distil", [PromptSource("A", "some text")]).text


@pytest.mark.skipif(os.name == "nt", reason="process groups")
def test_a_child_that_holds_the_pipes_does_not_hold_the_answer() -> None:
    assert "some text" in opened("leave").ask(PROMPT).text


def test_a_command_runs_where_no_repository_steers_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    opened("where", str(tmp_path / "place")).ask(PROMPT)
    assert Path((tmp_path / "place").read_text()) == Path.home()


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    llm = open_llm(
        f"{shlex.quote(sys.executable)} -c 'import sys; print(sys.argv[1:])' '$HOME' ';' '|'", Config()
    )
    assert llm.ask("").text == "['$HOME', ';', '|']"


@pytest.mark.parametrize(
    ("command", "error"), [("no-such-llm", LlmFailed), ("'open", BadInput), ("  ", BadInput)]
)
def test_a_command_that_cannot_be_is_named(command: str, error: type[Exception]) -> None:
    with pytest.raises(error, match="llm|LLM"):
        open_llm(command, Config())


def test_without_a_configured_llm_nobody_is_asked() -> None:
    with pytest.raises(BadInput, match="--llm, MEMCLI_LLM"):
        open_llm(None, Config())


def test_an_address_needs_its_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(LlmFailed, match=r"pip install 'memcli\[openai\]'"):
        open_llm("http://localhost:1/v1", Config())


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_signal_that_its_caller_handles_reaches_the_caller(tmp_path: Path) -> None:
    pids, heard = tmp_path / "pids", []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    tell = threading.Timer(1, os.kill, (os.getpid(), signal.SIGTERM))
    tell.start()
    try:
        with pytest.raises(LlmFailed, match="ended by SIGKILL"):
            opened("hang", str(pids)).ask("prompt")
        assert heard == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)
    assert all(gone(int(pid)) for pid in pids.read_text().split())
