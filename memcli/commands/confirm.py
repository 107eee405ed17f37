"""`mem confirm`: raise the confidence of memories."""

from memcli.commands.terminal import options
from memcli.commands.terminal.changes import print_changed, say_superseded
from memcli.commands.terminal.store import opened_memories

EXAMPLES = """
mem confirm QP6W3B9Y
mem confirm QP6W3B9Y B0NV1PBM --reason "she said so again"
"""


def command(
    fragments: options.Ids,
    reason: options.Reason = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Believe a memory more: confidence +0.1, at most 1."""
    from memcli.changes import revision

    with opened_memories(db, space) as memories, memories.store.writing():
        found = [memories.find(fragment) for fragment in dict.fromkeys(fragments)]
        after = [revision.confirm_memory(memories, memory, reason) for memory in found]
    say_superseded(found, after, "confirming")
    print_changed(after, "confirmed", "confidence", as_json=json)
