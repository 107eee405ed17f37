"""What a call is answered with, and what is told on stderr, which agents keep as a log."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from memcli.errors import MemcliError
from memcli.text import printable


class Reply(NamedTuple):
    """A text for the model, and where a program may want it a record of the same."""

    text: str
    record: Mapping[str, Any] | None = None


def sendable(text: str) -> str:
    """A text as it stands in JSON: what came in by a store may hold a lone surrogate, which none does."""
    return text.encode("utf-8", "replace").decode("utf-8")


def error_line(error: MemcliError) -> str:
    """An error in one line; what was typed is quoted without its secrets."""
    from memcli.text.secrets.redaction import without_quoted_secrets

    return printable.one_line(without_quoted_secrets(str(error)))


def complain(who: str, line: str) -> None:
    """Tell whoever reads the log that `who` says this; never the model."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{who}: {printable.one_line(line)}\n")
        sys.stderr.flush()
