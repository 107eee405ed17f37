"""`mem show`: show everything about one or several memories."""

from typing import Any

from memcli import times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import memory_by_id, opened_memories
from memcli.graph.links import evidence_of
from memcli.memories import Memories
from memcli.model import Event, Filter, Link, Memory
from memcli.prompt import formats
from memcli.storage.lookup import successor
from memcli.text import printable

EXAMPLES = """
mem show B0NV1PBM   # any unique head or tail of an id
mem show B0NV1PBM --json | jq .confidence
mem recall "staging port" --format ids | xargs mem show
"""


def command(
    fragments: options.Ids,
    space: options.Space = None,
    all_spaces: options.AllSpaces = False,
    as_of: options.AsOf = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show everything about memories."""
    with opened_memories(db, space, as_of=as_of, all_spaces=all_spaces) as memories:
        chosen = {
            memory.id: memory
            for fragment in fragments
            for memory in [memory_by_id(memories, fragment, all_spaces=all_spaces)]
        }
        on_record = [_on_record(memories, memory) for memory in chosen.values()]
    for number, (fields, links, history) in enumerate(on_record):
        if json:
            ends = [[link.subject, link.relation, link.object] for link in links]
            record = fields | {"links": ends, "history": [_event(event) for event in history]}
            output.to_stdout(printable.json_line(record))
        else:
            if number:
                output.to_stdout("")
            _show(fields, links, history)


def _on_record(memories: Memories, memory: Memory) -> tuple[dict[str, Any], list[Link], list[Event]]:
    """Return a memory's fields, the links that touch or rest on it, and its history."""
    store = memories.store
    later = successor(store, memory)
    refs = list(store.refs_by_id([memory.id]).values())
    fields = memory.to_record() | {
        "superseded_by": later.id if later else None,
        "vectors": sum(len(each) for each in store.vectors(refs).values()),
        # Not in the vector index, or only with its first windows.
        "wanting": bool(refs) and refs[0] in store.wanting(Filter(spaces=(memory.space,), live=False)),
    }
    links = [
        link for link in store.links((memory.space,))
        if memory.id in (link.subject, link.object, *evidence_of(link))
    ]  # fmt: skip
    return fields, links, list(store.history(memory.id))


def _show(fields: dict[str, Any], links: list[Link], history: list[Event]) -> None:
    # `superseded_by` is shown instead of `replaced_by`: it is the same, seen from the space.
    for name, value in fields.items():
        if (
            name not in ("text", "replaced_by")
            and value not in (None, [], {})
            and (name, value) != ("wanting", False)
        ):
            _field(name, _shown(name, value))
    for link in links:
        _field("link", f"{link.subject} {link.relation} {link.object}")
    for event in history:
        reason = f" ({printable.one_line(event.reason)})" if event.reason else ""
        when = times.local_time(event.at, seconds=True)
        # Not by `_field`, which would collapse the space between the columns.
        line = f"{when}  {event.action} by {printable.one_line(event.actor)}{reason}"
        output.to_stdout(formats.FIELD.format(field="history", value=line))
    output.to_stdout("")
    output.to_stdout(printable.printable(fields["text"]))


def _shown(name: str, value: Any) -> str:
    """Return a field's value for people: instants in local time, lists joined, data as JSON."""
    if name.endswith("_at") or name in ("valid_from", "valid_until"):
        return times.local_time(times.from_iso(value), seconds=True)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return printable.json_line(value) if isinstance(value, dict) else str(value)


def _field(name: str, value: str) -> None:
    output.to_stdout(formats.FIELD.format(field=name, value=printable.one_line(value)))


def _event(event: Event) -> dict[str, Any]:
    return {**event._asdict(), "at": times.to_iso(event.at)}
