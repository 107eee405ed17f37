"""The doors beside the gate: what is no memory is looked over for secrets as well.

Every text that lands in the store passes here or the gate. What somebody typed is
refused with a secret in it: blocks, links, saved states, reasons, rules, names. What is
a record of what happened (a task, a step's output, a logged query) loses the secret and
keeps the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from memcli import ids
from memcli.errors import Refused

if TYPE_CHECKING:
    from memcli.text.secrets.scan import Secret


# Rules that know a secret by its looks alone.
BY_LOOK = ("secret-value", "random-value")
# Under this name stand bytes that are no text (a file's, an output's), random as they look.
_BINARY = "base64"
# Under this name stand the digests of the files that a step read, by path.
_DIGESTS = "inputs"


def refuse_secrets(text: str, what: str, way_out: str = "leave it out") -> None:
    """Let a text pass that holds no secret; else Refused, which names `what` and the secret's kind."""
    if found := secrets_in_text(text):
        raise Refused(
            f"{what} holds a secret ({', '.join(dict.fromkeys(each.name for each in found))}); {way_out}",
            rule=f"secret:{found[0].rule}",
        )


def refuse_secret_names(names: Iterable[str], what: str) -> None:
    """Raise Refused where a name (of a space, a session, a tag) holds a secret.

    Such names are often random: what is only taken for a secret by its look is let pass."""
    for name in names:
        if found := [each for each in secrets_in_text(name) if each.rule not in BY_LOOK]:
            raise Refused(
                f"{what} holds a secret ({found[0].name}); give another", rule=f"secret:{found[0].rule}"
            )


def secrets_in_text(text: str) -> list[Secret]:
    """The secrets of a text, but for memcli's own ids, random as they are."""
    from memcli.text.secrets.scan import find_secrets

    def own(secret: Secret) -> bool:
        looks = text[secret.start : secret.end]
        if ids.is_id(looks) or secret.rule not in BY_LOOK:
            return ids.is_id(looks)
        # "ID/2", the key of a saved state: random by the id alone.
        rest = ids.without_ids(looks)
        return rest != looks and not find_secrets(rest)

    return [each for each in find_secrets(text) if not own(each)]


def secrets_in_value(value: Any) -> list[Secret]:
    """The secrets in the texts and names of a JSON value, by offsets of the text that each stands in."""
    return [secret for text in keyed_texts_of_value(value) for secret in secrets_in_text(text)]


def secret_kinds_in(value: Any) -> list[str]:
    """The kinds of secrets in the texts and names of a JSON value, each once."""
    return list(dict.fromkeys(each.name for each in secrets_in_value(value)))


def without_quoted_secrets(message: str) -> str:
    """A message of an error, which may quote what was typed, without the secrets in that."""
    from memcli.text.secrets.scan import redact

    return redact(message, [each for each in secrets_in_text(message) if each.rule not in BY_LOOK])


def without_secrets_in(text: str) -> str:
    """A text with its secrets redacted."""
    from memcli.text.secrets.scan import redact

    return redact(text, secrets_in_text(text))


def without_secrets(value: Any, known: Any = None) -> Any:
    """A JSON value whose texts and names have their secrets redacted; texts of `known` passed before."""
    return _without(value, frozenset(keyed_texts_of_value(known)))


def _without(value: Any, known: frozenset[str], under: str = "") -> Any:
    if isinstance(value, str):
        return value if value in known else _redacted(value)
    if isinstance(value, dict):
        return {
            _redacted(name): each if name == _BINARY or _is_digest(each, under) else _named(name, each, known)
            for name, each in value.items()
        }
    return [_without(each, known) for each in value] if isinstance(value, list) else value


def _named(name: str, value: Any, known: frozenset[str]) -> Any:
    """A value by its name: `password` makes a secret of what alone is a word."""
    kept, head = _without(value, known, name), f"{name}="
    if not isinstance(kept, str) or kept != value or head + kept in known:
        return kept
    whole = _redacted(head + kept)
    return whole.removeprefix(head) if whole.startswith(head) else kept


def _redacted(text: str) -> str:
    return text if ids.is_id(text) else without_secrets_in(text)


def keyed_texts_of_value(value: Any, under: str = "") -> Iterator[str]:
    """Every text in a JSON value, the one by a name together with it as well; ids are no texts."""
    if isinstance(value, str):
        if not ids.is_id(value):
            yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            if name == _BINARY:
                continue
            yield name
            if _is_digest(each, under):
                continue
            yield from [f"{name}={each}"] if isinstance(each, str) and not ids.is_id(each) else ()
            yield from keyed_texts_of_value(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from keyed_texts_of_value(each)


def _is_digest(value: Any, under: str) -> bool:
    return under == _DIGESTS and isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None
