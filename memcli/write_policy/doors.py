"""The doors beside the gate: what is no memory is looked over for secrets as well.

Blocks, links and saved states are refused with one in them; a task, which is
a record of work as a session is of words, loses the secret and keeps the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memcli import ids
from memcli.errors import Refused


def refuse_secrets(text: str, what: str, way_out: str = "leave it out") -> None:
    """Let a text pass that holds no secret; else Refused, which names `what` and the secret's kind."""
    from memcli.write_policy.secrets import find_secrets

    if found := find_secrets(text):
        raise Refused(
            f"{what} holds a secret ({', '.join(dict.fromkeys(each.name for each in found))}); {way_out}",
            rule=f"secret:{found[0].rule}",
        )


def secrets_in(value: Any) -> list[str]:
    """The kinds of secrets in the texts and names of a JSON value, each once."""
    from memcli.write_policy.secrets import find_secrets

    return list(dict.fromkeys(each.name for text in _texts(value) for each in find_secrets(text)))


def without_secrets(value: Any, known: Any = None) -> Any:
    """A JSON value whose texts and names have their secrets redacted; texts of `known` passed before."""
    return _without(value, frozenset(_texts(known)))


def _without(value: Any, known: frozenset[str]) -> Any:
    if isinstance(value, str):
        return value if value in known else _redacted(value)
    if isinstance(value, dict):
        return {_redacted(name): _named(name, each, known) for name, each in value.items()}
    return [_without(each, known) for each in value] if isinstance(value, list) else value


def _named(name: str, value: Any, known: frozenset[str]) -> Any:
    """A value by its name: `password` makes a secret of what alone is a word."""
    kept, head = _without(value, known), f"{name}="
    if not isinstance(kept, str) or kept != value or head + kept in known:
        return kept
    whole = _redacted(head + kept)
    return whole.removeprefix(head) if whole.startswith(head) else kept


def _redacted(text: str) -> str:
    from memcli.write_policy.secrets import find_secrets, redacted

    return text if ids.is_id(text) else redacted(text, find_secrets(text))


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, the one by a name together with it as well; ids are no texts."""
    if isinstance(value, str):
        if not ids.is_id(value):
            yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from [f"{name}={each}"] if isinstance(each, str) and not ids.is_id(each) else ()
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
