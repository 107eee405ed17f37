"""`mem why`: why a memory was taken, what changed it, and what uses it."""

from __future__ import annotations

from collections.abc import Iterator

from memcli import ids, times
from memcli.changes.provenance import Provenance, provenance_of
from memcli.commands.history import event_line
from memcli.commands.terminal import options, output
from memcli.graph.links import is_owners_link
from memcli.model import Memory
from memcli.prompt import formats
from memcli.prompt.context import marked_text
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
    with options.opened_memories(db, space) as memories:
        story = provenance_of(memories, options.memory_by_id(memories, fragment, all_spaces=all_spaces))
    if json:
        output.to_stdout(printable.json_line(story.to_record()))
        return
    for line in _lines(story):
        output.to_stdout(printable.one_line(line))


def _lines(story: Provenance) -> Iterator[str]:
    memory = story.memory
    yield formats.WHY.format(whole=memory.id, text=memory.text)
    reason = f"; {story.taken.reason}" if story.taken and story.taken.reason else ""
    yield formats.TAKEN.format(
        minute=times.local_time(story.taken.at if story.taken else memory.created_at), source=memory.source,
        origin=memory.origin, trust="trusted" if memory.trusted else "untrusted", rest=reason,
    )  # fmt: skip
    if approved := memory.data.get("approved"):
        yield formats.APPROVED.format(rule=approved)
    for rule in memory.data.get("overrides", ()):
        yield formats.FORCED.format(rule=rule)
    if isinstance(judged := memory.data.get("judged"), dict) and judged:
        shares = (
            f"{what} ({likely:.0%})" for what, likely in judged.items() if isinstance(likely, float | int)
        )
        yield formats.JUDGED.format(rest=", ".join(shares))
    if memory.supersedes:
        yield formats.SUPERSEDES.format(whole=memory.supersedes)
    yield formats.BELIEVED.format(confidence=memory.confidence, count=memory.confirm_count)
    for event in story.changes:
        yield formats.CHANGED_BY.format(rest=event_line(event))
    if memory.ended_at:
        yield formats.ENDED.format(minute=times.local_time(memory.ended_at), reason=memory.ended_why)
    if story.superseded_by:
        yield formats.SUPERSEDED.format(whole=story.superseded_by)
    used = f", last {times.local_time(memory.accessed_at)}" if memory.accessed_at else ""
    yield formats.RECALLED.format(count=memory.access_count, rest=used)
    for each in story.made_from:
        yield formats.MADE_FROM.format(stranger=ids.short_id(each.id), kind=each.kind, rest=_beginning(each))
    for each in story.used_by:
        yield formats.USED_BY.format(stranger=ids.short_id(each.id), kind=each.kind, rest=_beginning(each))
    for link in story.links:
        said = f"{link.subject} {link.relation} {link.object}"
        yield formats.LINK.format(rest=marked_text(said, trusted=is_owners_link(link)))
    yield formats.POLICY_TODAY.format(rest=story.now)


def _beginning(memory: Memory) -> str:
    return marked_text(memory.text[:80], trusted=memory.trusted)
