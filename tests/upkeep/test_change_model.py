"""Another model reads beside the one in use, and takes its place at once; what its vectors have in common."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memcli.embedding import Embedder
from memcli.embedding.models import DEFAULT_NAME, locate_model
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.model import ModelIdentity
from memcli.recall.ranking.floor import DEFAULT_CALIBRATION
from memcli.upkeep import change_model as changes
from memcli.upkeep.calibrate import calibrate_floor
from memcli.upkeep.change_model import abort_change, change_model, unfinished_change
from memcli.upkeep.health import examine_model
from memcli.write_policy.drafts import Draft
from tests.conftest import Run, TickingClock, faults, make_memories
from tests.standin import WIDTH, StandIn


class _Alike(StandIn):
    """A model all of whose vectors are alike: no cosine is below 0.7."""

    def _vector(self, text: str) -> NDArray[np.float32]:
        common = np.full(WIDTH, 2 / WIDTH**0.5, dtype=np.float32)
        vector = super()._vector(text) + common
        return vector / np.float32(np.linalg.norm(vector))


class _Interrupted(StandIn):
    """A model that is interrupted when it reads for the second time."""

    reads = 0

    def documents(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        self.reads += 1
        if self.reads == 2:
            raise KeyboardInterrupt
        return super().documents(texts)


def _filled(memories: Memories, number: int) -> list[str]:
    return [
        each.id
        for each in memories.remember_all([Draft(text=f"harp {n}, hall {n * 7}") for n in range(number)])
    ]


def _begun(memories: Memories, monkeypatch: pytest.MonkeyPatch, portion: int = 2) -> None:
    monkeypatch.setattr(changes, "_PORTION", portion)
    monkeypatch.setattr(memories.model, "_open_named", _Interrupted)
    with pytest.raises(KeyboardInterrupt):
        change_model(memories, "new")
    monkeypatch.setattr(memories.model, "_open_named", StandIn)
    memories.model._opened = None


def test_an_interrupted_change_goes_on_where_it_was_and_the_old_model_answers_meanwhile(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    _filled(memories, 5)
    _begun(memories, monkeypatch)
    begun = unfinished_change(memories)
    assert begun and (begun.model.name, begun.read, begun.total) == ("new", 2, 5)
    assert any(finding.name == "change" and "2 of 5" in finding.detail for finding in examine_model(memories))
    answer = memories.recall("harp 3", settings=memories.settings(min_score=0.0))
    assert answer.degraded is None and answer.hits
    memories.remember("written while the change was under way")
    seen: list[int] = []
    done = change_model(memories, "new", seen.append)
    assert (done.embedded, seen) == (4, [4, 6])
    assert [model.name for model in memories.store.models()] == ["new"]
    assert memories.recall("harp 3").degraded is None


def test_a_change_that_is_cut_short_again_and_again_ends(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No portion takes a slow model longer than some seconds, whoever grants it no more than those."""
    _filled(memories, 200)
    _begun(memories, monkeypatch, changes._PORTION)
    begun = unfinished_change(memories)
    assert begun and 0 < begun.read <= 128


