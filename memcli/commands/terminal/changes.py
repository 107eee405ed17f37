"""Printing memories that a command has changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memcli import ids
from memcli.commands.terminal import output
from memcli.model import Memory
from memcli.text import printable


def say_superseded(found: Sequence[Memory], after: Sequence[Memory], doing: str) -> None:
    """Say where what was named is superseded, and what stands in its place was changed."""
    for named, changed in zip(found, after, strict=True):
        if named.id != changed.id:
            output.to_stderr(f"{named.id} is superseded already; {doing} {changed.id}")


def say_unchanged(some: Iterable[Memory], state: str) -> None:
    """Say of memories that they were in this state already, and that nothing was recorded of them."""
    for memory in some:
        output.to_stderr(f"{memory.id} {state} already; nothing was recorded")


def print_changed(memories: Sequence[Memory], verb: str, field: str | None = None, *, as_json: bool) -> None:
    """One line a memory: JSON, or its id for a program, or what was done for a person."""
    for memory in memories:
        if as_json:
            output.to_stdout(printable.json_line(memory.to_record()))
        elif output.stdout_is_terminal():
            now = f" ({field} {getattr(memory, field):g})" if field else ""
            output.to_stdout(
                f"{verb}{now}: {ids.short_id(memory.id)}  {printable.one_line(memory.text, 100)}"
            )
        else:
            output.to_stdout(memory.id)
