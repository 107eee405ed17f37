"""The circumstances of an action, and the exceptions of policies that they meet.

An exception is one of: `KEY=VALUE` pairs joined by commas, all of which must
hold (case is ignored); `KEY~REGEX`, found in that key's value; any other text,
a regular expression that is found in one of the lines `KEY=VALUE`. The key
`action` is the action itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from memcli.errors import BadInput
from memcli.text.patterns import Patterns, check_pattern

_PAIR = re.compile(r"\s*([\w.-]+)\s*=\s*([^,=]*?)\s*")
_MATCH = re.compile(r"\s*([\w.-]+)\s*~(.+)", re.DOTALL)


def context_from(pairs: Iterable[str], action: str) -> dict[str, str]:
    """What `KEY=VALUE` arguments say of an action. Raises BadInput for anything else."""
    context = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        key = key.strip().casefold()
        if not equals or not key:
            raise BadInput(f"--context {pair!r:.60}: write KEY=VALUE")
        if key == "action":
            raise BadInput("--context action=…: the action is what you ask about")
        context[key] = value.strip()
    return {**context, "action": action}


def check_exception(exception: str, what: str) -> str:
    """`exception` if it can be matched, else BadInput with the reason."""
    if _pairs(exception):
        return exception
    found = _MATCH.fullmatch(exception)
    check_pattern(found[2].strip() if found else exception, what)
    return exception


def met(exceptions: Iterable[str], context: Mapping[str, str]) -> str | None:
    """The first exception that the context meets, or None."""
    return next((each for each in exceptions if _holds(each, context)), None)


def _holds(exception: str, context: Mapping[str, str]) -> bool:
    if pairs := _pairs(exception):
        return all(context.get(key, "\0").casefold() == value.casefold() for key, value in pairs)
    if found := _MATCH.fullmatch(exception):
        value = context.get(found[1].casefold())
        return value is not None and Patterns([found[2].strip()]).first(value) is not None
    # What is asked about must not talk its way out: only what is said about it counts.
    pattern = Patterns([exception], "exception")
    lines = (f"{key}={value}" for key, value in context.items() if key != "action")
    return any(pattern.first(line) for line in lines)


def _pairs(exception: str) -> list[tuple[str, str]]:
    """The pairs of an exception; none where it is no list of pairs."""
    found = [_PAIR.fullmatch(part) for part in exception.split(",")]
    return [(pair[1].casefold(), pair[2]) for pair in found if pair] if all(found) else []
