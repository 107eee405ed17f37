"""Changes, printed: the memories that a command has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memcli import ids, times
from memcli.commands.terminal import output
from memcli.model import Link, Memory
from memcli.text import printable
from memcli.text.counting import counted


def say_superseded(found: Sequence[Memory], after: Sequence[Memory], doing: str) -> None:
    """Say which named memories were superseded, so that their successors were changed instead."""
    for named, changed in zip(found, after, strict=True):
        if named.id != changed.id:
            output.to_stderr(f"{named.id} is superseded already; {doing} {changed.id}")


def say_unchanged(some: Iterable[Memory], state: str) -> None:
    """Say which memories were in this state already, so that nothing was recorded."""
    for memory in some:
        output.to_stderr(f"{memory.id} {state} already; nothing was recorded")


def lifted_remarks(before: Memory, after: Memory) -> list[str]:
    """Return remarks about a memory whose time to live, or end of validity, was lifted."""
    said = []
    if before.expires_at and after.expires_at is None:
        ends = "its time to live, until"
        said.append(f"{after.id} stays from now on: {ends} {times.local_time(before.expires_at)}, is lifted")
    if before.valid_until and after.valid_until is None and after.ended_at is None:
        day = times.local_day(before.valid_until)
        said.append(f"{after.id} holds from now on: it was true until {day}, which is lifted")
    return said


def say_links(links: Sequence[Link], became: str) -> None:
    """Say which links changed along with memories; the first ones are quoted."""
    if links:
        from memcli.graph.links import link_statement

        said = [printable.one_line(link_statement(each._replace(ended_at=None)), 80) for each in links[:3]]
        more = "; …" if len(links) > len(said) else ""
        output.to_stderr(f"{counted(len(links), 'link', 'links')} {became}: {'; '.join(said)}{more}")


def print_changed(memories: Sequence[Memory], verb: str, field: str | None = None, *, as_json: bool) -> None:
    """Print one line for each memory: JSON, or its id in a pipe, or on a terminal what was done."""
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


def print_forgotten(
    chosen: Sequence[Memory], verb: str, degraded: Mapping[str, Any] | None = None, *, as_json: bool
) -> None:
    """Print the memories: in full as JSON, as a line each on a terminal, else by id."""
    for memory in chosen:
        if as_json:
            output.to_stdout(printable.json_line({**memory.to_record(), **(degraded or {})}))
        elif output.stdout_is_terminal():
            output.to_stdout(f"{verb}: {ids.short_id(memory.id)}  {printable.one_line(memory.text, 100)}")
        else:
            output.to_stdout(memory.id)
