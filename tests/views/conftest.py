"""What tests of views share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.views.browser import launched


# No longer than a file: as long as its driver lives an event loop runs in this thread, and no other can.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as found:
        yield found
