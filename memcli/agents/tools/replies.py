"""What a call is answered with, and what is told on stderr, which agents keep as a log."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.text import printable

# The exit statuses of what a call itself was wrong about: not found, malformed, refused.
_OF_THE_CALL = (1, 2, 3)


class Reply(NamedTuple):
    """A text for the model, and where a program may want it a record of the same."""

    text: str
    record: Mapping[str, Any] | None = None


def sendable(text: str) -> str:
    """A text as it stands in JSON: what came in by a store may hold a lone surrogate, which none does."""
    return text.encode("utf-8", "replace").decode("utf-8")


def error_line(error: MemcliError) -> str:
    """An error in one line, without what only a shell can do about it.

    What was typed is quoted without its secrets. Where the store or the model fails, an agent tells its
    owner, who has a shell.
    """
    from memcli.text.secrets.redaction import without_quoted_secrets

    said = error.without_shell() if error.exit_status in _OF_THE_CALL else str(error)
    return printable.one_line(without_quoted_secrets(said))


def complain(who: str, line: str) -> None:
    """Tell whoever reads the log that `who` says this; never the model."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{who}: {printable.one_line(line)}\n")
        sys.stderr.flush()
