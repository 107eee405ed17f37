"""`mem restore`: restore forgotten memories."""

from typing import Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.changes import lifted_remarks, print_changed, say_links, say_unchanged
from memcli.commands.terminal.decisions import print_decision
from memcli.commands.terminal.store import opened_memories

EXAMPLES = """
mem restore V3PWKQ9D
mem restore V3PWKQ9D --force     # although something says the same by now
"""


def command(
    fragments: options.Ids,
    force: Annotated[
        bool, typer.Option("--force", help="Restore even if a newer memory says the same.")
    ] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Bring forgotten memories back.

    If a newer memory says the same, that one is confirmed instead, and the old one
    stays ended. What has expired, or was true until some day that has passed, stays
    from then on. Links that were forgotten with it come along. One that is live stays
    as it is, which is said.
    """
    from memcli.changes import revision

    with opened_memories(db, space) as memories:
        found = {memory.id: memory for memory in map(memories.find, fragments)}
        now = memories.now()
        live = {memory.id for memory in found.values() if not revision.is_over(memory, now)}
        after, links = revision.restore_memories(memories, list(found.values()), force=force)
    for memory, decision in after:
        if decision.action == "reinforce":
            print_decision(decision, memories, as_json=json)
            output.to_stderr(f"{memory.id} stays ended; --force brings it back all the same")
        else:
            print_changed([memory], "live" if memory.id in live else "restored", as_json=json)
            for remark in lifted_remarks(found[memory.id], memory):
                output.to_stderr(remark)
    say_links(links, "restored with it")
    say_unchanged((memory for memory, _ in after if memory.id in live), "is live")
