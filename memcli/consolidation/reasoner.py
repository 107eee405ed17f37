"""Reasoner: the interface of an LLM as consolidation uses it. Everything works without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

from memcli.errors import MemcliError
from memcli.model import Kind, Memory
from memcli.named_tuple import NamedTuple
from memcli.tiers.sessions.extracts import SummaryRequest


class Conclusion(NamedTuple):
    """A lasting fact distilled from turns, its confidence, the ids of the turns that say so, its relations.

    A relation is (subject, relation, object), as the LLM named them.
    """

    text: str
    kind: Kind
    confidence: float
    cites: Sequence[str]
    links: Sequence[tuple[str, str, str]] = ()


class ReasonerFailure(MemcliError):
    """Raised if the LLM gives no usable answer: time-out, garbage, a refusal. The step notes it and goes on.

    `limit`: the owner's limit of tokens or time is reached; `down`: it will not answer other questions
    either. In both cases the next run may ask again.
    """

    code = "reasoner_failed"

    def __init__(self, message: str, *, limit: bool = False, down: bool = False) -> None:
        super().__init__(message)
        self.limit = limit
        self.down = down


class Reasoner(Protocol):
    """An LLM whose answers the implementation checks: cited ids exist, no number or name is invented."""

    @property
    def tokens(self) -> int:
        """Tokens spent so far, input and output."""

    @property
    def set_aside(self) -> Sequence[tuple[str, str]]:
        """The claims refused so far, each with the reason."""

    def cost(self, turns: Sequence[Memory]) -> int:
        """Return about how many tokens asking about these turns takes, without the answer."""

    def portions(self, turns: Sequence[Memory]) -> Iterator[list[Memory]]:
        """Yield the turns in runs that fit one prompt, in order; each of one trust unless mixing is on."""

    def summarise(self, fold: SummaryRequest) -> str:
        """Return a summary of turns within the given length; raises ReasonerFailure."""

    def distil(self, turns: Sequence[Memory]) -> list[Conclusion]:
        """Return lasting facts from turns that are all trusted or all untrusted; raises ReasonerFailure."""

    def judge(self, older: Memory, newer: Memory) -> Literal["updates", "unclear"]:
        """Judge if the newer statement ends the older one; raises ReasonerFailure."""
