"""Retry of a transaction that conflicted with others."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from memcli.storage.postgres.errors import Conflict
from memcli.storage.postgres.session import PostgresSession

T = TypeVar("T")
P = ParamSpec("P")

# How many attempts a conflicting write gets, and the first pause in seconds, which doubles each time.
_ATTEMPTS, _PAUSE = 5, 0.02


def retried(method: Callable[P, T]) -> Callable[P, T]:
    """Decorate a method that is a transaction by itself: it is retried a few times on a conflict."""

    @wraps(method)
    def again(*arguments: P.args, **named: P.kwargs) -> T:
        session = arguments[0]
        if isinstance(session, PostgresSession) and session.is_writing:
            return method(*arguments, **named)
        for attempt in range(_ATTEMPTS - 1):
            try:
                return method(*arguments, **named)
            except Conflict:
                time.sleep(_PAUSE * 2**attempt)
        return method(*arguments, **named)

    return again
