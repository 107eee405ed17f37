"""Resumption: an interrupted erasure is finished by the next command that opens the store.

This is checked at every opening, so the code that finishes it is imported only if needed.
"""

from __future__ import annotations

from collections.abc import Callable

from memcli.errors import StoreUnusable
from memcli.scope import Scope
from memcli.storage.states import is_erasure_cut_off


def resume_erasure(scope: Scope, tell: Callable[[str], None]) -> None:
    """Finish an interrupted erasure, if there is one; `tell` is called with what is left of it, and why."""
    if not is_erasure_cut_off(scope.store):
        return
    from memcli.changes.forgetting.unfinished import finish_erasure

    try:
        finish_erasure(scope)
    except StoreUnusable as error:
        tell(error.in_passing())
