"""Values of a task: its variables and results, one by one, as a script asks for them."""

from __future__ import annotations

from memcli.errors import Refused
from memcli.scope import Scope
from memcli.tiers.tasks.tasks import Task


def value_of(
    scope: Scope, task: Task, name: str, default: str | None = None, *, untrusted: bool = False
) -> str | None:
    """Return a variable, else a result, else `default`; the owner's before any other.

    Raises Refused if an untrusted origin set it: a bare value cannot say so. Not with `untrusted`, nor if
    that origin asks itself.
    """
    found = [
        (task.origin_of(field, name), texts[name])
        for field, texts in (("variables", task.variables), ("results", task.results))
        if name in texts
    ]
    origin, value = next((each for each in found if not each[0]), found[0] if found else (None, default))
    if origin and not (untrusted or (scope.is_untrusted and scope.is_own(origin))):
        raise Refused(
            f"{name!r:.60} was set by {origin}, an untrusted origin",
            by_hand="--untrusted prints it",
            rule="untrusted-origin",
        )
    return value
