"""Notes of use: what was recalled is counted, and logged where the owner wants it."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from memcli.errors import StoreUnusable
from memcli.model import State
from memcli.recall import session_and_task
from memcli.scope import Scope
from memcli.storage import areas

if TYPE_CHECKING:
    from memcli.recall.results import Recall

# For so long the question asked last is kept, and under this key: `mem check add --last`.
_LAST_LIVES, LAST = timedelta(minutes=10), "last"
# A word or a short number that no rule takes for a secret, or for a sign that one follows.
_PLAIN = re.compile(
    r"(?!pass|pin\b|key|secret|token|code|kennw|contras|парол)"
    r"[^\W\d_]{1,18}(?:['’-][^\W\d_]{1,18})?[,.?!]*|\d{1,3}[,.?!]*",
    re.IGNORECASE,
)
# They give up after this many seconds rather than hold an answer back.
_PATIENCE = 0.05


def _note_last(scope: Scope, answer: Recall, first: str) -> None:
    query, now = answer.query, scope.now()
    if not all(map(_PLAIN.fullmatch, query.split())):
        # Most questions are plain words, and the scan takes as long as the rest of this.
        from memcli.text.secrets.redaction import without_secrets_in

        query = without_secrets_in(query)
    value = {"query": query, "first": first}
    last = State(scope.space, areas.LAST_RECALL.name, LAST, value, 1, now, now, now + _LAST_LIVES)
    scope.store.put_state(last)


def note_recall(scope: Scope, answer: Recall, seconds: float) -> None:
    """Count the use, for the task at hand too, and log the recall where the owner wants it.

    `seconds` is what the recall took. Where the store is busy, may only be read
    or cannot be written for any other reason, nothing is noted: the answer is there.
    """
    store, config, now = scope.store, scope.config, scope.now()
    entry_id, log = scope.new_id(now), config["recall_log"]
    if not answer.hits and log == "off":
        return
    with suppress(StoreUnusable), store.writing(patience=_PATIENCE):
        found = [hit.memory.id for hit in answer.hits]
        # What is only near was of no use yet.
        used = [] if answer.weak else found
        store.touch(used, now)
        if found and answer.inquiry and not scope.is_untrusted:
            _note_last(scope, answer, found[0])
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
            lives_until = now + timedelta(seconds=config["recall_log_ttl"])
            store.put_state(
                State(scope.space, areas.RECALL_LOG.name, entry_id, entry, 1, now, now, lives_until)
            )
            store.drop_states(areas.RECALL_LOG.name, now)
