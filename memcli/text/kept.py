"""Kept results: a cache for functions of a text, large for statements and small for pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")
# Texts up to this many characters are kept in the large cache.
STATEMENT = 400


def kept(*, pages: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Return a decorator that caches a function of a text: many statements, and `pages` longer texts.

    The cache for statements is large because a store of them is compared pair by pair; results share their
    words, so a text takes a kilobyte at most.
    """

    def keeping(function: Callable[[str], T]) -> Callable[[str], T]:
        of_statement = lru_cache(maxsize=1 << 16)(function)
        of_page = lru_cache(maxsize=pages)(function)

        @wraps(function)
        def looked_up(text: str) -> T:
            return of_statement(text) if len(text) <= STATEMENT else of_page(text)

        return looked_up

    return keeping
