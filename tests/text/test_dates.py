"""The spans that a question names, and the instants that an option does."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import BadInput
from memcli.text.dates.instants import read_instant
from memcli.text.dates.spans import cut_dates, named_span

# A Sunday.
NOW = datetime(2026, 11, 22, 13, tzinfo=UTC)


def days(question: str) -> tuple[str, str, str]:
    rest, [span] = cut_dates(question, NOW)
    span = span.latest(NOW)
    return rest, f"{span.start:%Y-%m-%d}", f"{span.end:%Y-%m-%d}"


@pytest.mark.parametrize(
    ("question", "rest", "start", "end"),
    [
        ("what was my insurance in October", "what was my insurance", "2026-10-01", "2026-11-01"),
        ("what was it last December?", "what was it?", "2025-12-01", "2026-01-01"),
        ("where did I live in Oct", "where did I live", "2026-10-01", "2026-11-01"),
        ("where did I live October last year", "where did I live", "2025-10-01", "2025-11-01"),
        ("who called at the end of October", "who called", "2026-10-01", "2026-11-01"),
        ("what did we do last summer", "what did we do", "2026-06-01", "2026-09-01"),
        ("what did it cost in Q1 2025", "what did it cost", "2025-01-01", "2025-04-01"),
        ("what happened since Monday", "what happened", "2026-11-16", "2026-11-23"),
        ("what happened since Sunday", "what happened", "2026-11-22", "2026-11-23"),
        ("what happened on Monday?", "what happened?", "2026-11-16", "2026-11-17"),
        ("what did I do the day before yesterday", "what did I do", "2026-11-20", "2026-11-21"),
        ("what did I do in the last 3 days", "what did I do", "2026-11-19", "2026-11-22"),
        (
            "what did Ann do in the week before 16 November 2025?",
            "what did Ann do?",
            "2025-11-09",
            "2025-11-16",
        ),
        (
            "what did we do the week before August 3, 2025 with kids",
            "what did we do with kids",
            "2025-07-27",
            "2025-08-03",
        ),
        ("who called two weeks before August 11, 2025", "who called", "2025-07-24", "2025-07-31"),
        ("who called three days after 11 May 2025", "who called", "2025-05-14", "2025-05-15"),
        ("who called the month after March 2025", "who called", "2025-04-01", "2025-05-01"),
        ("who came on the Sunday before October 25, 2025", "who came", "2025-10-19", "2025-10-20"),
        ("who came last weekend before April 10, 2025", "who came", "2025-04-05", "2025-04-07"),
        ("who came the Friday after 3 May 2025", "who came", "2025-05-09", "2025-05-10"),
        ("what changed over the past week", "what changed", "2026-11-15", "2026-11-22"),
        ("who called the week before last", "who called", "2026-11-02", "2026-11-09"),
        ("between May and July who called", "who called", "2026-05-01", "2026-08-01"),
        ("who called from 3 May 2025 to 7 May 2025?", "who called?", "2025-05-03", "2025-05-08"),
        ("what was the rent before 2025", "what was the rent", "1-01-02", "2025-01-01"),
        ("what was the rent until March", "what was the rent", "1-01-02", "2026-03-01"),
    ],
)
def test_a_question_names_spans_as_people_say_them(question: str, rest: str, start: str, end: str) -> None:
    told = days(question)
    assert (told[0], told[1].lstrip("0"), told[2]) == (rest, start, end)


@pytest.mark.parametrize(
    "question",
    [
        "may I deploy on Friday?", "what must I do before Friday", "what was the Monday meeting about",
        "Never deploy on Fridays", "march on Washington", "between you and me",
    ],
)  # fmt: skip
def test_a_weekday_that_is_not_told_of_stays_a_word(question: str) -> None:
    assert cut_dates(question, NOW) == (question, [])


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("monday", "2026-11-16", "2026-11-16"),
        ("Last Week", "2026-11-09", "2026-11-15"),
        ("october", "2026-10-01", "2026-10-31"),
        ("may 2024", "2024-05-01", "2024-05-31"),
        ("yesterday", "2026-11-21", "2026-11-21"),
        ("2025", "2025-01-01", "2025-12-31"),
    ],
)
def test_an_option_takes_the_names_of_spans(text: str, start: str, end: str) -> None:
    assert f"{read_instant(text, NOW):%Y-%m-%d}" == start
    assert f"{read_instant(text, NOW, end=True):%Y-%m-%d}" == end


def test_what_ends_ends_in_time_to_come() -> None:
    ends = [read_instant(text, NOW, end=True, ahead=True) for text in ("friday", "sunday", "march")]
    assert [f"{end:%Y-%m-%d}" for end in ends] == ["2026-11-27", "2026-11-22", "2027-03-31"]


@pytest.mark.parametrize(
    ("texts", "last", "coming"),
    [
        (("next friday", "nächsten Freitag", "vendredi prochain"), "2026-11-27", "2026-11-27"),
        (("Friday week",), "2026-12-04", "2026-12-04"),
        # Which one it is it does not say by itself.
        (("on Friday", "am Freitag", "el viernes", "vendredi", "op vrijdag"), "2026-11-20", "2026-11-27"),
        (("5. Dezember", "le 5 décembre"), "2025-12-05", "2026-12-05"),
        (("end of month", "fin de mes", "Monatsende"), "2026-11-30", "2026-11-30"),
        (("tra 3 giorni", "in drei Tagen", "em 3 dias"), "2026-11-25", "2026-11-25"),
        (("volgende week", "next week"), "2026-11-29", "2026-11-29"),
    ],
)
def test_an_option_takes_a_day_ahead_as_a_question_names_it(
    texts: tuple[str, ...], last: str, coming: str
) -> None:
    for text in texts:
        found = [f"{read_instant(text, NOW, end=True, ahead=ahead):%Y-%m-%d}" for ahead in (False, True)]
        assert found == [last, coming], text
    # What is open on one side ends where it says.
    assert f"{read_instant('by Friday', NOW, end=True, ahead=True):%Y-%m-%d}" == "2026-11-27"


@pytest.mark.parametrize(
    "text", ["", "soon", "staging", "monday staging", "not friday", "friday lunch", "am 17.", "3/4"]
)
def test_what_names_no_time_is_said(text: str) -> None:
    with pytest.raises(BadInput, match="not a time"):
        read_instant(text, NOW)


@given(st.text())
def test_any_text_is_looked_at(text: str) -> None:
    rest, _ = cut_dates(f"since {text} in 2025", NOW)
    assert isinstance(rest, str)
    named_span(text, NOW)


@pytest.mark.parametrize(
    "question",
    ["do I have anything on Thursday?", "what do I have on Thursday?", "What do we have on Thursday?"],
)
def test_what_one_has_on_a_weekday_is_of_no_day_that_is_over(question: str) -> None:
    assert cut_dates(question, datetime(2026, 11, 24, 9, tzinfo=UTC)) == (question, [])
    asked = question.replace("do ", "did ").replace("Do ", "Did ")
    assert cut_dates(asked, datetime(2026, 11, 24, 9, tzinfo=UTC))[1]
