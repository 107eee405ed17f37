"""Recall log: count the use of recalled memories, and log the recall if the owner wants it."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from memcli.errors import StoreUnusable
from memcli.model import new_state
from memcli.recall import session_and_task
from memcli.scope import Scope
from memcli.storage import areas

if TYPE_CHECKING:
    from memcli.recall.results import Recall

# Seconds to wait for the store before giving up, rather than delay an answer. A log is waited for longer,
# because `mem check add --last` reads it.
_PATIENCE, _LOG_PATIENCE = 0.05, 1.0


def note_recall(scope: Scope, answer: Recall, seconds: float) -> None:
    """Count the use of the hits, for the current task too, and log the recall if the owner wants it.

    `seconds` is what the recall took. If the store is busy, read-only or cannot be written for another
    reason, nothing is noted: the answer matters more.
    """
    store, config, now = scope.store, scope.config, scope.now()
    entry_id, log = scope.new_id(now), config["recall_log"]
    if not answer.hits and log == "off":
        return
    with suppress(StoreUnusable), store.writing(patience=_PATIENCE if log == "off" else _LOG_PATIENCE):
        found = [hit.memory.id for hit in answer.hits]
        # The hits of a weak answer are only near: that is no use.
        used = [] if answer.weak else found
        store.touch(used, now)
        if used:
            session_and_task.note_task_recall(scope, used, config["task"])
        if log != "off":
            entry: dict[str, Any] = {
                "hits": {hit.memory.id: round(hit.score, 4) for hit in answer.hits},
                "candidates": answer.candidates,
                "ms": round(seconds * 1000, 1),
                "degraded": answer.degraded is not None,
                "weak": answer.weak,
            }
            if log == "query":
                from memcli.text.secrets.redaction import without_secrets_in

                entry["query"] = without_secrets_in(answer.query)
                entry["first"] = found[0] if found else None
            lives_until = now + timedelta(seconds=config["recall_log_ttl"])
            store.put_state(new_state(scope.space, areas.RECALL_LOG.name, entry_id, entry, now, lives_until))
            store.drop_states(areas.RECALL_LOG.name, now)
