"""What is still to be done: without what is done, with its day, and of a summary only some lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from memcli.config.location import Location
from memcli.embedding import Embedder
from memcli.memories import Memories
from memcli.model import SUMMARY
from memcli.recall.agenda.due_dates import listed_as_promised
from memcli.recall.agenda.summary_lines import with_lines_of_summaries
from memcli.text.semantics.plan_outcomes import Told, is_moved, says_over
from memcli.tiers.context.start import answer_at_start
from memcli.write_policy.drafts import Draft
from tests.conftest import TickingClock, make_memories

_MONDAY = datetime(2026, 11, 9, 9, tzinfo=UTC)
_LATER = _MONDAY + timedelta(days=4)


@pytest.fixture
def memories(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> Iterator[Memories]:
    clock.instant = _MONDAY
    with make_memories(own_store, clock, model=real_model) as memories:
        yield memories


def _tell(memories: Memories, clock: TickingClock, *texts: str) -> None:
    for text in texts:
        memories.remember(Draft(text=text))
        clock.advance(hours=26)


def _listed(memories: Memories) -> list[tuple[str, str, str]]:
    return [
        (piece.tier, piece.text.split()[0], f"{piece.due:%m-%d}" if piece.due else "")
        for piece in answer_at_start(memories, ("constraints", "due", "promised")).pieces
    ]


def test_what_is_written_in_short_is_due_and_no_rule(memories: Memories, clock: TickingClock) -> None:
    for text in ("cath change rm 9 due thurs", "invoice Meier rausschicken bis Do", "GLS invoice due 11th"):
        memories.remember(Draft(text=text))
    clock.advance(minutes=5)
    assert _listed(memories) == [
        ("due", "GLS", "11-11"),
        ("due", "cath", "11-12"),
        ("due", "invoice", "11-12"),
    ]


def test_what_is_due_farther_ahead_stands_with_its_day(memories: Memories, clock: TickingClock) -> None:
    memories.remember(Draft(text="order filter 2026-12-05", tags=("todo",)))
    memories.remember(Draft(text="Steuererklärung bis Monatsende"))
    clock.advance(minutes=5)
    assert _listed(memories) == [("promised", "order", "12-05"), ("promised", "Steuererklärung", "11-30")]


def test_what_is_done_leads_no_list(memories: Memories, clock: TickingClock) -> None:
    _tell(
        memories, clock, "Told Ferran I'd review his PR #871 by Wednesday",
        "I have to book the chimney sweep",
        "Hallenmiete zahlen bis 15.11.", "reviewed Ferran's PR, merged", "Paid the Hallenmiete",
        "I owe Priya a lunch for the index tip",
    )  # fmt: skip
    assert [first for _, first, _ in _listed(memories)] == ["2", "I", "I"]
    told = [hit.memory.text.split()[0] for hit in memories.recall("what do I still have to do?").hits]
    assert told[:2] == ["I", "I"] and set(told[2:]) == {"reviewed", "Told", "Paid", "Hallenmiete"}


@pytest.mark.parametrize(
    ("plan", "later", "over"),
    [
        ("Need to buy candles, napkins and glue", "bought the candles and the napkins", False),
        ("Need to buy candles, napkins and glue", "bought candles, napkins and glue", True),
        ("Milch und Brot kaufen", "Milch gekauft", False),
        ("Ich muss den Anmeldezettel abgeben", "Anmeldezettel abgegeben", True),
        ("Je dois payer le loyer", "loyer payé", True),
        ("Tengo que pagar el alquiler", "alquiler pagado", True),
        ("Devo pagare l'affitto", "affitto pagato", True),
        ("Tenho de enviar o relatório", "relatório enviado", True),
        ("Ik moet de huur betalen", "huur betaald", True),
        ("I have to send the slides", "I'll send the slides tomorrow", False),
        ("I have to send the slides", "haven't sent the slides", False),
    ],
)
def test_of_several_things_all_are_done(plan: str, later: str, over: bool) -> None:
    assert says_over(Told(later, _LATER), Told(plan, _MONDAY)) is over


@pytest.mark.parametrize(
    ("plan", "later", "moved"),
    [
        ("Promised Anna to bring two cakes to the Advent bazaar on 28 November",
         "Anna called, the Advent bazaar is on 5 December", True),
        ("Promised Anna to bring two cakes to the Adventsbasar on 28 November",
         "Anna rief an, Adventsbasar ist erst am 5. Dezember", True),
        ("Ich habe Tom versprochen, am 28. November beim Umzug zu helfen",
         "Der Umzug ist am 5. Dezember", True),
        ("J'ai promis un gâteau pour la fête de l'école le 28 novembre",
         "La fête de l'école est le 5 décembre", True),
        ("He prometido llevar tortilla a la cena del 28 de noviembre", "La cena es el 5 de diciembre", True),
        ("Ho promesso di portare il vino alla cena del 28 novembre", "La cena è il 5 dicembre", True),
        ("Prometi levar o bolo à festa no dia 28 de novembro", "A festa é no dia 5 de dezembro", True),
        ("Ik heb beloofd taart mee te nemen naar het feest op 28 november",
         "Het feest is op 5 december", True),
        ("Promised Anna to bring cakes to the bazaar on 28 November", "Anna is here on 5 December", False),
        ("Dentist on 28 November", "Ben's dentist is on 5 December", False),
        ("Choir concert on 28 November", "The choir party is on 5 December", False),
        ("Pay rent on 28 November", "The rent is 900 from 5 December", False),
        ("Meeting with Ann on 28 November", "Ann is back on 5 December", False),
    ],
)  # fmt: skip
def test_what_is_on_another_day_moves_what_was_promised_for_it(plan: str, later: str, moved: bool) -> None:
    assert is_moved(Told(later, _LATER), Told(plan, _MONDAY)) is moved


def test_of_a_summary_its_promising_lines_are_listed(memories: Memories, clock: TickingClock) -> None:
    text = "\n".join(
        [
            "2026-11-09 user: we talked about the kitchen and the tiles",
            "2026-11-09 assistant: I'll keep that in mind",
            "2026-11-09 user: remind me to call the tiler",
            "2026-11-09 user: erinnere mich an die Fliesen",
            "2026-11-09 user: I need to buy grout",
        ]
    )
    summary = Draft(text=text, kind="episode", data={"role": SUMMARY})
    memories.remember_all([summary, Draft(text="I need to buy grout", kind="fact")])
    stored = list(memories.store.select(memories.within()))
    told = [each.text for each in with_lines_of_summaries(stored) if "tiler" in each.text]
    assert told == [
        "2026-11-09 user: remind me to call the tiler\n2026-11-09 user: erinnere mich an die Fliesen"
    ]
    silent = [each for each in stored if "tiler" not in each.text]
    assert with_lines_of_summaries(silent) == silent
    assert listed_as_promised(with_lines_of_summaries(stored), memories.now())


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("call the bank tomorrow", ("todo",)),
        ("call the bank tomorrow", ()),
        ("Katrin schuldet mir noch 20 € vom Flohmarkt", ()),
        ("just for now use the blue key", ("todo",)),
    ],
)
def test_what_is_open_gets_no_time_to_live(memories: Memories, text: str, tags: tuple[str, ...]) -> None:
    assert memories.remember(Draft(text=text, tags=tags)).expires_at is None


def test_what_passes_gets_one_unless_it_says_that_an_errand_is_done(
    memories: Memories, clock: TickingClock
) -> None:
    assert memories.remember(Draft(text="Sam is off sick today")).expires_at
    assert memories.remember(Draft(text="feeling tired")).expires_at
    memories.remember(Draft(text="rm 9 Kowalski cath change due thurs"))
    clock.advance(days=3)
    assert memories.remember(Draft(text="kowalski cath done")).expires_at is None
