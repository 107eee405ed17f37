"""Replies to calls, and the lines on stderr, which agents keep as a log."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.text import printable

# The exit statuses of errors of the call itself: not found, malformed, refused.
_OF_THE_CALL = (1, 2, 3)


class Reply(NamedTuple):
    """A text for the model, and perhaps a record of the same for a program."""

    text: str
    record: Mapping[str, Any] | None = None


def sendable(text: str) -> str:
    """Return a text that JSON can hold: a store may have a lone surrogate, which JSON in UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def error_line(error: MemcliError) -> str:
    """Return an error in one line, without advice that needs a shell.

    What was typed is quoted without its secrets. If the store or the model fails, the advice is kept, because
    an agent tells its owner, who has a shell.
    """
    from memcli.text.secrets.redaction import without_quoted_secrets

    said = error.without_shell() if error.exit_status in _OF_THE_CALL else str(error)
    return printable.one_line(without_quoted_secrets(said))


def complain(who: str, line: str) -> None:
    """Write a line by `who` to the log; the model does not see it."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{who}: {printable.one_line(line)}\n")
        sys.stderr.flush()
