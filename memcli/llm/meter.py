"""Meter: counts an LLM's tokens and time, and stops before a limit is exceeded."""

from __future__ import annotations

import time

from memcli.errors import LlmFailed, OutOfTime, OutOfTokens
from memcli.llm import LLM, Reply
from memcli.prompt.budget import estimate_tokens

# A question is not asked if fewer tokens than this are left for its answer.
LEAST_ANSWER = 150


class Meter:
    """An LLM whose use is counted; with `most` it stops before exceeding that many tokens.

    Prompts and answers count together. With `until` (an instant of time.monotonic) no answer is waited for
    beyond that. Tokens are estimated by `prompt.budget.estimate_tokens`, rather too many than too few.
    """

    def __init__(self, llm: LLM, most: int | None = None, until: float | None = None) -> None:
        self.name = llm.name
        self.calls = 0
        self.tokens_in = 0
        self.tokens_out = 0
        self.seconds = 0.0
        self._llm = llm
        self._most = most
        self._until = until

    @property
    def spent(self) -> int:
        """Return all tokens so far."""
        return self.tokens_in + self.tokens_out

    def affords(self, prompt_tokens: int) -> bool:
        """True if a prompt of that size may still be sent."""
        return self._most is None or self._most - self.spent - prompt_tokens >= LEAST_ANSWER

    def ask(self, prompt: str, most: int | None = None, within: float | None = None) -> Reply:
        """Ask and count, a failed call too; raises OutOfTokens, OutOfTime rather than exceed a limit."""
        cost = estimate_tokens(prompt)
        if not self.affords(cost):
            raise OutOfTokens(
                f"{self.spent:,} of {self._most:,} tokens are spent and this question takes {cost:,}",
                advice="raise the limit, or go on another time",
            )
        if self._most is not None:
            room = self._most - self.spent - cost
            most = room if most is None else min(most, room)
        if self._until is not None:
            within = min(within or self._until, self._until - time.monotonic())
            if within <= 0:
                raise OutOfTime("no time is left for another question")
        self.calls += 1
        self.tokens_in += cost
        try:
            answer = self._llm.ask(prompt, most, within)
        except LlmFailed as error:
            self.tokens_out += error.tokens_out
            if self._until is not None and time.monotonic() >= self._until:
                raise OutOfTime(f"{self.name} had no answer by the limit of time") from error
            raise
        self.tokens_out += answer.tokens_out
        self.seconds += answer.seconds
        return answer

    def to_record(self) -> dict[str, object]:
        """Return the counts as JSON types."""
        return {
            "llm": self.name, "calls": self.calls, "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out, "seconds": round(self.seconds, 1),
        }  # fmt: skip

    def __str__(self) -> str:
        calls = "1 call" if self.calls == 1 else f"{self.calls} calls"
        return (
            f"{self.name}: {calls}, about {self.tokens_in:,} tokens in and {self.tokens_out:,} out, "
            f"{self.seconds:.1f} s"
        )
