"""`mem restore`: bring forgotten memories back."""

from __future__ import annotations

from memcli.commands.terminal import options
from memcli.commands.terminal.changes import print_changed

EXAMPLES = """
mem restore V3PWKQ9D
"""


def command(
    fragments: options.Ids,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Bring forgotten memories back."""
    from memcli.changes import revision

    with options.opened_memories(db, space) as memories:
        found = {memory.id: memory for memory in map(memories.find, fragments)}
        after = revision.restore_memories(memories, list(found.values()))
    print_changed(after, "restored", as_json=json)
