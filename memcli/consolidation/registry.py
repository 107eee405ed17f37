"""Registry of the steps in the order of a run: each is a module of `steps/`, imported when steps are run.

This module imports nothing, so that `mem consolidate --help` can list them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.consolidation.step import Step

# Distilled facts are compared by later steps of the same run; ended memories are not looked at again.
STEP_NAMES: tuple[str, ...] = (
    "distil",
    "fold",
    "expire",
    "merge",
    "contradict",
    "decay",
    "prune",
    "tend",
)


def all_steps() -> tuple[Step, ...]:
    """Return all steps in the order of a run."""
    from importlib import import_module

    return tuple(import_module(f"memcli.consolidation.steps.{name}").STEP for name in STEP_NAMES)
