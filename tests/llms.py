"""LLMs for tests: command lines that behave or not (`fake_llm.py`), and one that says what it is told."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from pathlib import Path

from memcli.config.config import Config
from memcli.llm import LLM, Reply, open_llm

FAKE = Path(__file__).with_name("fake_llm.py")


def fake(*arguments: str) -> str:
    return shlex.join([sys.executable, str(FAKE), *arguments])


def opened(*arguments: str) -> LLM:
    return open_llm(fake(*arguments), Config())


class Says:
    """An LLM that gives these answers, one after the other, and keeps what it was asked."""

    name = "says"

    def __init__(self, *answers: object) -> None:
        self.answers = [each if isinstance(each, str) else json.dumps(each) for each in answers]
        self.prompts: list[str] = []

    def ask(self, prompt: str, most: int | None = None, within: float | None = None) -> Reply:
        self.prompts.append(prompt)
        return Reply(self.answers[min(len(self.prompts), len(self.answers)) - 1], 10, 5, 0.0)


def gone(pid: int) -> bool:
    """Whether a process is gone, or dead and only not yet collected."""
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except OSError:
            return True
        status = Path(f"/proc/{pid}/stat")
        if status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False
