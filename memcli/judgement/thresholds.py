"""From which probability on a judge is believed: its owner's settings."""

from __future__ import annotations

from math import inf
from typing import Literal

from memcli.config.config import Config

Judge = Literal["kind", "unlasting", "same", "update", "replaced", "distil", "promise", "due", "other"]
# Words alone are surer of themselves than they are right: without the model's layer no less is believed.
BY_WORDS = 0.9


def threshold(config: Config, judge: Judge) -> float:
    """The least probability at which a judge is believed, as `judge_NAME` says; at 1 it is turned off.

    Off is infinite: of what it has never met a judge may say 1.0, and is not believed then.
    """
    least: float = config.value(f"judge_{judge}").value
    return least if least < 1 else inf
