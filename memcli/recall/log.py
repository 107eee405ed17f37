"""Notes of use: what was recalled is counted, and logged where the owner wants it."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from memcli.config import Config
from memcli.errors import ReadOnlyStore, StoreBusy
from memcli.model import State
from memcli.recall import session_and_task
from memcli.storage import Store, areas

if TYPE_CHECKING:
    from memcli.recall.results import Recall

# They give up after this many seconds rather than hold an answer back.
_PATIENCE = 0.05


def note_recall(
    store: Store, config: Config, space: str, now: datetime, entry_id: str, answer: Recall, seconds: float
) -> None:
    """Count the use, for the task at hand too, and log the recall where the owner wants it.

    `entry_id` is that of the log's entry, `seconds` what the recall took. Where
    the store is busy, or may only be read, nothing is noted.
    """
    log = config["recall_log"]
    if not answer.hits and log == "off":
        return
    with suppress(StoreBusy, ReadOnlyStore), store.writing(patience=_PATIENCE):
        found = [hit.memory.id for hit in answer.hits]
        store.touch(found, now)
        if found:
            session_and_task.note_task_recall(store, space, now, found, config["task"])
        if log != "off":
            entry: dict[str, Any] = {
                "hits": {hit.memory.id: round(hit.score, 4) for hit in answer.hits},
                "candidates": answer.candidates,
                "ms": round(seconds * 1000, 1),
                "degraded": answer.degraded is not None,
            }
            if log == "query":
                from memcli.text.secrets.redaction import without_secrets_in

                entry["query"] = without_secrets_in(answer.query)
            lives_until = now + timedelta(seconds=config["recall_log_ttl"])
            store.put_state(State(space, areas.RECALL_LOG.name, entry_id, entry, 1, now, now, lives_until))
            store.drop_states(areas.RECALL_LOG.name, now)
