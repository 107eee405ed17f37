"""The steps of a run, in its order: each is the module of its name in `steps/`, imported when steps are run.

This module imports nothing, so that `mem consolidate --help` can name them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.consolidation.step import Step

# What is distilled is compared in the same run; what is ended is not looked at again.
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
    """All of them, in the order of a run."""
    from importlib import import_module

    return tuple(import_module(f"memcli.consolidation.steps.{name}").STEP for name in STEP_NAMES)
