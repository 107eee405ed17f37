"""Half of a batch is judged by a second process, and nobody sees by which."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from types import SimpleNamespace

import pytest

from memcli.model import Kind, Memory
from memcli.write_policy.related import judging_process
from memcli.write_policy.related.judging_process import Case, JudgingProcess, judge
from memcli.write_policy.related.lookup import RelatedMemory

_TEXTS = (
    "The staging server listens on port 8443",
    "The staging server listens on port 9443",
    "the staging server listens on port 8443.",
    "Ann Miller works at Acme",
    "Ann Miller left Acme for Globex",
    "I drink tea in the morning",
)
_NOW = datetime(2026, 5, 3, tzinfo=UTC)


def cases() -> list[Case]:
    some = [
        Memory(id=f"{n:026d}", kind="fact", text=text, happened_at=_NOW, created_at=_NOW, updated_at=_NOW)
        for n, text in enumerate(_TEXTS)
    ]
    return [
        (new, [RelatedMemory(new.text, old, 0.8, judged=True) for old in some if old is not new])
        for new in some
    ]


def judged(some: list[Case]) -> list[tuple[object, ...]]:
    return [(each.verdict, vars(each).get("judgement")) for _, near in some for each in near]


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging_process, "usable_processors", lambda: 2)


def alone() -> list[tuple[object, ...]]:
    some = cases()
    judge(some)
    # Products of matrices round by how many rows they have.
    return [(verdict, found and pytest.approx(found, abs=1e-6)) for verdict, found in judged(some)]


def test_two_judge_as_one_does(two_cores: None) -> None:
    process = JudgingProcess()
    for _ in range(2):
        some = cases()
        process.judge(some)
        assert judged(some) == alone()
    assert process._process, "it is there, and was not lost"


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_one_that_is_lost_is_not_missed(two_cores: None) -> None:
    process = JudgingProcess()
    assert process._process
    os.kill(process._process.pid, signal.SIGKILL)
    some = cases()
    process.judge(some)
    assert judged(some) == alone()
    assert process._process is None
    process.judge(again := cases())
    assert judged(again) == alone()


def test_what_the_other_judged_is_not_judged_here_again(
    two_cores: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    process, here = JudgingProcess(), list[Memory]()

    def judge_here(some: list[Case]) -> None:
        here.extend(new for new, _ in some)
        judge(some)

    monkeypatch.setattr(judging_process, "judge", judge_here)
    process.judge(some := cases())
    assert judged(some) == alone() and here == [new for new, _ in some[::2]]


def test_many_are_judged_together_as_each_by_itself() -> None:
    some, each = cases() * 3, cases() * 3
    judge(some)
    for case in each:
        judge([case])
    assert len(some) > judging_process._AT_ONCE
    for (verdict, one), (alone, other) in zip(judged(some), judged(each), strict=True):
        assert verdict == alone and one == (other and pytest.approx(other, abs=1e-6))


def test_it_ends_with_who_made_it(two_cores: None) -> None:
    made = [JudgingProcess()]
    there = made[0]._process
    assert there and there.poll() is None
    made.clear()
    assert there.returncode == 0


@pytest.mark.parametrize("kind", ["fact", "preference"])
@pytest.mark.parametrize("text", [_TEXTS[2], _TEXTS[1]])
def test_all_is_judged_where_no_duplicate_settles_it(kind: Kind, text: str) -> None:
    """What says the same in the same kind decides alone; of another kind, or said otherwise, it does not."""
    new, near = cases()[0]
    some = [
        RelatedMemory(new.text, replace(near[0].memory, text=each, kind=kind), 0.8, judged=True)
        for each in (text, _TEXTS[5])
    ]
    judge([(new, some)])
    settled = text == _TEXTS[2] and kind == new.kind
    assert [("judgement" in vars(each)) for each in some] == [not settled] * 2


def test_with_one_core_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging_process, "usable_processors", lambda: 1)
    process = JudgingProcess()
    assert process._process is None
    process.judge(some := cases())
    assert judged(some) == alone()


def test_each_list_is_answered_in_its_order_until_none_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = [cases()[:2], cases()[2:3]]
    asked, said = BytesIO(b"".join(map(pickle.dumps, lists))), BytesIO()
    left: list[tuple[int, object]] = []
    monkeypatch.setattr(signal, "signal", lambda *given: left.append(given))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=asked))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=said))
    judging_process.main()
    # A Ctrl-C is for who waits for it.
    assert left == [(signal.SIGINT, signal.SIG_IGN)]
    said.seek(0)
    answers = [pickle.load(said) for _ in lists]
    assert said.read() == b"" and [len(each) for each in answers] == [2, 1]
    for some, answer in zip(lists, answers, strict=True):
        for (new, near), found in zip(some, answer, strict=True):
            judge([(new, near)])
            assert found == [judging_process._found(each) for each in near] and any(found)
