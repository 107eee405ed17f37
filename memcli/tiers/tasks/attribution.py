"""Attribution of the parts of a task to origins, by what a change did, so that no command has to say it.

A task is compared part by part with what it was: what an untrusted origin added or set gets that origin;
what the owner said it cannot change. Steps, decisions and notes have their `origin` themselves; for
everything else `origins` has it, by the part's path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from memcli.doors import TASK, Deed
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope

_WHOLE = ("goal", "tags", "phase")
_TEXTS = ("subgoals", "constraints")
_NAMED = ("variables", "results")
_OBJECTS = ("steps", "decisions", "notes")


class _Part(NamedTuple):
    """A part's content, its state since, and its origin."""

    said: Any
    state: Any = None
    origin: str | None = None


def attributed(
    scope: Scope, name: str, before: Mapping[str, Any] | None, after: dict[str, Any]
) -> dict[str, Any]:
    """Return a task's value to be stored, each new part with the origin of this scope.

    Raises Refused if an untrusted origin changed or removed what is not untrusted.
    """
    was = dict(_parts(before)) if before else {}
    now = dict(_parts(after))
    for path, part in was.items() if scope.is_untrusted else ():
        here = now.get(path)
        deed = Deed.END if here is None else Deed.CHANGE
        if here is None or _lost(part, here):
            what = f"the task {name!r:.60}, its {path[0]}"
            scope.require(TASK, deed, what, own=scope.is_own(part.origin))
    origins = {path: _origin(scope, was.get(path), part) for path, part in now.items()}
    kept = {
        "/".join(path) if path[1] else path[0]: origin
        for path, origin in origins.items()
        if origin and path[0] not in _OBJECTS
    }
    objects = {
        field: [_signed(each, origins[field, _key(field, each)]) for each in after[field]]
        for field in _OBJECTS
    }
    return {**after, **objects, "origins": kept}


def is_untrusted_task(value: Mapping[str, Any]) -> bool:
    """True if an untrusted origin began it: its goal is not the owner's."""
    return origin_of(value, "goal") is not None


def is_all_own(scope: Scope, value: Mapping[str, Any]) -> bool:
    """True if this untrusted origin may change everything in a task's value."""
    return all(scope.is_own(part.origin) for _, part in _parts(value))


def origin_of(value: Mapping[str, Any], field: str, key: str = "") -> str | None:
    """Return the untrusted origin of a part that has no `origin` itself; None if it is the owner's."""
    origin = (value.get("origins") or {}).get(f"{field}/{key}" if key else field)
    return origin if isinstance(origin, str) else None


def trusted_parts(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a task's value without untrusted parts; None if the task itself is untrusted."""
    if is_untrusted_task(value):
        return None
    left: dict[str, Any] = {**value, "origins": {}, "untrusted_digest": ""}
    for field in _WHOLE:
        if origin_of(value, field):
            left[field] = [] if field == "tags" else None
    for field in _TEXTS:
        left[field] = [text for text in value.get(field, ()) if not origin_of(value, field, text)]
    for field in _NAMED:
        left[field] = {
            key: text for key, text in value.get(field, {}).items() if not origin_of(value, field, key)
        }
    for field in _OBJECTS:
        left[field] = [each for each in value.get(field, ()) if "origin" not in each]
    return left


def _parts(value: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], _Part]]:
    """Yield every part that a task has, by field and key."""
    for field in _WHOLE:
        if value.get(field):
            yield (field, ""), _Part(value[field], None, origin_of(value, field))
    for field in _TEXTS:
        for text, number in Counter(value.get(field, ())).items():
            yield (field, text), _Part(number, None, origin_of(value, field, text))
    for field in _NAMED:
        for key, text in value.get(field, {}).items():
            yield (field, key), _Part(text, None, origin_of(value, field, key))
    for field in _OBJECTS:
        for each in value.get(field, ()):
            said = {name: each[name] for name in each if name not in ("done", "origin")}
            yield (field, _key(field, each)), _Part(said, each.get("done"), each.get("origin"))


def _key(field: str, each: Mapping[str, Any]) -> str:
    """Return the key of an object of a task: its text and, except for steps, its time."""
    text = each["question"] if field == "decisions" else each["text"]
    return text if field == "steps" else f"{each['at']} {text}"


def _lost(part: _Part, here: _Part) -> bool:
    """True if a part was changed or removed; a text that was added once more was not."""
    if isinstance(part.said, int) and isinstance(here.said, int):
        return here.said < part.said
    return (part.said, part.state) != (here.said, here.state)


def _origin(scope: Scope, before: _Part | None, part: _Part) -> str | None:
    """Return the origin of a part: of whoever changed it, else the former one."""
    if before is None:
        return scope.untrusted_origin
    if before.origin is None:
        return None
    # The owner restated it, or removed the origin.
    vouched = not scope.is_untrusted and (part.said != before.said or part.origin is None)
    return None if vouched else scope.untrusted_origin if part.said != before.said else before.origin


def _signed(each: Mapping[str, Any], origin: str | None) -> dict[str, Any]:
    unsigned = {name: value for name, value in each.items() if name != "origin"}
    return {**unsigned, "origin": origin} if origin else unsigned
