"""Detail of one entry of a list, as data: its text, facts about it, and its history."""

from __future__ import annotations

from collections.abc import Iterator

from memcli import ids, times
from memcli.changes.provenance import provenance_of
from memcli.changes.story import event_line, story_lines
from memcli.graph.links import evidence_of, is_owners_link, link_statement
from memcli.memories import Memories
from memcli.model import DEFAULT_IMPORTANCE, Memory, outcome_counts
from memcli.named_tuple import NamedTuple
from memcli.prompt import formats
from memcli.prompt.context import marked_text, told_day, told_minute
from memcli.text.printable import CUT, one_line, printable
from memcli.views.browse.listings import Entry

# The most characters shown of a text, so that the screen stays fast with megabytes; a note says that it is
# cut.
_LONGEST = 50_000
# The most lines of history shown, the newest ones.
_LINES = 100


class Section(NamedTuple):
    """Lines under a heading."""

    heading: str
    lines: list[str]


class Detail(NamedTuple):
    """An entry as shown, all printable: its text, `facts` as pairs of a name or "" and a value, sections."""

    text: str
    facts: list[tuple[str, str]]
    sections: list[Section]


def detail_of(memories: Memories, entry: Entry) -> Detail:
    """Return the detail of an entry. Raises NotFound if it is gone."""
    if entry.sort == "memory":
        return _memory_detail(memories, memories.find(entry.key))
    if entry.sort == "held":
        return _held_detail(memories, entry.key)
    if entry.sort == "link":
        return _link_detail(memories, entry.key)
    if entry.sort == "question":
        return _question_detail(memories, entry)
    return _space_detail(memories, entry.key)


def whole_text(memory: Memory) -> str:
    """Return a text as it is shown and edited, with invisible and reordering characters escaped."""
    return printable(memory.text).expandtabs(4)


def _shown(text: str) -> str:
    whole = printable(text[: _LONGEST + 1]).expandtabs(4).strip("\n")
    if len(text) <= _LONGEST:
        return whole
    return f"{whole}{CUT}\n({len(text):,} characters; `mem show` prints them all)"


def _memory_detail(memories: Memories, memory: Memory) -> Detail:
    story = provenance_of(memories, memory)
    # Changes and links have sections of their own, and the text is shown above.
    _, *why = story_lines(story._replace(changes=[], links=[]))
    events = [*([story.taken] if story.taken else []), *story.changes]
    sections = [
        Section("Why", [one_line(line) for line in why]),
        Section("Links", _links(memories, memory)),
        Section("History", [one_line(event_line(event)) for event in reversed(events[-_LINES:])]),
    ]
    return Detail(_shown(memory.text), list(_facts(memory)), [each for each in sections if each.lines])


def _facts(memory: Memory) -> Iterator[tuple[str, str]]:
    yield "", memory.kind
    yield "", told_minute(memory)
    yield "believed", f"{memory.confidence:.0%}"
    if memory.importance != DEFAULT_IMPORTANCE:
        yield "important", f"{memory.importance:.0%}"
    if memory.valid_from or memory.valid_until:
        bounds = (times.local_day(each) if each else "" for each in (memory.valid_from, memory.valid_until))
        yield "true", "{} to {}".format(*bounds).strip()
    if memory.expires_at:
        yield "expires", times.local_time(memory.expires_at)
    if memory.ended_at:
        yield "ended", f"{times.local_time(memory.ended_at)} ({one_line(memory.ended_why or '')})"
    if memory.tags:
        yield "tags", one_line(" ".join(formats.TAG.format(tag=tag) for tag in memory.tags))
    if memory.session:
        yield "session", one_line(memory.session)
    if memory.data.get("name"):
        yield "name", one_line(str(memory.data["name"]))
    worked, failed = outcome_counts(memory.data)
    if worked or failed:
        yield "worked", f"{worked} of {worked + failed}"
    if not memory.trusted:
        yield formats.UNTRUSTED, f"through {one_line(memory.origin)}"
    yield "", memory.id


def _links(memories: Memories, memory: Memory) -> list[str]:
    return [
        marked_text(one_line(link_statement(link)), trusted=is_owners_link(link))
        for link in memories.store.links((memory.space,))
        if memory.id in (link.subject, link.object, *evidence_of(link))
    ]


def _held_detail(memories: Memories, key: str) -> Detail:
    from memcli.write_policy.review import find_held

    held = find_held(memories, key)
    facts = [("held", one_line(f"{held.reason} ({held.rule})")), *_facts(held.memory)]
    replaced = [
        one_line(each.text) for each in memories.store.get([held.memory.supersedes or ""])
        if each.space == memories.space
    ]  # fmt: skip
    return Detail(
        _shown(held.memory.text), facts, [Section("It would take the place of", replaced)] if replaced else []
    )


def _link_detail(memories: Memories, key: str) -> Detail:
    from memcli.graph.proposed_links import find_proposed_link

    link = find_proposed_link(memories, key)
    facts = [("proposed", f"{link.confidence:.0%} sure"), ("", link.id)]
    if link.since:
        facts.append(("since", times.local_day(link.since)))
    told = [f"{ids.short_id(each.id)}  {one_line(each.text)}" for each in link.evidence]
    return Detail(one_line(link.statement), facts, [Section("Because of", told)])


def _question_detail(memories: Memories, entry: Entry) -> Detail:
    found = memories.store.get(entry.key.split())
    sides = [
        f"{ids.short_id(each.id)}  {told_day(each)}  {one_line(each.text)}"
        for each in found
        if each.space == memories.space
    ]
    asked = "Do they contradict each other?" if entry.kind == "contradiction" else "Do they say the same?"
    return Detail(
        f"{asked} Accept: both hold. Else forget or correct one of them.", [], [Section("These two", sides)]
    )


def _space_detail(memories: Memories, name: str) -> Detail:
    space = memories.in_space(name)
    counts: dict[str, int] = {}
    for _, kind, number in memories.store.count(space.within()):
        counts[kind] = counts.get(kind, 0) + number
    facts = [(kind, f"{number:,}") for kind, number in sorted(counts.items(), key=lambda each: -each[1])]
    newest = [
        f"{told_day(each)}  {one_line(each.text, 200)}"
        for each in memories.store.select(space.within(), limit=10)
    ]
    return Detail(one_line(name), facts, [Section("Newest", newest)] if newest else [])
