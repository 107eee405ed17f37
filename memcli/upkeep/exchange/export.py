"""Export: memcli's own open format, lossless, one JSON object a line.

The first line names the format. Then, each type of line in order of its key: `event` (history, if asked
for), `memory` (with its vectors, if asked for), `link`, `state`. An export imported into an empty store and
exported again is the same file, byte for byte. See `importer`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from memcli.model import Filter
from memcli.scope import Scope
from memcli.storage import Beginning
from memcli.storage.batches import BATCH
from memcli.upkeep.exchange.links_and_states import as_json, links_and_states

FORMAT_NAME = "memcli"
# 2: how a memory ended, and what an undo undid, are fields; for files of version 1 they are inferred.
FORMAT_VERSION = 2

HEADER = {"format": FORMAT_NAME, "version": FORMAT_VERSION}


def export_records(
    scope: Scope, where: Filter, *, history: bool = False, vectors: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield the records of an export, header first.

    A filter narrows the memories; links and states are included by space, and history with its memories.
    With only trusted memories, untrusted links and states are left out, too.
    """
    store = scope.store
    model = store.model() if vectors else None
    yield {**HEADER, "model": model._asdict()} if model else HEADER
    chosen = list(store.select(where, order="oldest"))
    if history:
        included = {memory.id for memory in chosen}
        for event in store.history():
            if event.memory in included:
                yield {"type": "event", **as_json(event._asdict(), leave_out=("number",))}
    for start in range(0, len(chosen), BATCH):
        batch = chosen[start : start + BATCH]
        refs = store.refs_by_id([memory.id for memory in batch]) if model else {}
        carried = store.vectors(list(refs.values()))
        for memory in batch:
            record = {"type": "memory", **memory.to_record()}
            # A vector of the beginning only would be taken for that of the whole text.
            if (parts := carried.get(refs.get(memory.id, -1))) and not isinstance(parts, Beginning):
                record["vectors"] = [base64.b64encode(part).decode() for part in parts]
            yield record
    yield from links_and_states(store, where)
