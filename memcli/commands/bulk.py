"""`mem remember --batch`: many memories from stdin, bad lines named, good ones kept."""

from __future__ import annotations

import json
from dataclasses import replace

import typer

from memcli import output
from memcli.commands.progress import counting
from memcli.commands.reading import decode, lines_from_stdin
from memcli.drafts import Draft, draft_from_record
from memcli.errors import BadInput, Refused
from memcli.memories import BATCH, Memories
from memcli.model import Change, Memory


def remember_lines(memories: Memories, defaults: Draft, as_json: bool) -> None:
    """Read JSON Lines or one memory a line; print the new ids; exit 2 if a line was bad.

    The first line decides: if it begins with '{', all are JSON objects.
    What a line does not say comes from `defaults`.
    """
    pending: list[Memory] = []
    kept = bad = 0
    in_json: bool | None = None

    def keep() -> None:
        nonlocal kept
        memories.put(pending, Change(action="add", actor="batch"))
        for memory in pending:
            if as_json:
                output.to_stdout(output.json_line(memory.to_record()))
            elif not output.for_people():
                output.to_stdout(memory.id)
        kept += len(pending)
        pending.clear()

    with counting("remembering") as progress:
        for number, line in lines_from_stdin():
            if in_json is None:
                in_json = line.lstrip(b"\xef\xbb\xbf \t").startswith(b"{")
            try:
                text = decode(line, f"line {number}")
                pending.append(memories.prepare(_draft(text, in_json, defaults, memories)))
            except (BadInput, Refused) as error:
                bad += 1
                output.to_stderr(f"line {number}: {str(error).removeprefix(f'line {number}: ')}")
            if len(pending) == BATCH:
                keep()
                progress(kept)
        keep()
    if output.for_people():
        output.to_stdout(f"remembered {kept:,}")
    if bad:
        output.to_stderr(f"{bad:,} of {kept + bad:,} lines refused; the others are kept")
        raise typer.Exit(2)


def _draft(line: str, in_json: bool, defaults: Draft, memories: Memories) -> Draft:
    if not in_json:
        return replace(defaults, text=line.strip(), origin="batch")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not valid JSON ({error})") from error
    if not isinstance(record, dict):
        raise BadInput("not a JSON object")
    draft = draft_from_record(record, memories.now(), "batch")
    given = {name for name in record if record[name] is not None}
    return replace(
        draft,
        tags=tuple({*defaults.tags, *draft.tags}),
        happened_at=draft.happened_at or defaults.happened_at,
        **{
            name: getattr(defaults, name)
            for name in (
                "kind",
                "confidence",
                "importance",
                "source",
                "session",
                "ttl",
                "valid_from",
                "valid_until",
            )
            if name not in given
        },
    )
