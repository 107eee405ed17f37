"""What was told of texts is kept for a while: of many statements, and of a few pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")
# Texts up to this many characters are kept in the large cache.
STATEMENT = 400


def kept(*, pages: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Have what a function tells of texts kept: of many statements, and of so many `pages`, which are longer.

    A store of statements is compared pair by pair; their words are shared: a kilobyte a text at most.
    """

    def keeping(function: Callable[[str], T]) -> Callable[[str], T]:
        of_statement = lru_cache(maxsize=1 << 16)(function)
        of_page = lru_cache(maxsize=pages)(function)

        @wraps(function)
        def looked_up(text: str) -> T:
            return of_statement(text) if len(text) <= STATEMENT else of_page(text)

        return looked_up

    return keeping
