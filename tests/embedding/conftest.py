"""The models that the tests of this room make, and who says what these should give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.embedding.reference import Reference, reference_process


@pytest.fixture(scope="session")
def reference() -> Iterator[Reference]:
    """sentence-transformers itself."""
    with reference_process() as process:
        yield process


@pytest.fixture(scope="session")
def tiny(reference: Reference, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plain BERT encoder unlike the default: its first token, no normalisation, prompts, 32 tokens."""
    return reference.make_encoder(tmp_path_factory.mktemp("models"), "cls")


@pytest.fixture(scope="session")
def strange(reference: Reference, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with a pooling that only sentence-transformers knows."""
    return reference.make_encoder(tmp_path_factory.mktemp("models"), "max")
