"""What the judges say of a text on its way in, with the real model and the default settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memcli.changes.revision import correct_memory
from memcli.config.settings import SETTINGS
from memcli.consolidation.judged_statements import judged_statements
from memcli.embedding import Embedder
from memcli.judgement.notes import PROMISE
from memcli.judgement.pairs import PairJudgement
from memcli.memories import Memories
from memcli.model import judged_likely
from memcli.recall.agenda.due_dates import due_at, is_open_promise
from memcli.text.dates.ahead import days_ahead
from memcli.text.kinds import is_promise
from memcli.tiers.sessions import sessions
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run, TickingClock, make_memories

PAYDAY, AGAIN = "We get paid on the 25th of each month", "Payday is the 25th of every month"
RENT, DEARER = "Rent is 900 a month", "Rent went up to 950 a month"
STEPS = "To bleed the radiators, shut the pump off, open the valve and wait for water"


@pytest.fixture
def judged(own_home: Path, clock: TickingClock, real_model: Callable[[str], Embedder]) -> Iterator[Memories]:
    """Memories over a real store, with the model that the judges know."""
    with make_memories(own_home / "memory.db", clock, model=real_model) as opened:
        yield opened


@pytest.fixture
def unjudged(
    own_home: Path, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> Iterator[Memories]:
    """The same with every judge turned off."""
    off = dict.fromkeys((name for name in SETTINGS if name.startswith("judge_")), "1")
    with make_memories(own_home / "other.db", clock, model=real_model, settings=off) as opened:
        yield opened


def keep(memories: Memories, text: str, options: WriteOptions | None = None, **fields: Any) -> Decision:
    [decision] = admit_drafts(memories, memories.model, [Draft(text=text, **fields)], options)
    return decision


@pytest.mark.parametrize(
    "text", ["ok", "lol that is funny", "Good morning!", "merci beaucoup !", "can you shorten this?"]
)
def test_what_says_nothing_is_kept_for_a_week_and_told(judged: Memories, text: str) -> None:
    decision = keep(judged, text)
    memory = decision.memory
    assert (decision.action, memory.kind) == ("take", "episode") and memory.expires_at
    assert timedelta(days=6.9) < memory.expires_at - memory.created_at < timedelta(days=7.1)
    assert decision.judged["trivial"] > 0.9 and "hardly says anything" in decision.notes[0]
    assert "--force" in decision.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "周五禁止部署", "我对花生过敏", "生产数据库在每天凌晨三点备份", "コーヒーより紅茶が好きです",
        "猫の名前はミケです", "เซิร์ฟเวอร์ใช้พอร์ต 8443", "أنا أعيش في بيروت", "Не деплоить по пятницам",
        "मेरी बेटी को पेनिसिलिन से एलर्जी है", "우리 딸은 초등학교 2학년이다",
    ],
)  # fmt: skip
def test_of_letters_that_no_judge_was_taught_nothing_is_guessed(judged: Memories, text: str) -> None:
    decision = keep(judged, text)
    memory = decision.memory
    assert (decision.action, memory.kind, memory.expires_at) == ("take", "fact", None)
    assert decision.judged == {} and decision.notes == ()
    assert not list(judged_statements(judged, [replace(memory, kind="episode", data={})], 0.01))


@pytest.mark.parametrize("text", ["你好", "了解です", "спасибо", "شكرا"])
def test_an_ok_is_as_short_in_every_script(judged: Memories, text: str) -> None:
    decision = keep(judged, text)
    assert decision.memory.expires_at and decision.judged["trivial"] >= 0.8


def test_a_foreign_name_in_a_statement_is_no_other_script(judged: Memories) -> None:
    assert keep(judged, "I like the tea house 茶馆 in Kreuzberg best").memory.kind == "preference"


def test_who_names_the_kind_or_forces_it_has_judged(judged: Memories) -> None:
    named = keep(judged, "ok", kind="fact")
    assert (named.memory.kind, named.memory.expires_at, named.judged) == ("fact", None, {})
    forced = keep(judged, "lol", WriteOptions(force=True))
    assert (forced.memory.kind, forced.memory.expires_at) == ("fact", None)
    assert forced.overrides == ("trivial",) and forced.memory.data["overrides"] == ["trivial"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (STEPS, "procedure"),
        ("I prefer window seats on trains", "preference"),
        ("Never run the dishwasher at night", "constraint"),
        ("Met Ana at the fair in Lyon last Tuesday", "episode"),
        ("I have been a vegetarian since I was twelve", "fact"),
    ],
)
def test_the_kind_that_nobody_said_is_judged(judged: Memories, text: str, kind: str) -> None:
    decision = keep(judged, text)
    assert (decision.action, decision.memory.kind, decision.memory.expires_at) == ("take", kind, None)
    assert decision.memory.data["judged"][f"kind: {kind}"] > 0.5


def test_a_turn_of_a_session_is_no_judged_episode(judged: Memories) -> None:
    assert keep(judged, "Met Ana at the fair in Lyon last Tuesday", session="s").memory.kind == "fact"


def test_the_same_in_other_words_confirms_what_is_there(judged: Memories) -> None:
    known = keep(judged, PAYDAY).memory
    again = keep(judged, AGAIN)
    assert (again.action, again.memory.id, again.memory.confirm_count) == ("reinforce", known.id, 1)
    assert again.judged[f"same: {known.id}"] > 0.8
    # A judge may err: what it was taken for is shown, what was said is on record, and it may be disputed.
    assert f'"{PAYDAY}"' in again.reason and [each.id for each in again.near] == [known.id]
    assert f"said again: {AGAIN}" in [event.reason for event in judged.store.history(known.id)]
    # A number tells them apart, however alike a judge finds them.
    assert keep(judged, "Payday is the 26th of every month").action == "take"


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Every Friday I take out the bins", "Don't deploy on Friday"),
        ("On Fridays we eat pizza", "Never deploy on Fridays"),
        ("Jeden Dienstag habe ich Chor", "Dienstags keine Termine legen"),
    ],
)
def test_what_is_denied_is_never_known_already(
    judged: Memories, monkeypatch: pytest.MonkeyPatch, known: str, said: str
) -> None:
    monkeypatch.setattr("memcli.judgement.pairs.judge_pair", lambda *given: PairJudgement(0.99, 0.01, 0.0))
    keep(judged, known)
    assert keep(judged, said).action == "take"


def test_another_value_is_taken_and_told_at_once(judged: Memories) -> None:
    old = keep(judged, RENT).memory
    decision = keep(judged, DEARER)
    assert (decision.action, decision.contradicts) == ("take", (old.id,))
    assert "may contradict" in decision.notes[-1] and old.id in decision.notes[-1]
    moved = keep(judged, "The choir rehearses on Tuesdays").memory
    told = keep(judged, "Choir rehearsals have moved to Thursdays")
    assert told.contradicts == (moved.id,) and told.judged[f"update: {moved.id}"] > 0.7
    assert judged.store.get([old.id])[0].ended_at is None


def test_news_of_what_lasts_is_no_passing_remark(judged: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    news = "the car is at the garage"
    assert keep(judged, news, space="empty").memory.expires_at
    keep(judged, "My car stands in Mill Street")
    monkeypatch.setattr("memcli.judgement.pairs.judge_pair", lambda *given: PairJudgement(0.0, 0.9, 0.1))
    assert keep(judged, news).memory.expires_at is None


def test_a_setting_of_one_turns_a_judge_off(unjudged: Memories, judged: Memories) -> None:
    said = (
        "ok",
        STEPS,
        PAYDAY,
        AGAIN,
        "The choir rehearses on Tuesdays",
        "Choir rehearsals have moved to Thursdays",
    )
    off = [keep(unjudged, text) for text in said]
    assert {(each.action, each.memory.kind) for each in off} == {("take", "fact")}
    assert not any(each.contradicts or each.judged or each.memory.data for each in off)
    on = [keep(judged, text) for text in said]
    assert [each.action for each in on] == ["take", "take", "take", "reinforce", "take", "take"]
    assert [each.memory.kind for each in on[:2]] == ["episode", "procedure"] and on[-1].contradicts


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("I'll send Tom the slides", "promise"),
        ("Bis Monatsende schreibe ich Jae das Empfehlungsschreiben", "due"),
        ("Le dije a Marta que le devuelvo el taladro", "promise"),
        ("Our deposit must be paid by the 15th or the flat goes to someone else", "due"),
        ("Am 17. um halb vier habe ich Zahnarzt", "due"),
        ("Tom likes jazz", "about: other"),
    ],
)
def test_what_is_ahead_and_of_whom_is_noted_when_it_is_written(
    judged: Memories, text: str, noted: str
) -> None:
    for kind in (None, "fact", "episode"):
        assert judged_likely(keep(judged, text, space=str(kind), kind=kind).memory, noted) >= 0.5
    turn = sessions.append_turn(judged, Draft(text=text, session="s", data={"role": "user"})).turn
    assert judged_likely(judged.store.get([turn.id])[0], noted) >= 0.5
    for role, later in (("assistant", False), ("user", True)):
        draft = Draft(text=text, session="s", data={"role": role})
        assert "judged" not in sessions.append_turn(judged, draft, later=later).turn.data


@pytest.mark.parametrize(
    "text",
    [
        'I only take card, no cheques, no "I\'ll see you right"',
        "Avec les nouvelles semelles, mon mal de genou est parti en trois semaines",
    ],
)
def test_what_only_its_words_speak_for_is_neither_promised_nor_due(judged: Memories, text: str) -> None:
    memory = keep(judged, text, kind="fact").memory
    now = memory.happened_at + timedelta(days=3)
    assert is_promise(text) or days_ahead(text, memory.happened_at)
    assert not is_open_promise(memory) and due_at(memory, now) is None
    assert set(memory.data["judged"]) & {"no promise", "not due"}


@pytest.mark.parametrize(
    "text",
    [
        "Exam in 3 days",
        "Ausflug in 3 Tagen",
        "School trip in 4 days",
        "In three days: flight to Rome",
        "Examen de maths dans 3 jours",
        "Examen en 3 días",
        "Verifica tra 3 giorni",
        "Proefwerk over 3 dagen",
        "Prova em 3 dias",
        "Abgabe der Arbeit in 3 Tagen",
    ],
)
def test_an_event_and_in_how_many_days_it_is_no_judge_denies(judged: Memories, text: str) -> None:
    memory = keep(judged, text).memory
    assert not judged_likely(memory, "not due")
    days = (4 if " 4 " in text else 3) - 1
    assert due_at(memory, memory.happened_at + timedelta(days=days)) is not None
    told = replace(memory, data={"judged": {"not due": 0.99}})
    assert due_at(told, memory.happened_at) is not None


@pytest.mark.parametrize(
    "text",
    ["It heals in 3 days", "Built the shed in 3 days", "We painted the house in 3 days",
     "Lost 2 kilos in 3 weeks", "Lo aprendí en 3 días", "Rechnung in 14 Tagen zahlbar",
     "Ich habe das in 3 Tagen gelernt"],
)  # fmt: skip
def test_how_long_something_takes_a_judge_may_deny_to_be_due(judged: Memories, text: str) -> None:
    memory = keep(judged, text).memory
    assert judged_likely(memory, "not due") and due_at(memory, memory.happened_at) is None


def test_what_is_corrected_is_judged_anew(judged: Memories) -> None:
    old = keep(judged, "I'll send Tom the slides", kind="fact").memory
    new = correct_memory(judged, old, "Tom has the slides", WriteOptions()).memory
    assert judged_likely(old, "promise") and not judged_likely(new, "promise")


def test_a_batch_is_judged_as_one_by_one(judged: Memories) -> None:
    drafts = [Draft(text=text) for text in ("ok", STEPS, PAYDAY, AGAIN, RENT, DEARER)]
    decisions = admit_drafts(judged, judged.model, drafts)
    assert [each.action for each in decisions] == ["take", "take", "take", "reinforce", "take", "take"]
    assert [each.memory.kind for each in decisions[:2]] == ["episode", "procedure"]
    assert decisions[-1].contradicts == (decisions[-2].memory.id,)


def test_why_shows_what_was_judged(mem: Run) -> None:
    kept = json.loads(mem("remember", "--json", STEPS).stdout)
    likely = kept["decision"]["judged"]["kind: procedure"]
    assert f"judged: kind: procedure ({likely:.0%})" in mem("why", kept["id"]).stdout
    told = mem("remember", "ok")
    assert told.returncode == 0 and "hardly says anything" in told.stderr


def test_of_what_others_say_their_words_are_a_promise_or_none(judged: Memories) -> None:
    """ "Henrik told me" is much like "I told Henrik I would"."""
    promised = keep(judged, "Tom said: I'll bring my drill back on Friday")
    assert PROMISE in promised.judged
    for text in ('Henrik told me "I\'m allergic to shellfish"', "Sabine meinte: Ich wohne jetzt in Ulm"):
        assert PROMISE not in keep(judged, text).judged, text


def test_what_two_people_say_of_themselves_contradicts_nothing(judged: Memories) -> None:
    keep(judged, '"Ich bin Vegetarier", sagte Klaus')
    keep(judged, "I live in Ghent")
    for text in ("Sabine meinte: Ich wohne jetzt in Ulm", "My client says: I live in Zürich"):
        assert not keep(judged, text).contradicts, text
