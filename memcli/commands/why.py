"""`mem why`: why a memory was taken, what changed it, and what uses it."""

from __future__ import annotations

from collections.abc import Iterator

from memcli import ids, times
from memcli.changes.why import Why, why
from memcli.commands.history import line_of
from memcli.commands.terminal import options, output
from memcli.text import printable

EXAMPLES = """
mem why C92GGS8B
mem why B0NV1PBM --json | jq .
"""


def command(
    fragment: options.Id,
    space: options.Space = None,
    all_spaces: options.AllSpaces = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Say why a memory was taken, what changed it, and what uses it."""
    with options.opened(db, space) as memories:
        story = why(memories, options.found(memories, fragment, all_spaces=all_spaces))
    if json:
        output.to_stdout(printable.json_line(story.to_record()))
        return
    for line in _lines(story):
        output.to_stdout(printable.one_line(line))


def _lines(story: Why) -> Iterator[str]:
    memory = story.memory
    yield f"{memory.id}: {memory.text}"
    trust = "trusted" if memory.trusted else "untrusted"
    when = times.local(story.taken.at if story.taken else memory.created_at)[:16]
    reason = f"; {story.taken.reason}" if story.taken and story.taken.reason else ""
    yield f"taken {when} as {memory.source} through {memory.origin} ({trust}){reason}"
    if approved := memory.data.get("approved"):
        yield f"approved by its owner; it was held as {approved}"
    for rule in memory.data.get("overrides", ()):
        yield f"kept against the rule {rule}, by force"
    if memory.supersedes:
        yield f"supersedes {memory.supersedes}"
    yield f"believed {memory.confidence:g}, confirmed {memory.confirm_count} times"
    for event in story.changes:
        yield f"changed: {line_of(event)}"
    if memory.ended_at:
        yield f"ended {times.local(memory.ended_at)[:16]}: {memory.ended_why}"
    if story.superseded_by:
        yield f"superseded by {story.superseded_by}"
    used = f", last {times.local(memory.accessed_at)[:16]}" if memory.accessed_at else ""
    yield f"recalled {memory.access_count} times{used}"
    for each in story.made_from:
        yield f"made from {ids.tail(each.id)} ({each.kind}): {each.text[:80]}"
    for each in story.used_by:
        yield f"used by {ids.tail(each.id)} ({each.kind}): {each.text[:80]}"
    for link in story.links:
        yield f"link: {link.subject} {link.relation} {link.object}"
    yield f"the policy today: {story.now}"
