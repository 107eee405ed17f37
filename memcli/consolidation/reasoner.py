"""What an LLM may do for consolidation, whichever it is. Everything works without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

from memcli.errors import MemcliError
from memcli.model import Kind, Memory
from memcli.named_tuple import NamedTuple
from memcli.tiers.sessions.extracts import SummaryRequest


class Conclusion(NamedTuple):
    """A stable fact that was distilled, how sure, the ids of the turns that say so, and its relations.

    A relation is (subject, relation, object), as the LLM named them.
    """

    text: str
    kind: Kind
    confidence: float
    cites: Sequence[str]
    links: Sequence[tuple[str, str, str]] = ()


class ReasonerFailure(MemcliError):
    """It could not answer: time-out, garbage, a refusal. The step is skipped with a line.

    `limit`: its owner's limit of tokens or time is reached; `down`: it will not
    answer other questions either. Either way the next run may ask again.
    """

    code = "reasoner_failed"

    def __init__(self, message: str, *, limit: bool = False, down: bool = False) -> None:
        super().__init__(message)
        self.limit = limit
        self.down = down


class Reasoner(Protocol):
    """Answers are checked by whoever implements this: cited ids exist, no invented number or name."""

    @property
    def tokens(self) -> int:
        """Tokens spent so far, in and out."""

    @property
    def set_aside(self) -> Sequence[tuple[str, str]]:
        """What it claimed so far and was refused, each with the reason."""

    def cost(self, turns: Sequence[Memory]) -> int:
        """About the tokens of asking what these turns say, without the answer."""

    def portions(self, turns: Sequence[Memory]) -> Iterator[list[Memory]]:
        """The turns in runs that one question holds, in their order; of one trust each unless allowed."""

    def summarise(self, fold: SummaryRequest) -> str:
        """A summary of turns, no longer than there is room; raises ReasonerFailure."""

    def distil(self, turns: Sequence[Memory]) -> list[Conclusion]:
        """Stable facts from turns, all trusted or none; raises ReasonerFailure."""

    def judge(self, older: Memory, newer: Memory) -> Literal["updates", "unclear"]:
        """Whether the newer statement ends the older one; raises ReasonerFailure."""
