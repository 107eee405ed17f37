"""`mem profile`: print a profile of the owner."""

from typing import Any

import typer

from memcli import ids
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.model import Memory
from memcli.prompt import formats
from memcli.prompt.context import marked_text
from memcli.text import printable
from memcli.tiers.context.answer import piece_entry
from memcli.tiers.context.profile import Profile, profile

EXAMPLES = """
mem profile
"""


def command(
    trusted_only: options.TrustedOnly = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show a profile of the owner: blocks, preferences, constraints, habits, people, goals.

    Exits 1 if nothing is known yet.
    """
    with opened_memories(db, space) as memories:
        picture = profile(memories, trusted=trusted_only or None)
    parts = {name: getattr(picture, name) for name in formats.PROFILE}
    if not any((picture.blocks, picture.now, *parts.values())):
        raise typer.Exit(1)
    if json:
        record = {name: [_record(each, picture) for each in part] for name, part in parts.items()}
        now = [
            {"tier": piece.tier, "text": piece_entry(piece), "trusted": piece.trusted}
            for piece in picture.now
        ]
        output.to_stdout(printable.json_line({"blocks": dict(picture.blocks), **record, "now": now}))
        return
    for label, text in picture.blocks:
        said = formats.LABELLED.format(label=printable.one_line(label), text=printable.printable(text))
        output.to_stdout(said)
    for name, part in parts.items():
        if part:
            output.to_stdout(formats.PROFILE[name])
        for memory in part:
            said = marked_text(printable.one_line(memory.text), trusted=memory.trusted)
            told = {"text": said, "id": ids.short_id(memory.id)}
            if by := picture.updated.get(memory.id):
                output.to_stdout(formats.PROFILED_UPDATED.format(**told, stranger=ids.short_id(by)))
            else:
                output.to_stdout(formats.PROFILED.format(**told))
    if picture.now:
        output.to_stdout(formats.NOW_HEADING)
    for piece in picture.now:
        output.to_stdout(printable.printable(piece_entry(piece)))


def _record(memory: Memory, picture: Profile) -> dict[str, Any]:
    by = {"perhaps_updated_by": picture.updated[memory.id]} if memory.id in picture.updated else {}
    return {"id": memory.id, "text": memory.text, "trusted": memory.trusted, **by}
