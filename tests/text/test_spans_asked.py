"""Questions for what is on, due or to be done in a time ahead, in seven languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.dates import ahead_words
from memcli.text.dates.ahead_asked import errands_asked, spans_asked
from memcli.text.dates.ahead_forms import _cues
from memcli.text.question import understand_question

# A Tuesday.
_NOW = datetime(2026, 11, 24, 9, tzinfo=UTC)
_DAYS = {
    "tomorrow": ("2026-11-25", "2026-11-25"),
    "thursday": ("2026-11-26", "2026-11-26"),
    "friday": ("2026-11-27", "2026-11-27"),
    "weekend": ("2026-11-28", "2026-11-29"),
    "this week": ("2026-11-23", "2026-11-29"),
    "next week": ("2026-11-30", "2026-12-06"),
    "next month": ("2026-12-01", "2026-12-31"),
    "by friday": ("2026-11-24", "2026-11-27"),
    "3 days": ("2026-11-24", "2026-11-27"),
    "monday to wednesday": ("2026-11-30", "2026-12-02"),
}
_NAMED = {
    "en": ("tomorrow", "on Thursday", "on Friday", "this weekend", "this week", "next week", "next month",
           "by Friday", "in the next 3 days", "from Monday to Wednesday"),
    "de": ("morgen", "am Donnerstag", "am Freitag", "am Wochenende", "diese Woche", "nächste Woche",
           "nächsten Monat", "bis Freitag", "in den nächsten drei Tagen", "von Montag bis Mittwoch"),
    "fr": ("demain", "jeudi", "vendredi", "ce week-end", "cette semaine", "la semaine prochaine",
           "le mois prochain", "d'ici vendredi", "dans les 3 prochains jours", "de lundi à mercredi"),
    "es": ("mañana", "el jueves", "el viernes", "este fin de semana", "esta semana", "la semana que viene",
           "el mes que viene", "hasta el viernes", "en los próximos 3 días", "entre el lunes y el miércoles"),
    "it": ("domani", "giovedì", "venerdì", "nel fine settimana", "questa settimana", "la prossima settimana",
           "il mese prossimo", "entro venerdì", "nei prossimi tre giorni", "tra lunedì e mercoledì"),
    "pt": ("amanhã", "na quinta", "na sexta-feira", "neste fim de semana", "esta semana", "na próxima semana",
           "no próximo mês", "até sexta-feira", "nos próximos 3 dias", "entre segunda-feira e quarta-feira"),
    "nl": ("morgen", "donderdag", "op vrijdag", "dit weekend", "deze week", "volgende week", "volgende maand",
           "uiterlijk vrijdag", "in de komende drie dagen", "van maandag tot woensdag"),
}  # fmt: skip
_FORMS = {
    "en": (
        "do I have anything {}?",
        "what do I have to do {}?",
        "what's on {}",
        "what is due {}?",
        "am I free {}?",
    ),
    "de": (
        "bin ich {} frei?",
        "was muss ich {} tun?",
        "habe ich {} etwas vor?",
        "was steht {} an?",
        "welche Termine habe ich {}?",
    ),
    "fr": (
        "qu'est-ce que j'ai {} ?",
        "que dois-je faire {} ?",
        "qu'est-ce qui est prévu {} ?",
        "suis-je libre {} ?",
        "ai-je du temps {} ?",
    ),
    "es": ("¿qué tengo que hacer {}?", "¿tengo algo {}?", "¿hay algo pendiente {}?", "¿estoy libre {}?"),
    "it": (
        "cosa devo fare {}?",
        "ho impegni {}?",
        "che cosa ho in programma {}?",
        "sono libera {}?",
        "ho tempo {}?",
    ),
    "pt": (
        "o que tenho de fazer {}?",
        "tenho alguma coisa {}?",
        "quais são os meus compromissos {}?",
        "estou livre {}?",
    ),
    "nl": (
        "wat moet ik {} doen?",
        "heb ik {} iets?",
        "wat staat er {} op de agenda?",
        "ben ik {} vrij?",
        "heb ik {} tijd?",
    ),
}


def _asked(question: str, now: datetime = _NOW) -> list[tuple[str, str]]:
    understood = understand_question(question, (), now)
    spans = spans_asked(question, now, understood.statement, understood.dates)
    return [(f"{each.start:%Y-%m-%d}", f"{each.end:%Y-%m-%d}") for each in spans]


def _days(first: str, last: str) -> tuple[str, str]:
    after = datetime.fromisoformat(last).toordinal() + 1
    return first, datetime.fromordinal(after).strftime("%Y-%m-%d")


def test_what_is_read_as_gone_by_may_be_named_as_ahead() -> None:
    sunday = datetime(2026, 11, 29, 9, tzinfo=UTC)
    ahead = ("do I have anything from Monday to Wednesday?", "what is on between Monday and Wednesday?",
             "what do I have from 30 November to 2 December?")  # fmt: skip
    assert [_asked(each, sunday) for each in ahead] == [[_days("2026-11-30", "2026-12-02")]] * len(ahead)
    over = ("what did I do from Monday to Wednesday?", "what happened between Monday and Wednesday?",
            "what was on from Monday to Wednesday?", "what have I done from Monday to Wednesday?",
            "what do I have from last Monday to last Wednesday?", "what is there from 3 May to 5 May 2025?",
            "what do I have from last week?")  # fmt: skip
    assert not [each for each in over if _asked(each, sunday)]


@pytest.mark.parametrize("language", _NAMED)
def test_what_is_on_in_a_time_is_asked_for_in_each_language(language: str) -> None:
    wrong = [
        (question, found)
        for form in _FORMS[language]
        for said, days in zip(_NAMED[language], _DAYS.values(), strict=True)
        if (found := _asked(question := form.format(said))) != [_days(*days)]
    ]
    assert not wrong


@pytest.mark.parametrize(
    "question",
    [
        # Of what is over, or was told.
        "what did I do on Friday?", "what was on Thursday?", "was hatte ich am Freitag vor?",
        "¿qué hice el viernes?",
        "qu'est-ce que j'ai fait vendredi ?", "what happened this week?", "what have I noted today?",
        "what was noted today?", "wat was er vrijdag?", "que s'est-il passé jeudi ?", "what is from today?",
        # Of one thing rather than all.
        "when is the dentist on Friday?", "may I deploy on Friday?", "what can I do this weekend?",
        "what does Ann have on Friday?", "is the shop open on Thursday?", "what does she have tomorrow?",
        "who is on call next week?", "Never deploy on Fridays", "was kostet der Zug am Freitag?",
        # Of no time, or one without an end.
        "what do I have to do?", "which port does staging use?", "what do I have after the move?", "Friday",
        "next week", "what do I have after what Ann has on Friday?", "when am I free?",
        # Of the next one of a sort, or of what to do next.
        "when is my next dentist appointment?", "when is Ann's next appointment?", "what should I do next?",
        "what was my next appointment?", "next",
        "what do I have prior to 5 December?", "what did I have before 5 December?",
        "what do I have on the 31st of June?", "do I have 3/4 of it?",
    ],
)  # fmt: skip
def test_what_asks_for_more_or_for_what_was_is_a_question_like_any_other(question: str) -> None:
    assert not _asked(question)


@pytest.mark.parametrize(
    ("questions", "last"),
    [
        (("what do I have before Friday?", "was muss ich vor Freitag tun?",
          "qu'est-ce que j'ai avant vendredi ?", "¿qué tengo antes del viernes?",
          "cosa devo fare prima di venerdì?", "o que tenho antes de sexta-feira?"), "2026-11-26"),
        (("what is due before 5 December?", "was ist vor dem 5. Dezember fällig?"), "2026-12-04"),
        (("what must I do before tomorrow?",), "2026-11-24"),
        (("what do I have before the weekend?",), "2026-11-27"),
        (("what do I have before next week?",), "2026-11-29"),
        (("what is due before the end of the month?", "was ist vor Monatsende fällig?"), "2026-11-30"),
        (("what do I have until Friday?", "¿qué tengo hasta el viernes?"), "2026-11-27"),
    ],
)  # fmt: skip
def test_before_a_time_is_without_it_and_by_a_day_with_it(questions: tuple[str, ...], last: str) -> None:
    assert not [each for each in questions if _asked(each) != [_days("2026-11-24", last)]]


@pytest.mark.parametrize(
    ("questions", "first"),
    [
        (("what do I have after Thursday?", "what's on after Thursday?", "was habe ich nach Donnerstag?",
          "qu'est-ce que j'ai après jeudi ?", "¿qué tengo después del jueves?", "cosa ho dopo giovedì?",
          "o que tenho depois de quinta?", "wat heb ik na donderdag?", "am I free after Thursday?"),
         "2026-11-27"),
        (("what do I have from Thursday on?", "was habe ich ab Donnerstag?",
          "was habe ich von Donnerstag an?",
          "qu'est-ce que j'ai à partir de jeudi ?", "¿qué tengo a partir del jueves?",
          "cosa ho da giovedì in poi?", "o que tenho a partir de quinta-feira?",
          "wat heb ik vanaf donderdag?"), "2026-11-26"),
        (("what is due after 5 December?", "was steht nach dem 5. Dezember an?"), "2026-12-06"),
        (("what do I have after the weekend?", "was habe ich nach dem Wochenende?"), "2026-11-30"),
        (("what is my next appointment?", "when is my next deadline?", "what is next on my calendar?",
          "wann ist mein nächster Termin?", "was ist unser nächster Termin?",
          "quel est mon prochain rendez-vous ?", "¿cuándo es mi próxima cita?",
          "qual è il mio prossimo appuntamento?", "qual é o meu próximo compromisso?",
          "wat is mijn volgende afspraak?"), "2026-11-24"),
    ],
)  # fmt: skip
def test_after_a_time_and_the_next_one_have_no_end(questions: tuple[str, ...], first: str) -> None:
    asked = {question: _asked(question) for question in questions}
    assert not {
        question: spans for question, spans in asked.items() if [each[:1] for each in spans] != [(first,)]
    }
    assert all(end > "2050" for [(_, end)] in asked.values())


def test_in_portuguese_na_is_on_a_day() -> None:
    assert _asked("o que tenho na quinta?") == [_days(*_DAYS["thursday"])]


def test_a_sunday_is_of_this_weekend_and_next_weekend_of_the_next_week() -> None:
    sunday = datetime(2026, 11, 29, 9, tzinfo=UTC)
    for now in (sunday, datetime(2026, 11, 28, 9, tzinfo=UTC)):
        assert _asked("what's on this weekend?", now) == [_days("2026-11-28", "2026-11-29")]
        coming = ("what's on next weekend?", "qu'est-ce que j'ai le week-end prochain ?",
                  "was habe ich nächstes Wochenende vor?",
                  "¿qué tengo el próximo fin de semana?")  # fmt: skip
        assert not [each for each in coming if _asked(each, now) != [_days("2026-12-05", "2026-12-06")]]
    assert _asked("what's on next weekend?") == [_days("2026-12-05", "2026-12-06")]


@pytest.mark.parametrize(
    "question",
    [
        "have I got anything on Friday?", "what's in my diary for Friday?", "what does my Friday look like?",
        "wie sieht mein Freitag aus?", "hab ich Freitag schon was vor?",
        "est-ce que je suis libre vendredi ?",
        "¿estoy libre el viernes?", "sono già impegnato venerdì?", "já tenho planos para sexta-feira?",
        "ben ik vrijdag al bezet?", "can you tell me what I have on Friday?", "anything due Friday?",
        "what have I got on this Friday?", "qu'est-ce qu'on fait vendredi ?",
    ],
)  # fmt: skip
def test_it_is_asked_in_many_ways(question: str) -> None:
    assert _asked(question) == [_days(*_DAYS["friday"])]


@pytest.mark.parametrize(
    "question",
    [
        "what's on Friday evening?", "was steht Freitagabend an?", "was habe ich Freitag morgen vor?",
        "qu'est-ce que j'ai vendredi soir ?", "¿qué tengo el viernes por la tarde?",
        "cosa ho venerdì mattina?", "o que tenho na sexta à noite?", "wat heb ik vrijdagochtend?",
        "am I free on Friday afternoon?", "what do I have on Friday-evening?", "was ist Freitagnacht los?",
    ],
)  # fmt: skip
def test_a_part_of_a_day_is_asked_for_by_its_day(question: str) -> None:
    assert _asked(question) == [_days(*_DAYS["friday"])]


@pytest.mark.parametrize(
    "question",
    [
        "what's on from the 3rd to the 7th of December?", "what do I have 3–7 December?",
        "what do I have between 3 and 7 December?", "was habe ich vom 3. bis 7. Dezember?",
        "was ist vom 3. bis 7. los?", "qu'est-ce que j'ai du 3 au 7 décembre ?",
        "¿qué tengo del 3 al 7 de diciembre?", "cosa ho dal 3 al 7 dicembre?",
        "o que tenho de 3 a 7 de dezembro?", "wat heb ik van 3 tot 7 december?",
    ],
)  # fmt: skip
def test_numbers_without_their_month_are_asked_for_with_it(question: str) -> None:
    assert _asked(question) == [_days("2026-12-03", "2026-12-07")]


def test_days_by_their_short_names_are_asked_for() -> None:
    for question in ("was ist Do bis So?", "was ist von Do bis So los?", "what is on Thu to Sun?"):
        assert _asked(question) == [_days("2026-11-26", "2026-11-29")], question


def test_several_days_are_several_spans() -> None:
    assert _asked("do I have anything on Thursday or Saturday?") == [
        _days("2026-11-26", "2026-11-26"), _days("2026-11-28", "2026-11-28"),
    ]  # fmt: skip


def test_no_word_that_names_a_day_is_overlooked() -> None:
    """By their first letters questions are told from those that name no day, before any form is compiled."""
    assert {cue[:4] for cue in _cues()} == set(ahead_words.BEGINNINGS.split())


@given(st.text())
def test_any_question_is_looked_at(text: str) -> None:
    _asked(f"what do I have {text} on Friday")


_ERRANDS = (
    "what have I still got to do?", "what do I still have to do?", "what's left to do?",
    "what must I still do?",
    "what's on my to-do list?", "what do I still need to get done?", "what is still open?", "what's overdue?",
    "what do I have to do?", "show me my open tasks", "is there anything I still need to do?",
    "was muss ich noch erledigen?", "was ist noch zu tun?", "welche Aufgaben habe ich noch?",
    "qu'est-ce que j'ai encore à faire ?", "que me reste-t-il à faire ?", "que dois-je encore faire ?",
    "¿qué me queda por hacer?", "¿qué tengo pendiente?", "cosa devo ancora fare?", "cosa mi resta da fare?",
    "o que falta fazer?", "wat moet ik nog doen?",
)  # fmt: skip
_NO_ERRANDS = (
    "what do I do for a living?", "what do I have?", "what's left?", "what do I still need?", "what do I do?",
    "what should I do about the boiler?", "what tasks does Tom have?", "list everything", "what have I done?",
    "what courses do I have?", "how should I do it?", "when do I have to do it?", "what is open?",
    "what did I do?",
    "was mache ich beruflich?", "was habe ich getan?", "que faire ?", "qu'est-ce que j'ai fait ?",
    "¿qué tengo?",
    "cosa ho fatto?", "wat heb ik gedaan?", "what does Ife still need?",
)  # fmt: skip


def test_all_that_is_still_to_be_done_is_asked_for() -> None:
    assert [each for each in _ERRANDS if not errands_asked(each)] == []
    assert [each for each in _NO_ERRANDS if errands_asked(each)] == []


@pytest.mark.parametrize(
    "question",
    [
        "what do I have on between Christmas and New Year?",
        "was habe ich zwischen Weihnachten und Neujahr vor?",
        "was haben wir zwischen den Jahren vor?", "qu'est-ce qu'on a entre Noël et le Nouvel An ?",
        "¿qué tengo entre Navidad y Año Nuevo?", "cosa facciamo tra Natale e Capodanno?",
    ],
)  # fmt: skip
def test_the_days_between_christmas_and_new_year_are_asked_for(question: str) -> None:
    asked = understand_question(question, (), _NOW)
    [span] = spans_asked(asked.text, _NOW, asked.statement, asked.dates)
    assert (f"{span.start:%m-%d}", f"{span.end:%m-%d}") == ("12-25", "01-02")