def test_an_aborted_change_leaves_nothing(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    _filled(memories, 5)
    before = memories.store.model()
    _begun(memories, monkeypatch)
    with pytest.raises(BadInput, match=r"new is under way \(2 of 5"):
        change_model(memories, "third")
    ended = abort_change(memories)
    assert ended and ended.model.name == "new"
    assert memories.store.models() == [before]
    assert abort_change(memories) is None
    assert not faults(memories.store.check())


def test_who_is_aborted_by_another_ends(memories: Memories) -> None:
    _filled(memories, 5)
    with pytest.raises(BadInput, match="aborted meanwhile"):
        change_model(_with_model(memories, _Aborting(memories)), "new")
    assert len(memories.store.models()) == 1


class _Aborting(StandIn):
    """A model during whose reading another process aborts the change."""

    def __init__(self, memories: Memories) -> None:
        super().__init__("new")
        self._memories = memories

    def documents(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        abort_change(self._memories)
        return super().documents(texts)


class _Editing(StandIn):
    """A model during whose first reading a text is changed and a memory is added."""

    def __init__(self, memories: Memories, key: str) -> None:
        super().__init__("new")
        self._memories: Memories | None = memories
        self._key = key

    def documents(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        read = list(super().documents(texts))
        if memories := self._memories:
            self._memories = None
            [old] = memories.store.get([self._key])
            changed = replace(old, text="changed while it was read")
            memories.store.put([changed], None, memories.now())
        return iter(read)


def _with_model(memories: Memories, model: StandIn) -> Memories:
    memories.model._open_named = lambda name: model
    return memories


def test_a_text_that_changes_while_it_is_read_gets_no_vector_of_what_it_was(memories: Memories) -> None:
    kept = _filled(memories, 3)
    model = _Editing(memories, kept[1])
    change_model(_with_model(memories, model), "new")
    refs = memories.store.refs_by_id([kept[1]])
    [windows] = memories.store.vectors(list(refs.values())).values()
    assert np.frombuffer(windows[0], dtype="<f4") == pytest.approx(model._vector("changed while it was read"))


def test_a_process_that_has_the_old_model_open_goes_on_with_the_new(
    memories: Memories, own_home: Path, clock: TickingClock
) -> None:
    _filled(memories, 3)
    memories.recall("harp")
    with make_memories(own_home / "memory.db", clock) as other:
        change_model(other, "new")
    assert memories.recall("harp 1").degraded is None
    memories.remember("the new one reads this")
    assert [model.name for model in memories.store.models()] == ["new"]


def test_vectors_of_a_model_that_went_out_of_use_are_not_kept(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    _filled(memories, 3)
    old = memories.model.open()
    memories.store.put_vectors(ModelIdentity("other", "o", WIDTH), {})
    memories.store.use_model(ModelIdentity("other", "o", WIDTH))
    monkeypatch.setattr(memories.model, "open_bound", lambda: old)
    memories.remember("read by the old one, written under the new one")
    assert len(memories.store.without_vectors(ModelIdentity("other", "o", WIDTH), 10)) == 4


def test_a_model_whose_vectors_are_all_alike_tells_near_from_far_from_the_first_memory_on(
    own_home: Path, clock: TickingClock
) -> None:
    topics = ("tea from assam", "night trains", "city taxes", "red tulips", "table tennis", "the harbour")
    texts = [f"{topic} noted as {n} beside {n * 37}" for n in range(15) for topic in topics]
    with make_memories(own_home / "alike.db", clock, model=_Alike) as alike:
        alike.remember_all([Draft(text=text) for text in texts])

        def nearest(question: str) -> float:
            evidence = alike.recall(question).evidence
            assert evidence and evidence.meaning
            return evidence.meaning

        assert nearest("quantum chromodynamics lectures") < 0.4
        calibrate_floor(alike)
        assert nearest("quantum chromodynamics lectures") < 0.4
        assert nearest("red tulips noted as 7 beside 259") > 0.9
        assert len(alike.settings().common) == 4 * WIDTH


def test_the_floor_is_fitted_to_what_a_change_of_the_model_leaves(
    own_home: Path, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_memories(own_home / "changed.db", clock) as memories:
        _filled(memories, 60)
        monkeypatch.setattr(memories.model, "_open_named", _Alike)
        assert change_model(memories, "another").calibrated


def test_of_the_default_model_nothing_is_taken_off(
    own_home: Path, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> None:
    with make_memories(own_home / "default.db", clock, model=real_model) as memories:
        _filled(memories, 60)
        calibrate_floor(memories)
        assert memories.settings().common == b""


def test_the_floor_is_never_lower_than_for_texts_that_have_nothing_to_do_with_each_other(
    own_home: Path, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> None:
    texts = (Path(__file__).parent.parent.parent / "memcli/embedding/references.txt").read_text().splitlines()
    with make_memories(own_home / "default.db", clock, model=real_model) as memories:
        memories.remember_all([Draft(text=text) for text in (*texts, *(f"{each}!" for each in texts[:9]))])
        assert calibrate_floor(memories).nameless >= DEFAULT_CALIBRATION.nameless
        assert memories.recall("quantum chromodynamics").hits == []


def test_the_model_is_changed_and_kept_from_the_command_line(
    mem: Run, own_home: Path, tmp_path: Path
) -> None:
    mem("remember", "Tea is at four")
    folder = str(shutil.copytree(locate_model(DEFAULT_NAME).folder, tmp_path / "other"))
    with (tmp_path / "other" / "model.safetensors").open("r+b") as weights:
        weights.seek(-4, 2)
        weights.write(bytes(4))
    done = mem("model", "use", folder, "--json")
    record = json.loads(done.stdout)
    assert (record["before"], record["embedded"]) == ("all-MiniLM-L6-v2", 1), done.stderr
    assert mem("recall", "when is tea?").stderr == ""
    assert mem("model", "use", "--abort").stdout == "no change is under way\n"
    for wrong in ((), (folder, "--abort"), (" ",)):
        assert mem("model", "use", *wrong).returncode == 2
