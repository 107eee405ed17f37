"""What was judged a rule or a taste, and is none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memcli.judgement.kind_check import is_of_kind
from memcli.judgement.statements import StatementJudgement

_SAID = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "may_be"),
    [
        ("Car tax paid", False),
        ("Took the library books back", False),
        ("No choir practice this Thursday", False),
        ("Ben isn't coming on Saturday after all", False),
        ("Los Ortega no vienen el viernes", False),
        ("Never feed the cat milk", True),
        ("Biscuit mustn't have chicken", True),
        ("No meat on Fridays", True),
        ("No parking by the gate", True),
        ("The tax has to be paid by Friday", True),
        ("Nothing to eat before the blood test on Friday", True),
        ("Nut oils are banned", True),
    ],
)
def test_what_is_done_or_of_one_day_is_no_rule(text: str, may_be: bool) -> None:
    assert is_of_kind("constraint", text, _SAID, StatementJudgement(text)) is may_be
    assert is_of_kind("fact", text, _SAID, StatementJudgement(text))


@pytest.mark.parametrize(
    ("text", "may_be"),
    [
        ("Mia moglie Giulia è fisioterapista al Maria Vittoria", False),
        ("My wife Anna is a nurse", False),
        ("My wife Anna is vegetarian", True),
        ("My cousin Pooja is mad about K-dramas", True),
        ("My wife likes tea", True),
    ],
)
def test_who_somebody_is_is_no_taste(text: str, may_be: bool) -> None:
    assert is_of_kind("preference", text, _SAID, StatementJudgement(text)) is may_be
