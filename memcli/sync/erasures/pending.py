"""Pending erasures: those of other machines still to be carried out here, recorded when they are read.

Recording them at once means that a killed sync loses none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from memcli.changes import foreign_lines
from memcli.model import Event, State
from memcli.scope import Scope
from memcli.sync import replica
from memcli.sync.replica import PENDING
from memcli.times import from_iso, to_iso


def read_pending(scope: Scope) -> dict[str, Any]:
    """Return the recorded erasures by sort.

    `memories`: by id, the history lines that say how each was erased; `things`: hashes of erased links and
    values; `absent`: ids of memories that the store does not hold, but a copy or change file may; `lines`:
    the numbers of history lines that were cleaned here and may be whole in a copy.
    """
    return {
        "memories": {},
        "things": [],
        "absent": [],
        "lines": [],
        **(replica.noted_value(scope, PENDING) or {}),
    }


def note_memory(scope: Scope, event: Event, via: str) -> None:
    """Record a memory that a history line says is erased; the line came from the folder `via`."""
    noted = read_pending(scope)
    noted["memories"].setdefault(event.memory, []).append(
        {**event._asdict(), "at": to_iso(event.at), "via": via}
    )
    replica.note_value(scope, PENDING, noted)


def note_absent(scope: Scope, ids: Iterable[str]) -> None:
    """Record memories that were erased elsewhere and are not in the store."""
    if news := sorted(ids):
        noted = read_pending(scope)
        noted["absent"] = sorted({*noted["absent"], *news})
        replica.note_value(scope, PENDING, noted)


def note_thing(scope: Scope, trace: State) -> None:
    """Record the trace of an erased link or value, whether it is here or not."""
    if isinstance(trace.value, dict) and trace.value.get("as") == "thing":
        noted = read_pending(scope)
        noted["things"].append(trace.key)
        replica.note_value(scope, PENDING, noted)


def note_lines(scope: Scope, events: Sequence[Event]) -> None:
    """Record history lines that were cleaned here because others had cleaned them."""
    if events:
        noted = read_pending(scope)
        noted["lines"] += [event.number for event in events]
        replica.note_value(scope, PENDING, noted)


def was_purged(lines: list[dict[str, Any]]) -> bool:
    """True if a memory was purged when its grace period was over, and nobody erased it."""
    return all(line["action"] == "purge" for line in lines)


def clear_pending(scope: Scope, things: Sequence[str] = ()) -> None:
    """Drop the record once all is erased here, too, and put the lines that said so on record.

    `things` stay recorded: they may still be in a copy.
    """
    with scope.store.writing():
        for memory in read_pending(scope)["memories"].values():
            for line in memory:
                via = line.pop("via")
                foreign_lines.put_foreign(scope, [Event(**{**line, "at": from_iso(line["at"])})], via)
        left = {"memories": {}, "things": list(things), "absent": []}
        replica.note_value(scope, PENDING, left if things else None)
