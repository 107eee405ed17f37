"""What is on, due or to be done in a time ahead, asked on a Tuesday."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memcli.changes.open_questions import note_both_hold
from memcli.config.location import Location
from memcli.embedding import Embedder
from memcli.memories import Memories
from memcli.recall.agenda.due_dates import days_told
from memcli.recall.results import Recall
from memcli.tiers.context.start import answer_at_start
from memcli.write_policy.drafts import Draft
from tests.conftest import TickingClock, make_memories

_TUESDAY = datetime(2026, 11, 24, 9, tzinfo=UTC)
_TEXTS = (
    "Submit the grant on 25 November",
    "Rendre les clés jeudi 26 novembre",
    "Renew the domain the day after tomorrow",
    "The festival was on Thursday 19 November",
    "Zahnarzt am Freitag, dem 27.",
    "Entregar el informe el viernes 27",
    "Prova daqui a 4 dias",
    "Vet appointment in five days",
    "Pay the electricity bill on Monday the 30th",
    "Steuer bis 3.12. abgeben",
    "Zahnarzt am 14. Dezember",
)


@pytest.fixture
def planned(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> Iterator[Memories]:
    clock.instant = _TUESDAY
    with make_memories(own_store, clock, model=real_model) as memories:
        memories.remember_all([Draft(text=text, kind="fact") for text in _TEXTS])
        yield memories


def _told(answer: Recall) -> list[int]:
    """The places in the list of what is told for sure, in the order of the page."""
    assert answer.zone != "weak" or answer.hits
    return [] if answer.weak else [_TEXTS.index(hit.memory.text) for hit in answer.hits]


@pytest.mark.parametrize(
    ("questions", "places"),
    [
        (("what do I have to do tomorrow?", "was muss ich morgen tun?", "¿qué tengo mañana?"), [0]),
        (("do I have anything on Thursday?",
          "ai-je quelque chose jeudi ?", "heb ik donderdag iets?"), [1, 2]),
        (("what's on Friday?", "qu'est-ce que j'ai vendredi ?", "o que tenho na sexta?"), [4, 5]),
        (("do I have anything this weekend?",
          "¿qué tengo este fin de semana?", "ho impegni nel weekend?"), [6, 7]),
        (("what do I have to do next week?",
          "was steht nächste Woche an?", "cosa devo fare la settimana prossima?"),
         [8, 9]),
        (("what is due by Friday?", "was ist bis Freitag fällig?"), [0, 1, 2, 4, 5]),
        (("do I have anything on 14 December?", "was habe ich am 14. Dezember?"), [10]),
        # Nothing is on then.
        (("do I have anything today?", "what's on 5 December?", "was habe ich am 5. Dezember?"), []),
    ],
)  # fmt: skip
def test_what_is_on_is_what_falls_on_its_days_and_nothing_else_is_sure(
    planned: Memories, questions: tuple[str, ...], places: list[int]
) -> None:
    assert {question: _told(planned.recall(question)) for question in questions} == dict.fromkeys(
        questions, places
    )


def test_the_context_and_recall_agree_on_what_is_due(planned: Memories) -> None:
    due = [piece.text for piece in answer_at_start(planned, ("due",)).pieces]
    assert len(due) > 5
    assert [hit.memory.text for hit in planned.recall("what is due in the next 7 days?").hits] == due


def test_what_is_over_or_done_is_not_on_and_what_is_overdue_still_is(
    planned: Memories, clock: TickingClock
) -> None:
    [done] = planned.recall("what do I have tomorrow?").hits
    planned.remember(Draft(text="Return the ladder by Wednesday", kind="fact"))
    planned.remember(Draft(text="Wash the car by Wednesday", kind="fact", tags=("done",)))
    clock.instant = datetime(2026, 11, 27, 9, tzinfo=UTC)
    found = [hit.memory.text for hit in planned.recall("what do I have to do this week?").hits]
    assert "Return the ladder by Wednesday" in found and "Wash the car by Wednesday" not in found
    assert done.memory.text not in found and _TEXTS[7] in found


def test_what_only_names_a_day_or_is_so_every_week_stands_behind_and_is_weak_alone(
    memories: Memories, clock: TickingClock
) -> None:
    clock.instant = _TUESDAY
    for text in ("Yoga every Friday at 7", "Les vendredis je nage", "Never deploy on Fridays"):
        memories.remember(Draft(text=text, kind="constraint" if "Never" in text else "fact"))
    answer = memories.recall("what do I have on Friday?")
    assert answer.weak and {hit.memory.text[:4] for hit in answer.hits} == {"Yoga", "Les "}
    memories.remember(Draft(text="Dentist on Friday 27 November", kind="fact"))
    answer = memories.recall("what do I have on Friday?")
    assert not answer.weak and answer.hits[0].memory.text.startswith("Dentist") and len(answer.hits) == 3
    # Of a week each weekday would be one.
    assert [hit.memory.text[:7] for hit in memories.recall("what do I have this week?").hits] == ["Dentist"]


def test_what_names_a_day_is_on_and_what_may_be_over_is_weak_and_beside_nothing_surer(
    memories: Memories, clock: TickingClock
) -> None:
    clock.instant = _TUESDAY
    memories.remember(Draft(text="Freitag haben wir Lasagne gegessen", kind="fact"))
    memories.remember(Draft(text="The fair was last Friday", kind="fact"))
    answer = memories.recall("was habe ich am Freitag?")
    assert answer.weak and [hit.memory.text[:7] for hit in answer.hits] == ["Freitag"]
    memories.remember(Draft(text="Cena con Marta el viernes", kind="preference"))
    answer = memories.recall("was habe ich am Freitag?")
    assert not answer.weak and [hit.memory.text[:4] for hit in answer.hits] == ["Cena"]
    # It ends as a past does, and is a day.
    memories.remember(Draft(text="Sabato viene l'idraulico", kind="fact"))
    assert memories.recall("what's on Saturday?").zone == "sure"


def test_no_name_noun_or_little_word_makes_what_names_a_day_one_that_is_over(
    memories: Memories, clock: TickingClock
) -> None:
    clock.instant = _TUESDAY
    texts = (
        "El jueves ceno con Lucía", "El jueves visita de María a la cafetería", "Jeudi je dîne avec Benoît",
        "Jeudi, réunion à la mairie sur la santé", "Giovedì gelato con Renato", "Giovedì ho il dentista",
        "Donderdag eet ik met Els", "Donderdag is het feest", "Na quinta janto com a Lúcia",
        "Na quinta tenho consulta com o cliente", "Donnerstag ist Elternabend", "Donnerstag Brunch bei Beate",
        "Thursday dinner with a friend", "Thursday Alfred is here",
    )  # fmt: skip
    memories.remember_all([Draft(text=text, kind="fact") for text in texts])
    over = (
        "Jueves: jugaron al ajedrez en el club", "Giovedì ho pranzato", "Donderdag was ik ziek",
        "Jeudi, on a mangé tard",
        "Quinta-feira o trem chegou tarde", "Donnerstag habe ich verschlafen, der Wecker war kaputt",
        "Thursday we met Ann",
    )  # fmt: skip
    memories.remember_all([Draft(text=text, kind="fact") for text in over])
    answer = memories.recall("¿qué tengo el jueves?", settings=memories.settings(limit=30))
    assert {hit.memory.text for hit in answer.hits} == set(texts)


def test_some_time_this_week_is_on_no_day_of_it(memories: Memories, clock: TickingClock) -> None:
    clock.instant = _TUESDAY
    memories.remember(Draft(text="Pay the gas bill this week", kind="fact"))
    asked = {form: memories.recall(f"what do I have to do {form}?") for form in ("this week", "on Sunday")}
    assert [each.zone for each in asked.values()] == ["sure", "weak"]


def test_a_weekend_is_both_its_days(memories: Memories, clock: TickingClock) -> None:
    clock.instant = _TUESDAY
    memories.remember(Draft(text="Hike with Debbie this weekend", kind="fact"))
    for question in ("what's on Saturday?", "what's on Sunday?", "was habe ich am Wochenende vor?"):
        assert not (answer := memories.recall(question)).weak and len(answer.hits) == 1


@pytest.mark.parametrize(
    "text", ["The fair is from Thursday to Sunday", "Die Messe geht vom 26. bis 29. November"]
)
def test_what_goes_on_for_days_is_on_and_due_from_the_first_until_the_last(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder], text: str
) -> None:
    clock.instant = _TUESDAY
    memories = make_memories(own_store, clock, model=real_model)
    memories.remember(Draft(text=text, kind="fact"))
    asked = ("on Thursday", "on Friday", "on 29 November", "this weekend", "from Saturday to Monday")
    assert {memories.recall(f"what is on {day}?").zone for day in asked} == {"sure"}
    # On the day before, and behind it.
    assert "sure" not in {memories.recall(f"what is on {day}?").zone for day in ("tomorrow", "on Monday")}
    due = {}
    for day in (24, 26, 28, 29, 30):
        clock.instant = datetime(2026, 11, day, 18, tzinfo=UTC)
        due[day] = [piece.due and piece.due.day for piece in answer_at_start(memories, ("due",)).pieces]
    memories.close()
    assert due == {24: [26], 26: [26], 28: [28], 29: [29], 30: []}


def test_of_the_next_one_only_what_is_on_its_day_is_told(memories: Memories, clock: TickingClock) -> None:
    clock.instant = _TUESDAY
    texts = (
        "The fair is from 23 November to 29 November", "Dentist on Thursday 26 November",
        "Zahnarzt am 14. Dezember", "Return the books by 25 November", "Yoga every Wednesday",
    )  # fmt: skip
    memories.remember_all([Draft(text=text, kind="fact") for text in texts])
    asked = ("what is my next appointment?", "wann ist mein nächster Termin?", "what is my next deadline?",
             "what is next on my calendar?", "what do I have after Sunday?")  # fmt: skip
    told = [[hit.memory.text[:7] for hit in memories.recall(question).hits] for question in asked]
    assert told == [["Dentist"], ["Dentist"], ["Return "], ["Return "], ["Zahnarz"]]
    # What has begun is told where nothing else is to come.
    clock.instant = datetime(2026, 12, 15, 9, tzinfo=UTC)
    memories.remember(Draft(text="Ferien vom 14. bis 18. Dezember", kind="fact"))
    told = [[hit.memory.text[:7] for hit in memories.recall(question).hits] for question in asked[:2]]
    assert told == [["Ferien "], ["Ferien "]]


@pytest.mark.parametrize(
    "question",
    [
        "am I free on Friday?", "bin ich am Freitag frei?", "suis-je libre vendredi ?",
        "¿estoy libre el viernes?", "sono libero venerdì?", "estou livre na sexta?",
        "ben ik vrijdag vrij?", "do I have time on Friday?",
    ],
)  # fmt: skip
def test_whether_a_day_is_free_is_answered_by_what_is_on(planned: Memories, question: str) -> None:
    assert _told(planned.recall(question)) == [4, 5]


def test_what_is_called_off_is_neither_due_nor_on_and_is_found(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> None:
    clock.instant = _TUESDAY
    texts = (
        "The appointment on Friday is cancelled", "Der Zahnarzttermin am 27. November fällt aus",
        "Ich muss den Bericht bis Freitag nicht mehr schicken",
        "I no longer have to send the report by Friday",
    )  # fmt: skip
    with make_memories(own_store, clock, model=real_model) as memories:
        memories.remember_all([Draft(text=text) for text in texts])
        planned = datetime(2026, 11, 27, 18, tzinfo=UTC)
        memories.remember(Draft(text="The dinner with Marta is cancelled", happened_at=planned))
        assert not answer_at_start(memories, ("due", "promised")).pieces
        assert memories.recall("what do I have on Friday?").zone != "sure"
        assert memories.recall("what about the dentist appointment?").hits
        memories.remember(Draft(text="Dentist on Friday 27 November", kind="fact"))
        assert [hit.memory.text for hit in memories.recall("what do I have on Friday?").hits] == [
            "Dentist on Friday 27 November"
        ]


def test_what_went_on_for_days_is_not_due(memories: Memories, clock: TickingClock) -> None:
    clock.instant = _TUESDAY
    texts = ("Von Donnerstag bis Sonntag war Oma da", "We were in Rome from Thursday to Sunday",
             "Du jeudi au dimanche, on a mangé chez Ana")  # fmt: skip
    memories.remember_all([Draft(text=text, kind="fact") for text in texts])
    assert not answer_at_start(memories, ("due",)).pieces


def test_an_event_is_over_with_its_day(memories: Memories, clock: TickingClock) -> None:
    clock.instant = _TUESDAY
    memories.remember(Draft(text="The dentist is on 25 November", kind="fact"))
    clock.instant = datetime(2026, 11, 26, 1, tzinfo=UTC)
    assert not answer_at_start(memories, ("due",)).pieces


def test_a_part_of_a_day_is_asked_for_and_told_by_its_day(memories: Memories, clock: TickingClock) -> None:
    clock.instant = _TUESDAY
    memories.remember(Draft(text="Freitagnachmittag Zahnarzt", kind="fact"))
    asked = ("what's on Friday afternoon?", "was habe ich am Freitagabend vor?", "heb ik vrijdagavond iets?",
             "qu'est-ce que j'ai vendredi soir ?", "¿qué tengo el viernes por la tarde?")  # fmt: skip
    assert {memories.recall(question).zone for question in asked} == {"sure"}


def test_before_a_day_is_without_what_is_on_it_and_with_what_is_to_be_done_before_it(
    memories: Memories, clock: TickingClock
) -> None:
    clock.instant = _TUESDAY
    texts = (
        "Dentist on Friday 27 November",
        "Submit the grant before Friday",
        "Rendre les clés avant vendredi",
    )
    memories.remember_all([Draft(text=text, kind="fact") for text in texts])
    asked = {word: memories.recall(f"what do I have {word} Friday?").hits for word in ("before", "by", "on")}
    assert {word: {hit.memory.text for hit in hits} for word, hits in asked.items()} == {
        "before": set(texts[1:]), "by": set(texts), "on": set(texts),
    }  # fmt: skip


_MOVED = (
    ("The team offsite is on 26 November", "The team offsite was postponed to 19 January"),
    (
        "Rendez-vous chez le dentiste le 25 novembre",
        "Le rendez-vous chez le dentiste est reporté au 11 décembre",
    ),
)


def test_what_was_replaced_stands_marked_below_what_replaced_it(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> None:
    clock.instant = _TUESDAY
    with make_memories(own_store, clock, model=real_model) as memories:
        first = "Pay the gas bill by 25 November"
        memories.remember_all([Draft(text=text) for text in (first, *(old for old, _ in _MOVED))])
        memories.remember_all([Draft(text=new) for _, new in _MOVED])
        due = answer_at_start(memories, ("due",))
        asked = memories.recall("what do I have this week?", settings=memories.settings(limit=20))
        both = [(each.text, each.updated_by) for each in due.pieces]
        assert both == [(hit.memory.text, hit.updated_by) for hit in asked.hits]
        for old, new in _MOVED:
            place = both.index((new, None))
            above = due.pieces[place]
            assert both[place + 1] == (old, above.id) and above.id and above.due and above.due > _TUESDAY
            assert f"perhaps updated by {above.id[-8:]}" in due.to_prompt()
        assert asked.candidates == len(both) == 5
        # That both hold is said: then each is listed by itself, and the later one on its day.
        newer, older = (each.memory for each in due.pieces if each.text in _MOVED[0])
        assert newer and older
        note_both_hold(memories, newer, [older.id])
        pieces = answer_at_start(memories, ("due",)).pieces
        assert (_MOVED[0][0], None) in [(each.text, each.updated_by) for each in pieces] and len(pieces) == 4


def test_what_is_moved_or_called_off_stands_above_what_it_replaces(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> None:
    clock.instant = _TUESDAY
    told = (
        ("Dentist on 26 November at 9", "The dentist moved to 11 December"),
        ("Standup is on Wednesday at 9", "our standup moved from Wednesday to Thursday"),
        ("Dinner with Marta on Friday", "The dinner with Marta on Friday is cancelled"),
    )
    with make_memories(own_store, clock, model=real_model) as memories:
        for texts in zip(*told, strict=True):
            memories.remember_all([Draft(text=text) for text in texts])
        due = [
            (piece.text, piece.due and piece.due.day) for piece in answer_at_start(memories, ("due",)).pieces
        ]
    days = {"Dentist": (26, 11), "Standup": (25, 26), "Dinner ": (27, None)}
    for older, newer in told:
        first, then = days[older[:7]]
        assert due.index((older, first)) == due.index((newer, then)) + 1


def test_what_was_moved_to_a_day_is_on_then(memories: Memories, clock: TickingClock) -> None:
    clock.instant = _TUESDAY
    memories.remember(Draft(text="The team meeting was postponed to Friday", kind="fact"))
    memories.remember(Draft(text="Elternabend auf Freitag verschoben", kind="fact"))
    answer = memories.recall("what's on Friday?")
    assert not answer.weak and len(answer.hits) == 2 == len(answer_at_start(memories, ("due",)).pieces)


def test_words_alone_tell_what_is_on_and_what_is_not(planned: Memories, own_home: Path) -> None:
    assert _told(planned.recall("what's on Friday?", words_only=True)) == [4, 5]
    assert not _told(planned.recall("do I have anything on 5 December?", words_only=True))


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="a process has one zone there")
@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Auckland"])
def test_a_day_is_that_of_who_says_it_and_of_who_asks(
    memories: Memories, clock: TickingClock, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as there:
        there.setenv("TZ", zone)
        time.tzset()
        # Wednesday in Greenwich and Tuesday evening in California; Wednesday evening in Auckland.
        clock.instant = datetime(2026, 11, 25, 5, tzinfo=UTC)
        memories.remember(Draft(text="Renew the domain the day after tomorrow", kind="fact"))
        asked = ("tomorrow", "the day after tomorrow", "on Thursday" if zone[0] == "A" else "on Friday")
        zones = [memories.recall(f"what do I have to do {day}?").zone for day in asked]
    time.tzset()
    # Of tomorrow nothing is told: it is on another day.
    assert zones == ["none", "sure", "sure"]


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("Nina called, we go skiing from Friday evening until Sunday", False),
        ("Anna phoned: she arrives on Saturday night", False),
        ("Jonas hat angerufen, wir kochen am Donnerstag zusammen", False),
        ("Had dinner Friday, it was great", True),
        ("Lunch was great, we met Ana Friday", True),
    ],
)
def test_who_told_it_does_not_make_a_day_be_over(memories: Memories, text: str, over: bool) -> None:
    assert days_told(memories.remember(Draft(text=text, kind="episode")))[1] is over


@pytest.mark.parametrize(
    "question",
    [
        "what is on Saturday?", "what are we doing at the weekend?", "do I have anything tomorrow?",
        "was machen wir am Samstag?", "que faisons-nous samedi ?", "¿qué planes tengo para el sábado?",
        "cosa facciamo sabato?", "o que há no sábado?", "wat doen we zaterdag?", "was mache ich am Samstag?",
        "qu'est-ce que je fais samedi ?", "¿qué hago el sábado?", "cosa faccio sabato?",
        "o que faço no sábado?", "wat doe ik zaterdag?", "was mache ich morgen?",
    ],
)  # fmt: skip
def test_where_nothing_is_on_only_what_is_to_be_done_on_no_day_is_shown(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder], question: str
) -> None:
    clock.instant = _TUESDAY
    to_do = "I still need to renew my passport"
    of_no_day = (
        "Anna likes jazz",
        "We swim in the gym hall",
        "The weekend market sells honey",
        "Ich gehe gern schwimmen",
        "Dentist on 9 December at 10",
        "I've given up the Tuesday swim",
        "Yoga every Monday at 7",
        "Nobody is coming on Monday",
    )
    with make_memories(own_store, clock, model=real_model) as memories:
        memories.remember_all([Draft(text=text) for text in (*of_no_day, to_do)])
        told = memories.recall(question)
        assert {hit.memory.text for hit in told.hits} <= {to_do}
        assert told.weak or not told.hits


def test_what_only_names_a_day_is_counted_where_nothing_was_asked_and_told_where_it_is(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> None:
    clock.instant = _TUESDAY
    with make_memories(own_store, clock, model=real_model) as memories:
        memories.remember_all(
            [Draft(text=text) for text in ("Zahnarzt Donnerstag 9 Uhr", "It rained on Friday")]
        )
        assert [each.text for each in answer_at_start(memories, ("due",)).pieces] == [
            "Zahnarzt Donnerstag 9 Uhr"
        ]
        named = ["cena da Marta venerdì", "dîner chez Marta vendredi"]
        memories.remember_all([Draft(text=text) for text in named])
        *_, last = answer_at_start(memories, ("due",)).pieces
        told = re.fullmatch(
            r'2 more of these days, by their name alone: `mem recall -n 50 "(.+)"`', last.text
        )
        assert told and last.id is None, last.text
        asked = memories.recall(told[1], settings=memories.settings(limit=50))
        assert {hit.memory.text for hit in asked.hits} == {"Zahnarzt Donnerstag 9 Uhr", *named}


def test_what_will_not_be_is_no_next_thing_and_not_due_and_is_told_of_its_day(
    memories: Memories, clock: TickingClock
) -> None:
    clock.instant = _TUESDAY
    denied = "Nobody is coming on Friday"
    texts = (denied, "Le plombier ne passe pas jeudi", "Dentist on Monday")
    memories.remember_all([Draft(text=text, kind="fact") for text in texts])
    assert _texts(memories.recall("what is my next appointment?")) == ["Dentist on Monday"]
    assert [piece.text for piece in answer_at_start(memories, ("due",)).pieces] == ["Dentist on Monday"]
    answer = memories.recall("what's on Friday?")
    assert answer.weak and _texts(answer) == [denied]


def _texts(answer: Recall) -> list[str]:
    return [hit.memory.text for hit in answer.hits]
