"""Texts are as alike to any model as to the default one, wherever two are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memcli.consolidation.pairs import PairFinder
from memcli.embedding import Embedder
from memcli.embedding import scale as scales
from memcli.embedding.scale import HIGH, MIDDLE, CosineScale, kept_scale, measured_scale, store_scale
from memcli.embedding.vectors import middle_and_high, unit_vectors
from memcli.memories import Memories
from memcli.model import Memory
from memcli.storage import areas
from memcli.tiers.policies.checks import check_action
from memcli.tiers.policies.conflicts import policy_conflicts
from memcli.tiers.policies.document import PolicyText
from memcli.tiers.policies.policies import Policies
from memcli.upkeep.audited_pairs import AuditedPairs
from memcli.upkeep.change_model import change_model
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from memcli.write_policy.related.batch import RelatedInBatch
from memcli.write_policy.related.lookup import NEAR_ENOUGH, RelatedLookup
from tests.conftest import TickingClock, make_memories
from tests.standin import WIDTH, StandIn

TEXTS = (
    "Ann keeps the harp in the hall",
    "invoices go out monthly",
    "quails nest beneath junipers",
    "Ann keeps the harp in the garden",
)


class Alike(StandIn):
    """A model all of whose vectors are alike: no cosine is below 0.7."""

    def _vector(self, text: str) -> NDArray[np.float32]:
        common = np.full(WIDTH, 2 / WIDTH**0.5, dtype=np.float32)
        vector = super()._vector(text) + common
        return vector / np.float32(np.linalg.norm(vector))


@pytest.fixture
def alike(own_home: Path, clock: TickingClock) -> Iterator[Memories]:
    """A store that such a model has filled from its first memory on."""
    with make_memories(own_home / "alike.db", clock, model=Alike) as memories:
        memories.remember_all([Draft(text=text) for text in TEXTS])
        yield memories


def test_the_scale_of_the_default_model_is_what_it_makes_of_the_references(
    real_model: Callable[[str], Embedder],
) -> None:
    embedder = real_model("")
    texts = scales._REFERENCES.read_text("utf-8").splitlines()[: scales._ENGLISH]
    rows = unit_vectors(np.concatenate([windows[:1] for windows in embedder.documents(texts)]))
    assert middle_and_high(rows) == pytest.approx((MIDDLE, HIGH), abs=0.001)
    assert measured_scale(embedder) is None


def test_a_scale_goes_there_and_back_and_what_is_the_same_stays_so() -> None:
    scale = CosineScale(np.zeros(2, dtype=np.float32), 0.1, 0.5)
    assert [scale.likeness(each) for each in (0.1, 0.5, 1.0, 1.1)] == pytest.approx([MIDDLE, HIGH, 1, 1])
    for likeness in (-0.2, MIDDLE, 0.2, HIGH, 0.55, 0.97, 1.0):
        assert scale.likeness(scale.cosine(likeness)) == pytest.approx(likeness)


def test_a_model_to_which_all_is_alike_still_orders() -> None:
    rows = np.ones((60, 3), dtype=np.float32) / np.float32(3**0.5)
    scale = scales._scale_of(rows, 60)
    assert np.isfinite([scale.middle, scale.high]).all() and scale.likeness(0.9) < scale.likeness(0.95)


def test_what_is_like_a_memory_is_told_from_what_is_not(alike: Memories) -> None:
    vectors = np.concatenate(list(alike.model.open().documents(TEXTS)))
    assert (vectors @ vectors.T).min() > 0.7
    found = {hit.memory.text: hit.score for hit in alike.similar(_by_text(alike)[0]).hits}
    assert found[TEXTS[3]] > 0.7 and found[TEXTS[1]] < 0.45 and found[TEXTS[2]] < 0.45


def test_the_night_and_the_audit_compare_on_the_same_scale(alike: Memories) -> None:
    some = _by_text(alike)
    pairs = PairFinder(alike).pairs(some, ("fact", "preference"), 0.55, 8)
    assert [{pair.older.text, pair.newer.text} for pair in pairs] == [{TEXTS[0], TEXTS[3]}]
    near = [{new.text, old.text} for new, old, _ in AuditedPairs(alike)._neighbours(some)]
    assert near == [{TEXTS[0], TEXTS[3]}]


@pytest.mark.parametrize("lookup", [RelatedLookup, RelatedInBatch])
def test_the_gate_looks_at_what_is_near_alone(alike: Memories, lookup: type[RelatedLookup]) -> None:
    text = "Ann keeps the harp in one hall"
    vector = next(iter(alike.model.open().documents([text])))[0].tobytes()
    new = replace(_by_text(alike)[0], id=alike.new_id(alike.now()), text=text)
    [related] = lookup(alike.store, alike.now()).of([(new, vector)], judged=False, scale=alike.model.scale())
    near = {each.memory.text for each in related.nearest if each.cosine >= NEAR_ENOUGH}
    assert near == {TEXTS[0], TEXTS[3]}


def test_policies_warn_of_and_contradict_what_is_near(alike: Memories) -> None:
    policies = Policies(alike)
    policies.add(PolicyText("harp", "Never move the harp from the hall"))
    policies.add(PolicyText("post", "Always send invoices on the first"))
    said = check_action(alike, "move the harp from the hall", {})
    assert [finding.policy.name for finding in said.findings] == ["harp"]
    assert policy_conflicts(alike, list(policies.live())) == []


def test_a_model_is_measured_when_the_first_memory_is_kept_and_not_in_a_rehearsal(
    own_home: Path, clock: TickingClock
) -> None:
    with make_memories(own_home / "new.db", clock, model=Alike) as memories:
        admit_drafts(memories, memories.model, [Draft(text=TEXTS[0])], dry_run=True)
        assert not list(memories.store.states((areas.CALIBRATIONS,), areas.COSINE_SCALE.name))
        memories.remember(TEXTS[0])
        model = memories.store.model()
        assert model and (scale := kept_scale(memories.store, model))
        assert scale.common.shape == (WIDTH,) and memories.settings().common
        memories.remember("quails nest beneath junipers")
        answer = memories.recall("quantum chromodynamics lectures")
        assert not answer.hits and answer.evidence and (answer.evidence.meaning or 0) < 0.4


def test_a_change_of_model_measures_the_new_one_though_there_are_few_memories(memories: Memories) -> None:
    memories.remember_all([Draft(text=text) for text in TEXTS])
    memories.model._open_named = Alike
    change_model(memories, "new")
    scale = store_scale(memories.store)
    assert scale and scale.common.any()


def test_of_a_store_whose_model_was_never_measured_its_own_vectors_tell(alike: Memories) -> None:
    for state in list(alike.store.states((areas.CALIBRATIONS,), areas.COSINE_SCALE.name)):
        alike.store.drop_state(state.space, state.area, state.key)
    assert store_scale(alike.store) is None
    alike.remember_all([Draft(text=f"{word} number {n}") for n in range(10) for word in "abcdefg".upper()])
    scale = store_scale(alike.store)
    assert scale and scale.common.any() and scale.middle < 0.5


def test_a_model_whose_unrelated_texts_are_far_apart_is_taken_as_it_is() -> None:
    scale = measured_scale(StandIn())
    assert scale and not scale.common.any()
    assert [scale.likeness(each) for each in (-0.1, 0.2, 0.9)] == pytest.approx([-0.1, 0.2, 0.9])


def test_a_scale_of_another_width_or_half_of_one_is_none(alike: Memories) -> None:
    model = alike.store.model()
    assert model
    for broken in ({"common": [1.0]}, {"common": [0.0] * WIDTH, "middle": 0.1}, {}):
        state = next(iter(alike.store.states((areas.CALIBRATIONS,), areas.COSINE_SCALE.name)))
        alike.store.put_state(state._replace(value=broken))
        assert kept_scale(alike.store, model) is None


def _by_text(memories: Memories) -> list[Memory]:
    known = {each.text: each for each in memories.store.select(memories.within())}
    return [known[text] for text in TEXTS if text in known]
