"""Redaction and refusal of secrets in what is stored besides memories.

Every text that is stored passes here or the write policy's gate. What somebody typed is refused if it holds a
secret: blocks, links, saved states, reasons, rules, names. A record of what happened (a task, a step's
output, a logged query) has the secret redacted and keeps the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from memcli import ids
from memcli.errors import Refused

if TYPE_CHECKING:
    from memcli.text.secrets.scan import Secret


# Rules that recognise a secret only by its random look.
BY_LOOK = ("secret-value", "random-value")
# The key of binary data (a file, an output), which looks random.
_BINARY = "base64"
# The key of the digests of the files that a step read, by path.
_DIGESTS = "inputs"


def refuse_secrets(text: str, what: str, way_out: str = "leave it out") -> None:
    """Raise Refused if a text holds a secret, naming `what` and the kind of secret."""
    if found := secrets_in_text(text):
        raise Refused(
            f"{what} holds a secret ({', '.join(dict.fromkeys(each.name for each in found))}); {way_out}",
            rule=f"secret:{found[0].rule}",
        )


def refuse_secret_names(names: Iterable[str], what: str) -> None:
    """Raise Refused if a name (of a space, a session, a tag) holds a secret.

    Such names are often random, so what only looks like a secret is allowed.
    """
    for name in names:
        if found := [each for each in secrets_in_text(name) if each.rule not in BY_LOOK]:
            raise Refused(
                f"{what} holds a secret ({found[0].name}); give another", rule=f"secret:{found[0].rule}"
            )


def secrets_in_text(text: str) -> list[Secret]:
    """Return the secrets of a text, except memcli's own ids, which look random."""
    from memcli.text.secrets.scan import find_secrets

    def own(secret: Secret) -> bool:
        looks = text[secret.start : secret.end]
        if ids.is_id(looks) or secret.rule not in BY_LOOK:
            return ids.is_id(looks)
        # "ID/2", the key of a saved state, looks random only because of the id.
        rest = ids.without_ids(looks)
        return rest != looks and not find_secrets(rest)

    return [each for each in find_secrets(text) if not own(each)]


def secrets_in_value(value: Any) -> list[Secret]:
    """Return the secrets in the texts and names of a JSON value, by offsets in the text that holds each."""
    return [secret for text in keyed_texts_of_value(value) for secret in secrets_in_text(text)]


def secret_kinds_in(value: Any) -> list[str]:
    """Return the kinds of secrets in the texts and names of a JSON value, each once."""
    return list(dict.fromkeys(each.name for each in secrets_in_value(value)))


def without_quoted_secrets(message: str) -> str:
    """Return an error message without the secrets of what was typed, which it may quote."""
    from memcli.text.secrets.scan import redact

    return redact(message, [each for each in secrets_in_text(message) if each.rule not in BY_LOOK])


def without_secrets_in(text: str) -> str:
    """Return a text with its secrets redacted."""
    from memcli.text.secrets.scan import redact

    return redact(text, secrets_in_text(text))


def without_secrets(value: Any, known: Any = None) -> Any:
    """Return a JSON value with the secrets in its texts and names redacted; texts of `known` are kept."""
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
    """Redact a value together with its name: after `password`, a plain word is a secret, too."""
    kept, head = _without(value, known, name), f"{name}="
    if not isinstance(kept, str) or kept != value or head + kept in known:
        return kept
    whole = _redacted(head + kept)
    return whole.removeprefix(head) if whole.startswith(head) else kept


def _redacted(text: str) -> str:
    return text if ids.is_id(text) else without_secrets_in(text)


def keyed_texts_of_value(value: Any, under: str = "") -> Iterator[str]:
    """Yield every text in a JSON value, named ones also with their name; ids are left out."""
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
