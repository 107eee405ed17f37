"""Extracts: which sentences are chosen, and how much room they take."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.model import Memory
from memcli.prompt.budget import estimate_tokens
from memcli.text.sentences import MAX_SENTENCE, sentences, shorten
from memcli.tiers.sessions.extracts import SummaryRequest, extractive_summary

AT = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)


def turn(text: str, role: str = "user") -> Memory:
    return Memory(
        id="0", kind="episode", text=text, data={"role": role}, happened_at=AT, created_at=AT, updated_at=AT
    )


def summary(*texts: str, room: int = 60, previous: str = "", covered: int = 0) -> str:
    return extractive_summary(SummaryRequest(previous, covered, [turn(text) for text in texts], room))


CHAT = [
    "Hello there!",
    "We move the billing database to Postgres.",
    "Sounds nice.",
    "The billing database holds 40 GB.",
    "You are so good at this, thank you!",
    "What shall we have for lunch?",
    "Postgres runs on db1.",
    "See you.",
]


def test_what_the_turns_are_about_is_chosen_before_small_talk() -> None:
    text = summary(*CHAT, room=55)
    assert "billing database" in text and "Postgres" in text
    assert "lunch" not in text and "See you" not in text


def test_the_same_turns_give_the_same_summary() -> None:
    assert summary(*CHAT) == summary(*CHAT)


def test_lines_stand_in_time_order_with_day_and_speaker() -> None:
    lines = summary(*CHAT, room=1000).splitlines()
    assert len(lines) == len(CHAT)
    assert lines[0] == "2026-05-03 user: Hello there!"


def test_a_sentence_said_before_makes_room_for_a_new_one() -> None:
    again = ["The release is on Friday at noon."] * 5 + ["The tests need a database on port 5433."]
    assert "5433" in summary(*again, room=40)


def test_a_decision_outweighs_what_is_merely_said() -> None:
    turns = [turn(text) for text in CHAT] + [turn("SQLite it is.", "decision")]
    assert "decision: SQLite it is." in extractive_summary(SummaryRequest("", 0, turns, 50))


def test_an_earlier_summary_keeps_a_share_of_the_room_by_its_turns() -> None:
    before = summary(*(f"Early matter number {n} is called alpha{n}." for n in range(40)), room=300)
    after = summary(
        *(f"Late matter number {n} is called omega{n}." for n in range(40)),
        room=300, previous=before, covered=40,
    )  # fmt: skip
    early = sum("Early" in line for line in after.splitlines())
    late = sum("Late" in line for line in after.splitlines())
    assert abs(early - late) <= 2 and early > 3


def test_every_stretch_of_a_long_session_is_heard() -> None:
    turns = [f"Topic{n // 100} needs the tool{n} in version {n}." for n in range(400)]
    text = summary(*turns, room=400)
    assert all(f"Topic{n}" in text for n in range(4))


def test_an_output_is_heard_by_its_first_and_last_line_only() -> None:
    output = "\n".join(f"step {n} of the build took {n} s" for n in range(400))
    text = extractive_summary(
        SummaryRequest("", 0, [turn("Build it."), turn(output, "tool"), turn("It works.")], 1000)
    )
    assert text.splitlines() == [
        "2026-05-03 user: Build it.",
        "2026-05-03 tool: step 0 of the build took 0 s",
        "2026-05-03 tool: step 399 of the build took 399 s",
        "2026-05-03 user: It works.",
    ]


def test_one_long_message_leaves_room_for_the_others() -> None:
    essay = " ".join(f"The parser reads file{n} of the project in pass {n}." for n in range(60))
    others = [turn(f"The project needs tool{n}.") for n in range(10)]
    lines = extractive_summary(SummaryRequest("", 0, [turn(essay, "assistant"), *others], 150)).splitlines()
    assert sum("needs tool" in line for line in lines) >= 3


def test_code_blocks_are_left_out_and_endless_sentences_cut() -> None:
    assert sentences("Look:\n```\nx = 1\n```\nIt works. Really!") == ["Look:", "It works.", "Really!"]
    [cut] = sentences("word " * 200)
    assert len(cut) <= MAX_SENTENCE and cut.endswith("…")


def test_sentences_of_scripts_without_spaces_are_told_apart() -> None:
    assert sentences("東京に住んでいます。猫が好きです。") == ["東京に住んでいます。", "猫が好きです。"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('He said "I like it." I am tired.', ['He said "I like it."', "I am tired."]),
        ("„Ich mag Tee.“ Er ging.", ["„Ich mag Tee.“", "Er ging."]),
        ("»Ich mag Tee.« Er ging. »Ich nicht.«", ["»Ich mag Tee.«", "Er ging.", "»Ich nicht.«"]),
        ("« Je viens. » Il part… Bon", ["« Je viens. »", "Il part…", "Bon"]),
        ("「行きます。」と言った。帰る。", ["「行きます。」", "と言った。", "帰る。"]),
        ("Sie kommt am 3. Mai um 9. Dann essen wir.", ["Sie kommt am 3. Mai um 9.", "Dann essen wir."]),
        ("It costs 3. I pay.", ["It costs 3.", "I pay."]),
    ],
)
def test_a_sentence_keeps_its_closing_quotation_mark_and_its_ordinals(text: str, told: list[str]) -> None:
    assert sentences(text) == told


def test_a_long_output_keeps_its_head_its_tail_and_its_length() -> None:
    text = "\n".join(f"line {n}" for n in range(1000))
    short = shorten(text, 500)
    assert len(short) <= 500
    assert short.startswith("line 0\n") and short.endswith("line 999")
    assert f"[{len(text):,} characters, shortened]" in short


@settings(max_examples=60)
@given(
    st.lists(st.text(max_size=300), max_size=12),
    st.text(max_size=200),
    st.integers(0, 50),
    st.integers(1, 200),
)
def test_a_summary_never_takes_more_than_its_room(
    texts: list[str], previous: str, covered: int, room: int
) -> None:
    text = extractive_summary(SummaryRequest(previous, covered, [turn(each) for each in texts], room))
    assert not text or sum(estimate_tokens(line) + 1 for line in text.splitlines()) <= room + 1


@given(st.text(max_size=400), st.integers(1, 300))
def test_shortening_keeps_to_its_limit(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert short == text if len(text) <= limit else len(short) <= limit
