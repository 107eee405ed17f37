"""`mem doubt`: lower the confidence of memories."""

from memcli.commands.terminal import options
from memcli.commands.terminal.changes import print_changed, say_superseded, say_unchanged
from memcli.commands.terminal.store import opened_memories

EXAMPLES = """
mem doubt QP6W3B9Y --reason "she said she moves"
"""


def command(
    fragments: options.Ids,
    reason: options.Reason = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Believe a memory less: confidence -0.2, at least 0."""
    from memcli.changes import revision

    with opened_memories(db, space) as memories, memories.store.writing():
        found = [memories.find(fragment) for fragment in dict.fromkeys(fragments)]
        at_zero = {memory.id for memory in map(memories.current_version, found) if not memory.confidence}
        after = [revision.doubt_memory(memories, memory, reason) for memory in found]
    say_superseded(found, after, "doubting")
    say_unchanged((memory for memory in after if memory.id in at_zero), "has a confidence of 0")
    print_changed(after, "doubted", "confidence", as_json=json)
