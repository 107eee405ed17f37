"""What has the words of a question and does not answer it stands below what may."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from memcli.config.location import Location
from memcli.embedding import Embedder
from memcli.memories import Memories
from memcli.recall.ranking.sureness_rules.measure_told import tells_other_dimension
from memcli.recall.ranking.sureness_rules.one_note import names_asked_of
from memcli.text.dates.ahead_asked import asks_what_to_do
from tests.conftest import TickingClock, make_memories

NOTES = ("Tom is allergic to penicillin", "rm 9 Kowalski pen allergy", "Mia ist allergisch gegen Haselnüsse")


@pytest.fixture
def memories(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> Iterator[Memories]:
    with make_memories(own_store, clock, model=real_model) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what is Mia allergic to?", NOTES[2]),
        ("is Mia allergic?", NOTES[2]),
        ("Mia allergy", NOTES[2]),
        ("what is Tom allergic to?", NOTES[0]),
        ("what is Kowalski allergic to?", NOTES[1]),
    ],
)
def test_a_note_about_somebody_else_stands_below_one_that_names_whom_is_asked_of(
    memories: Memories, question: str, first: str
) -> None:
    for note in NOTES:
        memories.remember(note)
    assert memories.recall(question).hits[0].memory.text == first


def test_who_is_named_is_told_of_texts_where_one_of_them_is() -> None:
    texts = ("Mia is nine", "Tom plays chess", "She has a cough; Lacey listens to it", "the cellar is damp")
    names_asked = names_asked_of("how old is Mia?", texts)
    assert names_asked and [names_asked(text) for text in texts] == [True, False, None, None]
    assert names_asked_of("how old is Nora?", texts) is None
    # Things have capitals in German.
    assert names_asked_of("wie alt ist die Mia jetzt und wo ist der Keller?", texts) is None


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("what do I still have to buy?", True), ("was muss ich noch einkaufen?", True),
        ("que dois-je encore acheter ?", True), ("¿qué tengo que comprar?", True),
        ("what did I buy?", False), ("do I have a bike?", False), ("I have to buy milk", False),
    ],
)  # fmt: skip
def test_what_is_still_to_do_is_asked_for(question: str, asks: bool) -> None:
    assert asks_what_to_do(question) is asks


def test_what_was_done_stands_below_what_is_to_do(memories: Memories) -> None:
    for note in ("bought the candles and the napkins", "buy a present for Lotte", "Buy oat milk and eggs"):
        memories.remember(note)
    texts = [hit.memory.text for hit in memories.recall("what do I still have to buy?").hits]
    assert set(texts[:2]) == {"buy a present for Lotte", "Buy oat milk and eggs"}


def test_a_weight_answers_no_question_for_a_length() -> None:
    assert tells_other_dimension("how tall is Moritz?", "Moritz weighs 4.2 kilos now")
    assert not tells_other_dimension("how tall is Moritz?", "Moritz is 98 cm")
    assert not tells_other_dimension("how heavy is Moritz?", "Moritz weighs 4.2 kilos now")
    assert not tells_other_dimension("how old is Moritz?", "Moritz weighs 4.2 kilos now")
