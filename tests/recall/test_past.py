"""What was true in a time gone by, and what there is in a time, by the real model."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memcli import ids
from memcli.model import Change, Ending, Filter, Memory
from memcli.recall.misses import miss_reason
from memcli.storage import Store
from memcli.storage.conditions import true_span
from memcli.storage.stores import open_store
from memcli.text.question import tells_nothing, understand_question
from tests.conftest import Run

NOW = datetime(2026, 11, 22, 13, tzinfo=UTC)
OCTOBER = (datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 10, 31, 23, 59, tzinfo=UTC))
new_id = ids.id_source()


def told(text: str, **fields: object) -> Memory:
    values = {"happened_at": NOW, "created_at": NOW, "updated_at": NOW, "kind": "fact", **fields}
    return Memory(id=new_id(NOW), text=text, **values)  # type: ignore[arg-type]


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def ended(how: Ending, at: str = "2026-11-10", **fields: object) -> Memory:
    return told(how, ended_at=day(at), ended_as=how, **fields)


# Whether each was true at some time in October.
OF_OCTOBER = (
    (told("ended since", valid_until=day("2026-11-01")), True),
    (told("ended before", valid_until=day("2026-09-30")), False),
    (told("began since", valid_from=day("2026-11-01")), False),
    (told("goes on", valid_from=day("2020-01-01")), True),
    (told("told before, of no validity", happened_at=day("2026-03-01")), True),
    (told("told since, of no validity"), False),
    (told("happened then", kind="episode", happened_at=day("2026-10-05")), True),
    (told("happened before", kind="episode", happened_at=day("2026-09-05")), False),
    (told("to live for a time", happened_at=day("2026-10-05"), expires_at=day("2026-10-06")), False),
    (ended("superseded", happened_at=day("2026-03-01")), True),
    (ended("updated", happened_at=day("2026-03-01")), True),
    (ended("superseded", at="2026-09-01", happened_at=day("2026-03-01")), False),
    (ended("superseded", at="2026-10-05", happened_at=day("2026-10-05")), False),
    (ended("expired", valid_from=day("2026-03-01"), valid_until=day("2026-11-01")), True),
    (ended("expired", happened_at=day("2026-03-01")), False),
    (ended("forgotten", happened_at=day("2026-03-01")), False),
    (ended("outweighed", happened_at=day("2026-03-01")), False),
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    opened = open_store(tmp_path / "store.db")
    opened.put([memory for memory, _ in OF_OCTOBER], Change("add"), NOW)
    return opened


def test_what_was_true_is_told_alike_by_the_store_and_by_the_memory(store: Store) -> None:
    then = Filter(at=NOW, past=OCTOBER, past_only=True)
    assert {each.id for each in store.select(then)} == {each.id for each, true in OF_OCTOBER if true}
    for memory, true in OF_OCTOBER:
        span = true_span(memory)
        spans = (
            span is not None
            and (not span[0] or span[0] <= OCTOBER[1])
            and (not span[1] or span[1] >= OCTOBER[0])
        )
        assert true == (spans and memory.expires_at is None), memory.text
        assert true != (miss_reason(memory, then) is not None), memory.text
    store.close()


def test_beside_what_is_true_stands_what_was(store: Store) -> None:
    live = {each.id for each in store.select(Filter(at=NOW))}
    both = {each.id for each in store.select(Filter(at=NOW, past=OCTOBER))}
    was = {each.id for each, true in OF_OCTOBER if true}
    assert both == live | was and was - live and live - was
    store.close()


def insured(mem: Run) -> None:
    for words in (
        ("My insurance is with Allianz", "--valid-from", "2020-01-01", "--valid-until", "2021-03-31"),
        ("My insurance is with HUK", "--valid-from", "2021-04-01"),
    ):
        assert mem("remember", *words).returncode == 0


def test_a_question_of_a_past_time_finds_what_was_true_then_and_says_so(mem: Run) -> None:
    insured(mem)
    for question in ("what was my insurance in May 2020", "who insured me before April 2021"):
        first = json.loads(mem("recall", question, "--json").stdout.splitlines()[0])
        assert (first["text"], first["past"]) == ("My insurance is with Allianz", True)
    assert (
        "until 2021-03-31, no longer true] My insurance" in mem("recall", "my insurance in May 2020").stdout
    )
    assert "Allianz  (past)" in mem("recall", "my insurance in May 2020", "--format", "text").stdout
    assert "Allianz" not in mem("recall", "what is my insurance?").stdout
    assert "Allianz" not in mem("recall", "what was my insurance in May 2022").stdout


def test_at_is_what_was_true_then_and_as_of_what_was_known(mem: Run) -> None:
    insured(mem)
    for verb in (("recall", "insurance"), ("recall",), ("list",), ("export",)):
        done = mem(*verb, "--at", "2020-05")
        assert "Allianz" in done.stdout and "HUK" not in done.stdout, verb
    mem("remember", "Never drive at night", "--valid-from", "2020-01-01", "--valid-until", "2020-12-31")
    assert "Never drive" in mem("context", "--at", "2020-05").stdout
    assert "Never drive" not in mem("context").stdout + mem("context", "--at", "2022").stdout
    assert mem("list", "--as-of", "2020-05").returncode == 1


def test_the_nightly_run_takes_no_past_away(mem: Run) -> None:
    insured(mem)
    assert mem("consolidate").returncode == 0
    assert "Allianz" in mem("recall", "what was my insurance in May 2020").stdout
    assert "Allianz" in mem("list", "--at", "2020-05").stdout


def test_links_are_told_of_a_past_time_too(mem: Run) -> None:
    mem("link", "Ann", "works_at", "Acme", "--since", "2018", "--until", "2020")
    mem("link", "Ann", "works_at", "Globex", "--since", "2021")
    assert "Acme" in mem("recall", "where did Ann work in 2019", "--tiers", "graph").stdout
    then = mem("recall", "where does Ann work", "--at", "2019", "--tiers", "graph").stdout
    assert "Acme" in then and "Globex" not in then
    assert "Acme" not in mem("recall", "where does Ann work", "--tiers", "graph").stdout


def test_what_is_true_no_longer_is_taken_with_a_word(mem: Run) -> None:
    mem("remember", "My insurance is with HUK")
    done = mem("remember", "My insurance is with Allianz", "--valid-until", "2021-03-31")
    assert done.returncode == 0 and "no longer" in done.stderr and "--at 2021-03-31" in done.stderr
    assert "contradict" not in done.stderr
    again = mem("remember", "My insurance is with HUK", "--valid-until", "2021-03-31")
    assert "known already" not in again.stderr
    edited = mem("edit", again.stdout.strip(), "--until", "2020-01-01")
    assert "--at 2020-01-01" in edited.stderr
    assert "no longer" not in mem("remember", "The lease runs", "--valid-until", "2090-01-01").stderr


# A time alone


@pytest.mark.parametrize(
    "question",
    [
        "what happened",
        "What did I do?",
        "what's new",
        "what did we talk about",
        "",
        "summary",
        "anything new?",
    ],
)
def test_a_question_may_ask_for_a_time_alone(question: str) -> None:
    assert tells_nothing(question)


@pytest.mark.parametrize("question", ["what did Ann do", "what broke", "who called", "what did we eat"])
def test_who_names_a_thing_asks_for_it(question: str) -> None:
    assert not tells_nothing(question)


def of_the_week(mem: Run) -> list[str]:
    days = [datetime.now(UTC).astimezone() - timedelta(days=days) for days in (40, 1, 0)]
    texts = ["The roof leaks", "The plumber repaired the roof", "The bill is 400 euros"]
    for text, when in zip(texts, days, strict=True):
        mem("remember", text, "--at", when.isoformat())
    return texts


def test_a_time_alone_lists_what_there_is_in_time_order(mem: Run) -> None:
    old, yesterday, today = of_the_week(mem)

    def texts(*words: str) -> list[str]:
        lines = mem("recall", *words, "--json", input="").stdout.splitlines()
        return [json.loads(line)["text"] for line in lines]

    assert texts("what happened since yesterday") == [yesterday, today]
    assert texts("what did I do yesterday?") == [yesterday]
    assert texts("--since", "yesterday") == [yesterday, today]
    assert texts("what happened?", "--since", "yesterday") == [yesterday, today]
    assert texts("--since", "60 days ago", "--until", "30 days ago") == [old]
    assert texts("roof", "--since", "yesterday") == [yesterday]
    hit = json.loads(mem("recall", "--since", "yesterday", "-n", "1", "--json", input="").stdout)
    assert (hit["text"], hit["score"], hit["found_by"]) == (today, 1.0, ["time"])
    page = mem("recall", "what happened since yesterday").stdout
    assert "In time order:" in page and page.index(yesterday) < page.index(today)
    assert "1 more in that time" in mem("recall", "--since", "yesterday", "-n", "1", input="").stderr


def test_an_empty_time_is_said_honestly(mem: Run) -> None:
    of_the_week(mem)
    done = mem("recall", "what happened three weeks ago?")
    assert (done.returncode, done.stdout) == (1, "")
    assert mem("recall", input="").returncode == 2


def test_what_was_true_all_the_time_did_not_happen_in_it(mem: Run) -> None:
    mem("remember", "I live in Oslo", "--at", "2020-01-01", "--valid-from", "2020-01-01")
    assert mem("recall", "what happened since yesterday").returncode == 1
    assert mem("recall", "what happened in January 2020").returncode == 0


def test_what_the_graph_says_is_there_in_every_look(mem: Run) -> None:
    mem("link", "Ann", "works_at", "Acme", "--since", "2018", "--until", "2020")
    mem("link", "Ann", "works_at", "Globex", "--since", "2021")
    for more in (
        (),
        ("--format", "text"),
        ("--json",),
        ("--explain",),
        ("--since", "2022"),
        ("--budget", "90"),
    ):
        for tiers in ("graph", "graph,facts,blocks"):
            done = mem("recall", "where does Ann work?", "--tiers", tiers, *more)
            assert done.returncode == 0 and "Globex" in done.stdout and "Acme" not in done.stdout, (
                more,
                tiers,
            )
    assert "Acme" in mem("recall", "where does Ann work?", "--tiers", "graph", "--until", "2019").stdout


def test_a_time_ahead_or_one_in_which_nothing_was_told_is_looked_for_by_its_words(mem: Run) -> None:
    for text in ("Liv is afraid of dogs", "I rented a room in Kassel in 2009", "Per lives in Voss"):
        assert mem("remember", text).returncode == 0
    for month in {(datetime.now(UTC) + timedelta(days=days)).strftime("%B") for days in (40, 45)}:
        assert mem("remember", f"The band concert is on 18 {month} at 19:00").returncode == 0
        found = mem("recall", f"what is on in {month}?", "--format", "text").stdout
        assert "concert" in found and "Liv" not in found and "Voss" not in found
    assert "Kassel" in mem("recall", "what happened in 2009?", "--format", "text").stdout
    # Of what was told in a time all is listed, in its order.
    assert len(mem("recall", "what happened today?", "--format", "text").stdout.splitlines()) >= 4


@pytest.mark.parametrize(
    ("said", "now", "ahead"),
    [
        ("in December", (2026, 11, 23), True), ("in December", (2026, 2, 1), False),
        ("in December 2026", (2026, 11, 23), True), ("in May 2026", (2026, 11, 23), False),
    ],
)  # fmt: skip
def test_a_month_is_the_nearest_unless_the_past_is_asked_about(
    said: str, now: tuple[int, int, int], ahead: bool
) -> None:
    at = datetime(*now, 12, tzinfo=UTC)
    assert (understand_question(f"what is there {said}?", (), at).dates == ()) is ahead
    if "2026" not in said:
        assert understand_question(f"what was there {said}?", (), at).dates


def test_what_there_is_to_do_in_a_time_is_what_falls_due_in_it(mem: Run) -> None:
    today = datetime.now(UTC).date()
    mem("remember", "The hob is a Bosch PXE875", "--kind", "fact")
    mem("remember", f"The plumber comes on {today}", "--kind", "fact")
    mem("remember", f"The rent is due on {today + timedelta(days=40)}", "--kind", "fact")
    asked = json.loads(mem("recall", "what do I have to do today?", "--json").stdout.splitlines()[0])
    assert "plumber" in json.dumps(asked) and "hob" not in json.dumps(asked)
    noted = mem("recall", "what was noted today?").stdout
    assert "hob" in noted and "plumber" in noted


def test_what_there_is_to_do_is_what_happens_yet_too_and_nothing_that_is_done(mem: Run) -> None:
    ahead = datetime.now(UTC).replace(hour=23, minute=59, second=59)
    mem("remember", "The orchestra plays Mahler", "--kind", "fact", "--at", ahead.isoformat())
    mem("remember", f"I will send the tax form by {ahead.date()}", "--kind", "fact")
    mem("remember", f"I will mow the meadow by {ahead.date()}", "--kind", "fact", "--tag", "done")
    found = mem("recall", "what do I have to do today?", "--format", "text").stdout
    assert "Mahler" in found and "tax form" in found and "meadow" not in found


def test_what_will_be_so_from_a_day_on_updates_nothing_until_then(mem: Run) -> None:
    assert mem("remember", "Rent is 900", "--at", "2026-01-01").returncode == 0
    assert mem("remember", "Rent is 950", "--valid-from", "2099-01-01").returncode == 0
    first, second = map(json.loads, mem("recall", "what is the rent?", "--json").stdout.splitlines())
    assert (first["text"], first.get("updated_by"), second["text"]) == ("Rent is 900", None, "Rent is 950")
