"""What a call is answered with, and what is told on stderr, which clients keep as the server's log."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from memcli.text import printable


class Reply(NamedTuple):
    """A text for the model, and where a program may want it a record of the same."""

    text: str
    record: Mapping[str, Any] | None = None


def complain(line: str) -> None:
    """Tell whoever reads the server's log; never the client."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"mem mcp: {printable.one_line(line)}\n")
        sys.stderr.flush()
