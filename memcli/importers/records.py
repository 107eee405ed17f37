"""Records that a source yields: turns, statements, links, procedures, blocks, and problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from memcli.model import Kind
from memcli.named_tuple import NamedTuple


class UnreadTime(NamedTuple):
    """A time that could not be parsed, with its field; `instead` is the nearest known time."""

    told: str
    instead: datetime | None = None


# None is no time at all; a time that could not be parsed is reported by the carrier, for every source.
When = datetime | UnreadTime | None


def known(when: When) -> datetime | None:
    """Return the known instant, or the substitute for one that could not be parsed."""
    return when.instead if isinstance(when, UnreadTime) else when


class Turn(NamedTuple):
    """A turn in a conversation. `id` is unique among the turns of its `conversation`.

    The turns of a conversation are yielded together, in the order in which they were said.
    """

    place: str
    conversation: str
    title: str
    id: str
    role: str
    text: str
    at: When = None
    data: Mapping[str, Any] = {}
    by_another: bool = False
    """Whether another person than the file's owner said it."""

    @property
    def trusted(self) -> bool:
        """True if the owner said it; a program's turns may repeat what others put into them."""
        return self.role == "user" and not self.by_another


class Statement(NamedTuple):
    """A text that is true by itself. Without a kind, the kind is judged from the text.

    `at` is when it was first written, and is part of its identity; `changed` is when it was last written, if
    only that is known, even from its file's date.
    """

    place: str
    id: str
    text: str
    kind: Kind | None = None
    tags: tuple[str, ...] = ()
    at: When = None
    trusted: bool = True
    confidence: float | None = None
    importance: float | None = None
    data: Mapping[str, Any] = {}
    changed: When = None
    valid_from: When = None
    valid_until: When = None
    session: str | None = None
    expires_at: When = None
    space: str | None = None
    """The space that its file names; None for the current one."""


class Relation(NamedTuple):
    """A relation between two things, by their names."""

    place: str
    subject: str
    relation: str
    object: str
    trusted: bool = True


class Skill(NamedTuple):
    """A procedure with a name. Its steps are texts of one or more lines."""

    place: str
    name: str
    steps: tuple[str, ...]
    description: str = ""
    trusted: bool = True


class LabelledText(NamedTuple):
    """A block: a small text that is in every prompt."""

    place: str
    label: str
    text: str
    description: str = ""
    max_chars: int | None = None


class Problem(NamedTuple):
    """What could not be read, and why; `place` is file and line."""

    place: str
    why: str


Record = Turn | Statement | Relation | Skill | LabelledText | Problem


# Names of the files to read in a folder; None for all that the source wants.
Only = frozenset[str] | None


# Takes a place and a text; returns the text with every line that memcli printed itself made empty.
Cleared = Callable[[str, str], str]


def as_it_stands(place: str, text: str) -> str:
    """Return the text unchanged: the `Cleared` of callers that do not look for memcli's own output."""
    return text
