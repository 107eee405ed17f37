"""Months, weekdays and numbers as words stand in one file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import memcli
from memcli.text.dates import calendar

_ROOT = Path(memcli.__file__).parent


@pytest.mark.parametrize("names", [calendar.MONTHS, calendar.WEEKDAYS, calendar.NUMBERS[:13]])
def test_no_other_file_lists_them(names: tuple[str, ...]) -> None:
    # A few may be named in a comment or an example; a list of them has most.
    listing = {
        str(path.relative_to(_ROOT))
        for path in _ROOT.rglob("*.py")
        if len({*re.findall("[a-z]+", path.read_text(encoding="utf-8"))} & {*names}) > len(names) / 2
    }
    # Those list them in seven languages, one row a value.
    assert listing - {"text/numbers/quantities.py", "text/naming/name_or_word.py"} == {
        "text/dates/calendar.py"
    }


def test_names_and_numbers_are_read_in_any_case() -> None:
    assert [calendar.month_number(name) for name in ("January", "sept", "DEC", "may")] == [1, 9, 12, 5]
    assert [calendar.weekday_number(name) for name in ("Monday", "sunday")] == [0, 6]
    assert [calendar.number_of_words(said) for said in ("a few", "An", "seven", "12")] == [3, 1, 7, 12]
    assert (
        calendar.mentions_date("in May")
        and calendar.mentions_date("two weeks")
        and not calendar.mentions_date("Julie")
    )
