"""What a statement is: its kind, whom it is about, whether it lasts, falls due, promises, tells of change."""

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

# `passing`: true just now; `undecided`: not sure, not decided; `trivial`: a greeting, an "ok", a question,
# a request: nothing that anybody would look up.
State = Literal["lasting", "passing", "undecided", "trivial"]
# The speaker and the speaker's own; somebody else; a project, a place, a thing.
About = Literal["owner", "other", "world"]


class StatementJudgement:
    """One statement, judged when the first question is asked: a tenth of a millisecond.

    `middle` is that of the text's `Reading` by the default model; without it the words
    alone are judged, less surely.
    """

    def __init__(self, text: str, middle: Floats | None = None) -> None:
        self._text = text
        self._middle = middle

    @property
    def by_model(self) -> bool:
        """Whether the model's layer was read, or the words alone are judged."""
        return self._middle is not None

    @cached_property
    def is_taught(self) -> bool:
        """Whether the text is written in letters that the judges know; of others no answer is worth much."""
        return is_taught(self._text)

    @cached_property
    def tells_state(self) -> bool:
        """Whether `states` can be believed: of other letters, only for what is as short as an "ok"."""
        return self.is_taught or is_brief(self._text)

    @cached_property
    def kinds(self) -> dict[Kind, float]:
        """How likely it is of each kind, if it is worth keeping at all."""
        return cast(dict[Kind, float], self._ask("kind"))

    @cached_property
    def states(self) -> dict[State, float]:
        """How likely it lasts, passes, is undecided or trivial."""
        return cast(dict[State, float], self._ask("state"))

    @cached_property
    def about(self) -> dict[About, float]:
        """Whom or what it is likely about."""
        return cast(dict[About, float], self._ask("about"))

    @cached_property
    def due(self) -> float:
        """How likely it says that something falls due or takes place at a time ahead."""
        return self._ask("due")["yes"]

    @cached_property
    def promise(self) -> float:
        """How likely somebody commits to doing something in it."""
        return self._ask("promise")["yes"]

    @cached_property
    def change(self) -> float:
        """How likely it tells of something that is otherwise than before: a move, a new name."""
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
