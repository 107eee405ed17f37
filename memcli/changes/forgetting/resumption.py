"""An erasure that was cut off is finished by the next one who opens the store, before anything else.

Whether there is one is asked at every opening: only where there is, what finishes it is imported.
"""

from __future__ import annotations

from collections.abc import Callable

from memcli.errors import StoreUnusable
from memcli.scope import Scope
from memcli.storage.states import is_erasure_cut_off


def resume_erasure(scope: Scope, tell: Callable[[str], None]) -> None:
    """Finish an erasure that was cut off, if there is one; `tell` is told what is left of it, and why."""
    if not is_erasure_cut_off(scope.store):
        return
    from memcli.changes.forgetting.unfinished import finish_erasure

    try:
        finish_erasure(scope)
    except StoreUnusable as error:
        tell(error.in_passing())
