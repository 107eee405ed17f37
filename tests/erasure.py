"""Erasure of memories by themselves, as most tests of what is gone begin."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.receipt import ErasureReceipt
from memcli.changes.forgetting.targets import Targets
from memcli.model import Memory
from memcli.scope import Scope


def erase_memories(
    scope: Scope, chosen: Sequence[Memory], reason: str | None = None, *, space: str | None = None
) -> ErasureReceipt:
    """Erase memories; see `memcli.changes.forgetting.hard.erase`."""
    return erase(scope, Targets(chosen), reason, space=space)
