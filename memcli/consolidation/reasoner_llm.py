"""Reasoner by the configured LLM; every answer is checked by `memcli.llm`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Literal

from memcli.config.config import Config
from memcli.consolidation.reasoner import Conclusion, ReasonerFailure
from memcli.errors import AnswerRejected, BadInput, LimitReached, LlmFailed
from memcli.llm import open_llm, questions
from memcli.llm.meter import Meter
from memcli.model import Memory
from memcli.tiers.sessions.extracts import SummaryRequest


def open_reasoner(
    llm: str | None, config: Config, most: int | None = None, seconds: float | None = None
) -> LlmReasoner | None:
    """Return the reasoner for `--llm`, else for the setting; None if neither names an LLM.

    `most` is `--max-tokens`, `seconds` is `--max-seconds`, from now on. Raises LlmFailed if there is no
    such command.
    """
    if not (llm or config["llm"]):
        return None
    until = None if seconds is None else time.monotonic() + seconds
    meter = Meter(open_llm(llm, config), most, until)
    return LlmReasoner(meter, config["llm_context"], mix=config["llm_mix"])


class LlmReasoner:
    """A `Reasoner` that asks an LLM; one that is down is not asked again in the same run."""

    def __init__(self, meter: Meter, context: int, *, mix: bool = False) -> None:
        self.meter = meter
        self.set_aside: list[tuple[str, str]] = []
        self._context = context
        self._mix = mix
        self._down: str | None = None

    @property
    def tokens(self) -> int:
        """Tokens spent so far, input and output."""
        return self.meter.spent

    def cost(self, turns: Sequence[Memory]) -> int:
        """Return about how many tokens asking about these turns takes, without the answer."""
        return questions.prompt_cost("distil", turns) if turns else 0

    def portions(self, turns: Sequence[Memory]) -> Iterator[list[Memory]]:
        """Yield the turns in runs that fit one prompt, in order."""
        for _, some in groupby(turns, lambda turn: self._mix or turn.trusted):
            yield from questions.prompt_batches(list(some), self._context, mix=True)

    def summarise(self, fold: SummaryRequest) -> str:
        """Return a summary of turns of one trust, made part by part if they do not fit one prompt."""
        text, trusted = fold.previous, fold.previous_trusted
        with self._failing():
            parts = list(questions.prompt_batches(fold.turns, self._context, mix=True))
            for part in parts:
                claim = questions.summarise_turns(
                    self.meter, part, previous=text, previous_trusted=trusted, room=fold.room, mix=self._mix
                )
                text, trusted = claim.text, claim.trusted
        return text

    def distil(self, turns: Sequence[Memory]) -> list[Conclusion]:
        """Return lasting facts with their evidence."""
        found: list[Conclusion] = []
        with self._failing():
            for part in questions.prompt_batches(turns, self._context, mix=self._mix):
                answer = questions.distil_facts(self.meter, part, mix=self._mix)
                self.set_aside += answer.set_aside
                found += [Conclusion(c.text, c.kind, c.confidence, c.cites, c.links) for c in answer.claims]
        return found

    def judge(self, older: Memory, newer: Memory) -> Literal["updates", "unclear"]:
        """Judge if the newer statement ends the older; that both hold is left to a person to say."""
        with self._failing():
            verdict = questions.judge_contradiction(self.meter, older, newer, mix=self._mix)
        return "updates" if verdict and verdict.ended == older.id else "unclear"

    @contextmanager
    def _failing(self) -> Iterator[None]:
        if self._down:
            raise ReasonerFailure(self._down, down=True)
        try:
            yield
        except LimitReached as error:
            raise ReasonerFailure(str(error), limit=True) from error
        except AnswerRejected as error:
            self.set_aside += error.claims
            raise ReasonerFailure(str(error)) from error
        except BadInput as error:
            raise ReasonerFailure(str(error)) from error
        except LlmFailed as error:
            self._down = str(error)
            raise ReasonerFailure(self._down, down=True) from error
