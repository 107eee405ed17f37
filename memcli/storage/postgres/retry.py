"""Doing a transaction again where others were in its way."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from memcli.storage.postgres.errors import Conflict
from memcli.storage.postgres.session import PostgresSession

T = TypeVar("T")
P = ParamSpec("P")

# A write that others were in the way of is done again so often, after so many seconds and twice as many.
_ATTEMPTS, _PAUSE = 5, 0.02


def retried(method: Callable[P, T]) -> Callable[P, T]:
    """A method that is a transaction by itself is done again, a few times, where others were in its way."""

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
