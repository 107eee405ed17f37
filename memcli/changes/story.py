"""Story of a memory as text for people: one line for a change, some lines for its provenance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memcli import ids, times
from memcli.graph.links import is_owners_link
from memcli.memory_data import forced_rules
from memcli.model import Event, Memory
from memcli.prompt import formats
from memcli.prompt.context import marked_text
from memcli.text import printable
from memcli.text.changed_fields import field_changes
from memcli.text.printable import clip

if TYPE_CHECKING:
    from memcli.changes.provenance import Provenance

# Fields that a line need not list, since it has the time and the reason already.
_SAID_ELSEWHERE = ("ended_at", "ended_as", "ended_why", "replaced_by", "confirmed_at")


def event_line(event: Event) -> str:
    """Return a line of history as text for people and pipes."""
    head = formats.CHANGE.format(
        change=ids.short_id(event.change) if event.change else event.number,
        second=times.local_time(event.at, seconds=True), action=event.action, id=ids.short_id(event.memory),
        actor=printable.one_line(event.actor),
    )  # fmt: skip
    if event.before is None:
        changed = formats.ADDED.format(text=_short((event.after or {}).get("text", "")))
    else:
        pairs = [
            formats.FIELD_CHANGED.format(field=field, before=before, after=after)
            for name, value in (event.after or {}).items()
            if name not in _SAID_ELSEWHERE
            for field, before, after in field_changes(name, event.before.get(name), value)
        ]
        changed = formats.CHANGED.format(fields="; ".join(pairs))
    why = formats.REASON.format(reason=printable.one_line(event.reason)) if event.reason else ""
    return f"{head}{changed.rstrip()}{why}"


def _short(value: object) -> str:
    return printable.one_line(str(value), 60)


def story_lines(story: Provenance) -> Iterator[str]:
    """Yield the provenance of a memory, a line for each fact; texts and names in it may contain newlines."""
    memory = story.memory
    yield formats.WHY.format(whole=memory.id, text=memory.text)
    yield from _admission_lines(story)
    if memory.supersedes:
        yield formats.SUPERSEDES.format(whole=memory.supersedes)
    yield formats.BELIEVED.format(confidence=memory.confidence, count=memory.confirm_count)
    if memory.expires_at and memory.ended_at is None:
        yield formats.EXPIRES.format(minute=times.local_time(memory.expires_at))
    for event in story.changes:
        yield formats.CHANGED_BY.format(rest=event_line(event))
    if memory.ended_at:
        yield formats.ENDED.format(minute=times.local_time(memory.ended_at), reason=memory.ended_why)
    if story.superseded_by:
        yield formats.SUPERSEDED.format(whole=story.superseded_by)
    used = f", last {times.local_time(memory.accessed_at)}" if memory.accessed_at else ""
    yield formats.RECALLED.format(count=memory.access_count, rest=used)
    yield from _relation_lines(story)
    yield formats.POLICY_TODAY.format(rest=story.now)


def _admission_lines(story: Provenance) -> Iterator[str]:
    """Yield how it came in: when and from where, who let it in, and what the judges found."""
    memory = story.memory
    reason = f"; {story.taken.reason}" if story.taken and story.taken.reason else ""
    yield formats.TAKEN.format(
        minute=times.local_time(story.taken.at if story.taken else memory.created_at), source=memory.source,
        origin=memory.origin, trust="trusted" if memory.trusted else "untrusted", rest=reason,
    )  # fmt: skip
    if approved := memory.data.get("approved"):
        yield formats.APPROVED.format(rule=approved)
    for rule in forced_rules(memory):
        yield formats.FORCED.format(rule=rule)
    if isinstance(judged := memory.data.get("judged"), dict) and judged:
        shares = (
            f"{what} ({likely:.0%})" for what, likely in judged.items() if isinstance(likely, float | int)
        )
        yield formats.JUDGED.format(rest=", ".join(shares))


def _relation_lines(story: Provenance) -> Iterator[str]:
    """Yield what it was made from, what was made from it, and the links that rest on it."""
    for each in story.made_from:
        yield formats.MADE_FROM.format(stranger=ids.short_id(each.id), kind=each.kind, rest=_beginning(each))
    for each in story.used_by:
        yield formats.USED_BY.format(stranger=ids.short_id(each.id), kind=each.kind, rest=_beginning(each))
    for link in story.links:
        said = f"{link.subject} {link.relation} {link.object}"
        yield formats.LINK.format(rest=marked_text(said, trusted=is_owners_link(link)))


def _beginning(memory: Memory) -> str:
    return marked_text(clip(memory.text, 80), trusted=memory.trusted)
