"""`mem profile`: the owner's picture."""

import typer

from memcli import ids
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.prompt import formats
from memcli.prompt.context import marked_text
from memcli.text import printable
from memcli.tiers.context.answer import piece_entry
from memcli.tiers.context.profile import profile

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
    if not any(picture):
        raise typer.Exit(1)
    parts = {name: part for name, part in picture._asdict().items() if name not in ("blocks", "now")}
    if json:
        record = {
            name: [{"id": m.id, "text": m.text, "trusted": m.trusted} for m in part]
            for name, part in parts.items()
        }
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
            output.to_stdout(formats.PROFILED.format(text=said, id=ids.short_id(memory.id)))
    if picture.now:
        output.to_stdout(formats.NOW_HEADING)
    for piece in picture.now:
        output.to_stdout(printable.printable(piece_entry(piece)))
