"""`mem confirm`: believe a memory more."""

from __future__ import annotations

from memcli.commands.terminal import options
from memcli.commands.terminal.changed import print_changed, say_followed

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
    from memcli.changes import changing as changes

    with options.opened(db, space) as memories, memories.store.writing():
        found = [memories.find(fragment) for fragment in dict.fromkeys(fragments)]
        after = [changes.confirm(memories, memory, reason) for memory in found]
    say_followed(found, after, "confirming")
    print_changed(after, "confirmed", "confidence", as_json=json)
