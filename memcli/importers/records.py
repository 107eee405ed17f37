"""What a source yields: turns, statements, links, procedures, blocks, and what could not be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from memcli.model import Kind
from memcli.named_tuple import NamedTuple


class UnreadTime(NamedTuple):
    """What stands where a time should and is none, with its field; `instead` is the nearest that is known."""

    told: str
    instead: datetime | None = None


# None is no time at all; what stands there and could not be read is told by the carrier, for every source.
When = datetime | UnreadTime | None


def known(when: When) -> datetime | None:
    """The instant that is known, or the nearest to one that could not be read."""
    return when.instead if isinstance(when, UnreadTime) else when


class Turn(NamedTuple):
    """What somebody said in a conversation. `id` is unique among the turns of its `conversation`.

    Turns of one conversation come together, in the order in which they were said.
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
    """Whether it was a person, and not the one whose file it is."""

    @property
    def trusted(self) -> bool:
        """Whether its owner said it; programs may have said what others put into their mouths."""
        return self.role == "user" and not self.by_another


class Statement(NamedTuple):
    """What holds by itself. A kind left out is judged by what it says.

    `at` is when it was first written and part of what it is known by; `changed` is when it was last
    written, where only that is told, be it of the file that it stands in.
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
    """The space that its file names; None for the one at hand."""


class Relation(NamedTuple):
    """How two things are related, by their names."""

    place: str
    subject: str
    relation: str
    object: str
    trusted: bool = True


class Skill(NamedTuple):
    """How something is done: a procedure with a name. Its steps are texts of one or more lines."""

    place: str
    name: str
    steps: tuple[str, ...]
    description: str = ""
    trusted: bool = True


class LabelledText(NamedTuple):
    """A small text that always comes along: a block."""

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


# Names of files within a folder; None for all that are wanted there.
Only = frozenset[str] | None


# Takes a place and a text; gives the text with every line empty that memcli printed itself.
Cleared = Callable[[str, str], str]


def as_it_stands(place: str, text: str) -> str:
    """The text as it is: of whoever does not ask what memcli printed (`Cleared`)."""
    return text
