"""Editor: let the owner edit a text in their editor, so that nothing written there is ever lost."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memcli.commands.terminal.input import decode
from memcli.errors import BadInput, MemcliError
from memcli.messages import message
from memcli.system.files import write_private


@contextmanager
def edit_text(text: str, file_name: str) -> Iterator[str]:
    """Open `text` in $VISUAL or $EDITOR, under a name that tells the editor its syntax; yield the result.

    If the block that uses it fails, the result stays in its file, which the error names. Raises BadInput if
    there is no editor, or it fails.
    """
    command = _editor()
    file = Path(tempfile.mkdtemp(prefix="mem-")) / file_name
    write_private(file, text.encode())
    keep = False
    try:
        status = _run([*command, str(file)])
        after = decode(file.read_bytes(), str(file)) if file.is_file() else ""
        keep = after != text
        if status:
            raise BadInput(f"{command[0]} ended with status {status}", left="nothing was changed")
        if not after.strip():
            keep = False
            raise BadInput("the text came back empty", left="nothing was changed")
        yield after
        keep = False
    except MemcliError as error:
        if keep:
            raise type(error)(message(error, f"; your text is kept in {file}")) from error
        raise
    finally:
        if not keep:
            shutil.rmtree(file.parent, ignore_errors=True)


def _editor() -> list[str]:
    chosen = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    if not chosen:
        if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
            raise BadInput("no terminal to edit on; set VISUAL or EDITOR, or pipe the whole text to `add`")
        chosen = "notepad" if os.name == "nt" else "vi"
    try:
        # On Windows a backslash separates folders.
        return [part.strip('"') for part in shlex.split(chosen, posix=os.name != "nt")]
    except ValueError as error:
        raise BadInput(f"VISUAL or EDITOR is not a command: {chosen!r:.80} ({error})") from error


def _run(command: list[str]) -> int:
    # An editor's output is not data, so a pipe must not get it; nor may it read our input.
    stdin = None if sys.stdin and sys.stdin.isatty() else subprocess.DEVNULL
    stdout = None if sys.stdout.isatty() else sys.stderr
    try:
        editor = subprocess.Popen(command, stdin=stdin, stdout=stdout)
    except OSError as error:
        raise BadInput(f"the editor {command[0]!r:.80} cannot be run ({error.strerror})") from error
    # Ctrl-C is for the editor: it must not end this process, which would remove the file.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return editor.wait()
    finally:
        signal.signal(signal.SIGINT, before)
