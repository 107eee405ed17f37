"""Flood limits: how much an untrusted origin may add per day, so that an agent's loop cannot fill the store.

Memories have a rule of their own (`rules.session_limit`), since they belong to sessions. Everything else
that `memcli.doors` lets such an origin add is checked here before it is written. The owner has no limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal

from memcli.errors import Refused
from memcli.scope import Scope

RULE = "session-limit"
# The settings that hold the limits: for session turns, and for everything else that is written.
TURNS: Final = "turn_writes"
WRITES: Final = "session_writes"
Limit = Literal["turn_writes", "session_writes"]


def beginning_of_day(now: datetime) -> datetime:
    """Return midnight UTC of the day of `now`, from which writes are counted."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def flood_reason(scope: Scope, what: str, added: Iterable[datetime], setting: Limit = WRITES) -> str | None:
    """Return why the origin of `scope` may not add one more; None where it may.

    `what` names the things added, in the plural; `added` are the instants at which this origin added some,
    read only for an untrusted origin.
    """
    limit = scope.config[setting]
    if not (limit and scope.is_untrusted):
        return None
    since = beginning_of_day(scope.now())
    if sum(at >= since for at in added) < limit:
        return None
    return f"{scope.origin} has added {limit:,} {what} today, its limit ({setting})"


def check_flood(scope: Scope, what: str, added: Iterable[datetime], setting: Limit = WRITES) -> None:
    """Raise Refused where `flood_reason` gives a reason."""
    if reason := flood_reason(scope, what, added, setting):
        raise Refused(reason, rule=RULE)
