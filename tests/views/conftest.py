"""What tests of views share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.views.browser import launched


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with launched() as found:
        yield found
