"""Statements: judge their kind and subject, and whether they last, are due, promise, tell of a change."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

from memcli.judgement.scripts import is_brief, is_taught
from memcli.judgement.text_features import text_features
from memcli.judgement.weights import Questions, load_questions
from memcli.model import Kind
from memcli.text.dates.ahead_short import spelt_out

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# `passing`: true only for now; `undecided`: not sure, not decided; `trivial`: a greeting, an "ok", a
# question, a request: nothing that anybody would look up.
State = Literal["lasting", "passing", "undecided", "trivial"]
# `owner`: the speaker and their own people and things; `other`: somebody else; `world`: a project, a place.
About = Literal["owner", "other", "world"]


class StatementJudgement:
    """The judgement of one statement, made when first asked for; takes a tenth of a millisecond.

    `middle` is the middle layer of the text's `Reading` by the default model; without it only the words are
    judged, less surely.
    """

    def __init__(self, text: str, middle: Floats | None = None) -> None:
        self._text = text
        self._middle = middle

    @property
    def by_model(self) -> bool:
        """True if the model's layer was read; False if only the words are judged."""
        return self._middle is not None

    @cached_property
    def is_taught(self) -> bool:
        """True if the text is in a script of the training data; otherwise no answer is reliable."""
        return is_taught(self._text)

    @cached_property
    def tells_state(self) -> bool:
        """True if `states` is reliable: in other scripts only for a text as short as an "ok"."""
        return self.is_taught or is_brief(self._text)

    @cached_property
    def kinds(self) -> dict[Kind, float]:
        """Return the probability of each kind, given that the statement is worth keeping at all."""
        return cast(dict[Kind, float], self._ask("kind"))

    @cached_property
    def states(self) -> dict[State, float]:
        """Return the probabilities that it lasts, passes, is undecided or is trivial."""
        return cast(dict[State, float], self._ask("state"))

    @cached_property
    def about(self) -> dict[About, float]:
        """Return the probabilities of whom or what it is about."""
        return cast(dict[About, float], self._ask("about"))

    @cached_property
    def due(self) -> float:
        """Return the probability that it says that something is due, or takes place, at a time ahead."""
        return self._ask("due")["yes"]

    @cached_property
    def promise(self) -> float:
        """Return the probability that somebody commits to doing something in it."""
        return self._ask("promise")["yes"]

    @cached_property
    def change(self) -> float:
        """Return the probability that it tells of a change: a move, a new name."""
        return self._ask("change")["yes"]

    @cached_property
    def _questions(self) -> Questions:
        return load_questions("statement" if self.by_model else "statement-by-words")

    @cached_property
    def _scores(self) -> Floats:
        # "Thurs" and "tmrw" the judges were not taught.
        return self._questions.scores(text_features(spelt_out(self._text)), self._middle)

    def _ask(self, question: str) -> dict[str, float]:
        return self._questions.probabilities(question, self._scores)
