"""What moves something planned to another day, or calls it off on that day: in seven languages."""

from __future__ import annotations

import pytest

from memcli.judgement.pairs import judge_pair
from memcli.text.comparison import put_off
from memcli.text.comparison.put_off import is_put_off


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Dentist on 4 December at 9", "The dentist moved to 11 December"),
        ("Dentist on 4 December at 9", "The dentist on 4 December is cancelled"),
        ("Dentist on 4.12.", "The dentist moved to 11.12."),
        ("Our standup is on Mondays at 9", "our standup moved from Monday to Tuesday"),
        ("Team meeting on Thursday", "The team meeting was postponed to Friday"),
        ("Parents' evening is on the 12th", "parents evening has been pushed to the 19th"),
        ("Appointment with Dr. Weber on Wednesday at 9", "The appointment on Wednesday is cancelled"),
        ("Send the report to Ann by Friday", "I no longer have to send the report by Friday"),
        ("Zahnarzt am 4. Dezember um 9 Uhr", "Der Zahnarzt wurde auf den 11. Dezember verschoben"),
        ("Der Zahnarzttermin ist am 4. Dezember", "Der Zahnarzttermin am 4. Dezember fällt aus"),
        ("Dentiste le 4 décembre à 9h", "Le dentiste est reporté au 11 décembre"),
        ("Dentiste le 4 décembre", "Le dentiste du 4 décembre est annulé"),
        ("Dentista el 4 de diciembre", "El dentista se ha cambiado al 11 de diciembre"),
        ("Dentista il 4 dicembre alle 9", "Il dentista è stato spostato all'11 dicembre"),
        ("Tandarts op 4 december om 9 uur", "De tandarts is verplaatst naar 11 december"),
        ("Dentista no dia 4 de dezembro", "O dentista foi mudado para 11 de dezembro"),
        # The day need not be named.
        ("Dentist on Friday at 10", "The dentist cancelled"),
        ("Match against Leeds on Saturday", "The match is off"),
        ("Zahnarzt am Freitag um 10", "Der Zahnarzt hat abgesagt"),
        ("Dentista el viernes", "El dentista ha cancelado"),
        ("Dentista venerdì", "Il dentista ha annullato"),
        ("Tandarts op vrijdag", "De tandarts heeft afgezegd"),
    ],
)
def test_what_moves_something_or_calls_it_off_updates_it(older: str, newer: str) -> None:
    assert is_put_off(newer, older) and not is_put_off(older, newer)
    assert judge_pair(newer, older, 0.6).update >= 0.9


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # Another thing, or perhaps another.
        ("Dentist on 4 December at 9", "The plumber moved to 11 December"),
        ("Team meeting on 4 December", "The meeting moved to 11 December"),
        ("Piano lesson on Monday", "Swimming lesson moved from Monday to Tuesday"),
        # Another day of it.
        ("Yoga on Thursday", "Yoga moved from Monday to Tuesday"),
        ("Dentist on 4 December", "The dentist on 11 December is cancelled"),
        # It was moved there already, or moves elsewhere.
        ("Dentist on 11 December", "The dentist moved to 11 December"),
        ("Dentist on 4 December", "We moved to Oslo on 11 December"),
        ("Dentist on 4 December", "The dentist moved on 11 December"),
        ("Dentist tomorrow", "The dentist moved to 11 December"),
        # Not all that are so every week.
        ("Yoga every Friday", "Yoga is cancelled"),
        ("Yoga on Fridays", "Yoga is cancelled"),
        ("Dentist on Friday", "The plumber cancelled"),
        # It is not.
        ("Dentist on 4 December", "The dentist on 4 December is not cancelled"),
        ("Dentist on 4 December", "The dentist on 4 December costs 90 euros"),
        ("Dentist on 31 June", "The dentist moved to 11 December"),
        ("I like tea", "I like coffee"),
    ],
)
def test_what_only_looks_like_it_is_left_to_the_judge(older: str, newer: str) -> None:
    assert not is_put_off(newer, older)


@pytest.mark.parametrize(
    "newer",
    ["The flat viewing is on Tuesday", "Dinner with Ana on Friday at 8", "I moved house, nothing else"],
)
def test_most_texts_are_not_read_for_a_day_to_which_something_moved(
    newer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(put_off, "_told", read.append)
    assert not is_put_off(newer, "The flat viewing is on Monday")
    assert read == ([newer] if "moved" in newer else [])
