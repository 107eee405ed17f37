"""What others have erased and is still here: noted when it is read, so that a kill loses none of it."""

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
    """`memories`: by id the lines of history that say how each went; `things`: hashes of what else went.

    `absent`: the ids of those that the store does not hold, and a copy or a change file of it may.
    `lines`: the numbers of lines of history that say less by now here, and more in a copy.
    """
    return {
        "memories": {},
        "things": [],
        "absent": [],
        "lines": [],
        **(replica.noted_value(scope, PENDING) or {}),
    }


def note_memory(scope: Scope, event: Event, via: str) -> None:
    """Note a memory that a line of history says is gone for good; the line came from the folder `via`."""
    noted = read_pending(scope)
    noted["memories"].setdefault(event.memory, []).append(
        {**event._asdict(), "at": to_iso(event.at), "via": via}
    )
    replica.note_value(scope, PENDING, noted)


def note_absent(scope: Scope, ids: Iterable[str]) -> None:
    """Note memories that were erased elsewhere and are not in the store."""
    if news := sorted(ids):
        noted = read_pending(scope)
        noted["absent"] = sorted({*noted["absent"], *news})
        replica.note_value(scope, PENDING, noted)


def note_thing(scope: Scope, trace: State) -> None:
    """Note a mark of something that was forgotten for good, be it here or not."""
    if isinstance(trace.value, dict) and trace.value.get("as") == "thing":
        noted = read_pending(scope)
        noted["things"].append(trace.key)
        replica.note_value(scope, PENDING, noted)


def note_lines(scope: Scope, events: Sequence[Event]) -> None:
    """Note lines of history that were rewritten here because others had."""
    if events:
        noted = read_pending(scope)
        noted["lines"] += [event.number for event in events]
        replica.note_value(scope, PENDING, noted)


def was_purged(lines: list[dict[str, Any]]) -> bool:
    """Whether a memory went because its grace was over, and nobody erased it."""
    return all(line["action"] == "purge" for line in lines)


def clear_pending(scope: Scope, things: Sequence[str] = ()) -> None:
    """All of it is gone here, too: the lines that said so go on record; with a memory its lines went.

    But for `things`, which may still be in a copy.
    """
    with scope.store.writing():
        for memory in read_pending(scope)["memories"].values():
            for line in memory:
                via = line.pop("via")
                foreign_lines.put_foreign(scope, [Event(**{**line, "at": from_iso(line["at"])})], via)
        left = {"memories": {}, "things": list(things), "absent": []}
        replica.note_value(scope, PENDING, left if things else None)
