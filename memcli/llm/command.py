"""LLM behind a command: the prompt goes to its stdin, its answer comes from stdout, and it cannot hang.

The command runs without a shell and without a terminal, as the head of its own process group, which is killed
as a whole: at the time-out, if it prints too much, and if memcli itself is interrupted or terminated.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from memcli.errors import BadInput, LlmFailed
from memcli.llm import HOW_TO_NAME_ONE, Reply
from memcli.prompt.budget import CHARACTERS_A_TOKEN, estimate_tokens
from memcli.system import processes
from memcli.system.places import expanded
from memcli.text.printable import clip

# The longest answer, in characters: a hundred times what memcli ever asks for.
MAX_ANSWER = 1_000_000
# Bytes kept of stderr, to report its last line.
_STDERR = 8192
_LINE = 200


def open_command(command: str, timeout: float) -> CommandLLM:
    """Open the LLM behind a command line, split as a shell would; `timeout` in seconds.

    Raises BadInput for a line that cannot be split, LlmFailed if there is no such program.
    """
    try:
        arguments = shlex.split(command, posix=os.name != "nt")
    except ValueError as error:
        raise BadInput(f"llm: {command!r:.80} cannot be split into words ({error})") from error
    if os.name == "nt":
        arguments = [word.strip('"') for word in arguments]
    if not arguments:
        raise BadInput("llm: the command is empty", by_hand=HOW_TO_NAME_ONE)
    program = shutil.which(arguments[0])
    if program is None:
        raise LlmFailed(f"no such LLM command: {arguments[0]!r:.80}", by_hand=HOW_TO_NAME_ONE)
    # It runs in another folder, so a relative path is made absolute.
    return CommandLLM([str(Path(program).absolute()), *arguments[1:]], timeout)


class CommandLLM:
    """An LLM that is a program with its arguments."""

    def __init__(self, arguments: list[str], timeout: float) -> None:
        self.name = Path(arguments[0]).name
        self._arguments = arguments
        self._timeout = timeout

    def ask(self, prompt: str, most: int | None = None, within: float | None = None) -> Reply:
        """Run the command once, in the home folder: the caller's working folder must not influence it."""
        limit = MAX_ANSWER if most is None else min(MAX_ANSWER, most * CHARACTERS_A_TOKEN)
        began = time.monotonic()
        answer = self._talk(prompt, limit, min(self._timeout, within or self._timeout))
        return Reply(answer, estimate_tokens(prompt), estimate_tokens(answer), time.monotonic() - began)

    def _talk(self, prompt: str, limit: int, seconds: float) -> str:
        answer, complaints = bytearray(), bytearray()
        with processes.passing_signals(deadly=True) as signals:

            def take(piece: bytes) -> None:
                answer.extend(piece)
                if len(answer) > limit:
                    signals.kill()

            def note(piece: bytes) -> None:
                complaints.extend(piece)
                del complaints[:-_STDERR]

            standing = processes.Standing.for_us(
                prompt.encode("utf-8", errors="replace"), timeout=seconds, directory=_neutral_place()
            )
            end = processes.run_process(self._arguments, signals, standing, stdout=take, stderr=note, keep=0)
        signals.obey()
        if end.not_started:
            raise LlmFailed(f"{self.name} cannot be run: {end.not_started}")
        if len(answer) > limit:
            tokens = -(-limit // CHARACTERS_A_TOKEN)
            raise LlmFailed(f"{self.name} answered more than {limit:,} bytes; it was stopped", tokens)
        if end.timed_out:
            raise LlmFailed(
                f"{self.name} gave no answer within {self._timeout:g} s (llm_timeout); it was stopped"
            )
        if end.status:
            raise LlmFailed(f"{self.name} {_ending(end)}{_last_line(complaints)}")
        text = answer.decode("utf-8", errors="replace").strip()
        if not text:
            raise LlmFailed(f"{self.name} answered nothing{_last_line(complaints)}")
        return text


def _neutral_place() -> str:
    with suppress(BadInput):
        if (home := expanded("~")).is_dir():
            return str(home)
    return tempfile.gettempdir()


def _ending(end: processes.Exit) -> str:
    if end.signalled:
        with suppress(ValueError):
            return f"was ended by {signal.Signals(end.status - 128).name}"
    return f"failed (exit status {end.status})"


def _last_line(complaints: bytearray) -> str:
    """Return the last line that a failing command printed, with secrets removed: it often quotes a key."""
    from memcli.text.secrets.scan import find_secrets, redact

    lines = [line for line in complaints.decode("utf-8", errors="replace").splitlines() if line.strip()]
    if not lines:
        return ""
    line = lines[-1].strip()[: 4 * _LINE]
    shown = redact(line, find_secrets(line))
    return f": {clip(shown, _LINE)}"
