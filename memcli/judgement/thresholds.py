"""Thresholds: the least probability at which a judge is believed, from the owner's settings."""

from __future__ import annotations

from math import inf
from typing import Literal

from memcli.config.config import Config

Judge = Literal["kind", "unlasting", "same", "update", "replaced", "distil", "promise", "due", "other"]
# The least threshold where only words are judged: without the model's layer the judges are overconfident.
BY_WORDS = 0.9


def threshold(config: Config, judge: Judge) -> float:
    """Return the least probability at which a judge is believed, as `judge_NAME` says; at 1 it is turned off.

    Off is infinite: for unfamiliar input a judge may return 1.0, and is not believed then.
    """
    least: float = config.value(f"judge_{judge}").value
    return least if least < 1 else inf
