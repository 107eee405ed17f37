"""Instants, lengths of time, ids."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import ids, times
from memcli.errors import BadInput

NOW = datetime(2026, 5, 3, 12, 30, 15, 123000, tzinfo=UTC)


@given(st.datetimes(min_value=datetime(1000, 1, 2), timezones=st.just(UTC)))
def test_an_instant_survives_its_text(instant: datetime) -> None:
    cut = times.to_milliseconds(instant)
    assert times.from_iso(times.to_iso(cut)) == cut
    assert len(times.to_iso(cut)) == len("2026-05-03T14:07:00.000Z")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", NOW),
        ("3 days ago", NOW - timedelta(days=3)),
        ("in 2 weeks", NOW + timedelta(weeks=2)),
        ("-90m", NOW - timedelta(minutes=90)),
        ("+1h30m", NOW + timedelta(minutes=90)),
        ("2026-05-01T10:00:00Z", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01T12:00:00+02:00", datetime(2026, 5, 1, 10, tzinfo=UTC)),
    ],
)
def test_people_write_instants_in_many_ways(text: str, expected: datetime) -> None:
    assert times.parse_instant(text, NOW) == expected


def test_a_day_is_its_first_instant_or_its_last() -> None:
    start, end = times.parse_instant("2026-05-01", NOW), times.parse_instant("2026-05-01", NOW, end=True)
    assert end - start == timedelta(days=1) - timedelta(milliseconds=1)
    assert times.parse_instant("2026-02", NOW, end=True) - times.parse_instant("2026-02", NOW) > timedelta(
        days=27
    )
    assert times.parse_instant("yesterday", NOW) == times.parse_instant("today", NOW) - timedelta(days=1)


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-13-01", "2026-02-30", "9999999 years ago", "3 parsecs ago", "ago"]
)
def test_what_is_no_instant_is_refused_with_a_way_out(text: str) -> None:
    with pytest.raises(BadInput, match="2026-05-03|7d"):
        times.parse_instant(text, NOW)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("30m", 1800),
        ("24h", 86400),
        ("7d", 604800),
        ("2 weeks", 1209600),
        ("1h30m", 5400),
        ("1.5h", 5400),
    ],
)
def test_lengths_of_time(text: str, seconds: int) -> None:
    assert times.parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "0s", "7", "h", "7x", "9" * 30 + "y"])
def test_what_is_no_length_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        times.parse_duration(text)


def test_ids_of_one_instant_increase_and_differ_in_their_tails() -> None:
    new_id = ids.id_source()
    made = [new_id(NOW) for _ in range(5000)]
    assert made == sorted(made)
    assert len({ids.short_id(each) for each in made}) == len(made)
    assert all(ids.is_id(each) for each in made)
    assert new_id(NOW - timedelta(hours=1)) > made[-1]
    assert new_id(NOW + timedelta(hours=1))[:10] > made[-1][:10]


def test_fragments_are_read_as_people_type_them() -> None:
    assert ids.normalise_fragment(" …abol1i ") == "AB0111"
    assert ids.normalise_fragment("no spaces") is None
    with pytest.raises(BadInput, match="the id is empty"):
        ids.normalise_fragment("…")
    assert ids.normalise_fragment("%") is None


@pytest.mark.parametrize("text", ["0s", "0m", "0h 0m"])
def test_a_length_of_nothing_is_told_to_be_one(text: str) -> None:
    with pytest.raises(BadInput, match="more than nothing"):
        times.parse_duration(text)
