"""How much an untrusted origin may add in a day, tier by tier: a loop of an agent's fills nothing.

Memories have a rule of their own (`rules.session_limit`), for they belong to sessions. Whatever else the
table of doors lets such an origin add asks here before it is written. Its owner has no limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal

from memcli.errors import Refused
from memcli.scope import Scope

RULE = "session-limit"
# By setting: what is said and done, word for word, and everything that states or saves something.
TURNS: Final = "turn_writes"
WRITES: Final = "session_writes"
Limit = Literal["turn_writes", "session_writes"]


def beginning_of_day(now: datetime) -> datetime:
    """Since when what is written counts."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def flood_reason(scope: Scope, what: str, added: Iterable[datetime], setting: Limit = WRITES) -> str | None:
    """Why whoever works here may not add one more; None where they may.

    `what` names what is added, in the plural, `added` are the instants at which this origin added
    such. It is read only for an untrusted origin.
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
