"""`mem why`: why a memory was taken, what changed it, and what uses it."""

from __future__ import annotations

from collections.abc import Iterator

from memcli import ids, times
from memcli.changes.why import Why, why
from memcli.commands.history import line_of
from memcli.commands.terminal import options, output
from memcli.prompt import formats
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
    yield formats.WHY.format(whole=memory.id, text=memory.text)
    reason = f"; {story.taken.reason}" if story.taken and story.taken.reason else ""
    yield formats.TAKEN.format(
        minute=times.local(story.taken.at if story.taken else memory.created_at), source=memory.source,
        origin=memory.origin, trust="trusted" if memory.trusted else "untrusted", rest=reason,
    )  # fmt: skip
    if approved := memory.data.get("approved"):
        yield formats.APPROVED.format(rule=approved)
    for rule in memory.data.get("overrides", ()):
        yield formats.FORCED.format(rule=rule)
    if memory.supersedes:
        yield formats.SUPERSEDES.format(whole=memory.supersedes)
    yield formats.BELIEVED.format(confidence=memory.confidence, count=memory.confirm_count)
    for event in story.changes:
        yield formats.CHANGED_BY.format(rest=line_of(event))
    if memory.ended_at:
        yield formats.ENDED.format(minute=times.local(memory.ended_at), reason=memory.ended_why)
    if story.superseded_by:
        yield formats.SUPERSEDED.format(whole=story.superseded_by)
    used = f", last {times.local(memory.accessed_at)}" if memory.accessed_at else ""
    yield formats.RECALLED.format(count=memory.access_count, rest=used)
    for each in story.made_from:
        yield formats.MADE_FROM.format(stranger=ids.tail(each.id), kind=each.kind, rest=each.text[:80])
    for each in story.used_by:
        yield formats.USED_BY.format(stranger=ids.tail(each.id), kind=each.kind, rest=each.text[:80])
    for link in story.links:
        yield formats.LINK.format(rest=f"{link.subject} {link.relation} {link.object}")
    yield formats.POLICY_TODAY.format(rest=story.now)
