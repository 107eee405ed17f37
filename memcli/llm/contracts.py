"""Contracts for answers: the JSON that an LLM must return, checked by field, asked for at most twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from memcli.errors import AnswerRejected
from memcli.llm import LLM
from memcli.llm.prompts import INVISIBLE, FencedPrompt
from memcli.named_tuple import NamedTuple

T = TypeVar("T")
# At most so many opening braces are tried in an answer.
_OPENINGS = 2000
# The most characters of all texts in an answer, far more than any contract allows.
_MOST_SAID = 100_000
_AGAIN = (
    "An earlier answer to this was not accepted: {complaint}. Answer again, with nothing but the JSON object."
)


class RefusedClaim(NamedTuple):
    """A claim of an LLM, and why it was rejected. Contains no secret."""

    text: str
    reason: str


class Complaint(ValueError):
    """What is wrong with an answer, in words that the model can act on. Never contains a secret.

    `claims` are the rejected claims of the answer.
    """

    def __init__(self, message: str, claims: Sequence[RefusedClaim] = ()) -> None:
        super().__init__(message)
        self.claims = claims


def ask_by_contract(llm: LLM, prompt: FencedPrompt, key: str, read: Callable[[Mapping[str, Any]], T]) -> T:
    """Ask for a JSON object with `key`, and return what `read` makes of it; ask again if `read` complains.

    Raises AnswerRejected after the second complaint, LlmFailed, OutOfTokens.
    """
    text = prompt.text
    complaint = Complaint("it says nothing")
    for _ in range(2):
        answer = llm.ask(text)
        try:
            record = find_json_object(answer.text, key)
            complain_of_secrets(record)
            return read(record)
        except Complaint as error:
            complaint = error
            text = f"{prompt.text}\n\n{_AGAIN.format(complaint=complaint)}"
    message = f"the answer of {llm.name} was set aside ({prompt.name}): {complaint}"
    raise AnswerRejected(message, tuple(complaint.claims))


def find_json_object(text: str, key: str) -> dict[str, Any]:
    """Return the last JSON object with `key` in an answer, whatever is around it. Raises Complaint.

    The last one, because models think aloud before they answer.
    """
    decoder = json.JSONDecoder()
    found: dict[str, Any] | None = None
    place = text.find("{")
    for _ in range(_OPENINGS):
        if place < 0:
            break
        try:
            record, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if isinstance(record, dict) and key in record:
                found = record
        place = text.find("{", end)
    if found is None:
        raise Complaint(f"it holds no complete JSON object with the key {key!r}")
    return found


def complain_of_secrets(record: Mapping[str, Any]) -> None:
    """Raise Complaint if any text of an answer is a secret: memcli keeps none, and shows none."""
    from memcli.text.secrets.scan import find_secrets

    texts = list(_texts(record))
    if sum(map(len, texts)) > _MOST_SAID:
        raise Complaint("it says far more than was asked for")
    for text in texts:
        if found := find_secrets(text):
            raise Complaint(f"it holds a secret ({found[0].name})")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


# Fields of a contract. Each returns the value, or raises Complaint naming the field.


def text_field(record: Mapping[str, Any], name: str, most: int) -> str:
    """Return a text on one line, of 1 to `most` characters, without invisible characters."""
    value = record.get(name)
    if not isinstance(value, str) or not INVISIBLE.sub(" ", value).strip():
        raise Complaint(f"{name!r} must be a text")
    text = " ".join(INVISIBLE.sub(" ", value).split())
    if len(text) > most:
        raise Complaint(f"{name!r} is longer than {most} characters")
    return text.encode("utf-8", errors="replace").decode("utf-8")


def choice_field(record: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    """Return one of the choices."""
    value = record.get(name)
    if value not in choices:
        raise Complaint(f"{name!r} must be one of {', '.join(choices)}")
    return str(value)


def fraction_field(record: Mapping[str, Any], name: str) -> float:
    """Return a number from 0 to 1."""
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Complaint(f"{name!r} must be a number from 0 to 1")
    return float(value)


def list_field(record: Mapping[str, Any], name: str, most: int) -> list[Any]:
    """Return a list of at most `most` items."""
    value = record.get(name)
    if not isinstance(value, list):
        raise Complaint(f"{name!r} must be a list")
    if len(value) > most:
        raise Complaint(f"{name!r} has more than {most} items")
    return value
