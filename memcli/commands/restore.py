"""`mem restore`: bring forgotten memories back."""

from __future__ import annotations

from memcli import ids, output
from memcli.commands import options


def command(fragments: options.Ids, json: options.Json = False, db: options.Db = None) -> None:
    """Bring forgotten memories back."""
    with options.opened(db) as memories:
        wanted = dict.fromkeys(memories.find(fragment).id for fragment in fragments)
        memories.restore(list(wanted))
        found = memories.store.get(list(wanted))
    for memory in found:
        if json:
            output.to_stdout(output.json_line(memory.to_record()))
        elif output.for_people():
            output.to_stdout(f"restored: {ids.tail(memory.id)}  {output.one_line(memory.text)[:100]}")
        else:
            output.to_stdout(memory.id)
