"""What memcli can do, asked through the library."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli import open_memories
from memcli.config.location import Location
from memcli.errors import BadInput, ModelUnusable, NotFound
from memcli.memories import Memories
from memcli.model import Filter, ModelIdentity
from memcli.text.printable import is_blank
from memcli.upkeep import reindex
from memcli.upkeep.change_model import change_model
from memcli.upkeep.reindex import reindex_store
from memcli.upkeep.retrieval_checks import last_question
from memcli.upkeep.statistics import store_statistics
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions
from tests.conftest import TickingClock, faults, make_memories


def test_defaults_follow_the_source(memories: Memories) -> None:
    stated = memories.remember("the sky is blue")
    inferred = memories.remember(Draft(text="the sky may be green", source="inferred"))
    assert (stated.confidence, stated.importance, stated.space) == (1.0, 0.5, "default")
    assert inferred.confidence == 0.7
    assert stated.happened_at == stated.created_at


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        (Draft(text=""), "empty"),
        (Draft(text=" \n\t "), "empty"),
        (Draft(text="a\0b"), "NUL"),
        (Draft(text="\udcff"), "UTF-8"),
        (Draft(text="x" * 65537), "65,537.*65,536"),
        (Draft(text="x", confidence=1.01), "confidence"),
        (Draft(text="x", confidence=float("nan")), "confidence"),
        (Draft(text="x", importance=-0.1), "importance"),
        (Draft(text="x", kind="opinion"), "opinion.*fact"),
        (Draft(text="x", source="rumour"), "rumour"),
        (Draft(text="x", tags=("a\nb",)), "tag"),
        (Draft(text="x", space=" "), "space"),
        (Draft(text="x", session="s" * 999), "session"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_kept(
    memories: Memories, draft: Draft, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        memories.remember_all([Draft(text="good"), draft])
    assert list(memories.store.select(Filter(spaces=None, live=False))) == []


def test_the_largest_text_is_kept(memories: Memories) -> None:
    assert memories.remember("é" * 32768).text == "é" * 32768


def test_recall_says_what_found_it(memories: Memories) -> None:
    kept = memories.remember("the staging server listens on port 8443")
    [hit] = memories.recall("staging server").hits
    assert (hit.memory.id, hit.found_by) == (kept.id, ["words", "meaning"])
    assert 0 < hit.score <= 1
    answer = memories.recall("staging server", words_only=True)
    assert answer.degraded and answer.hits[0].found_by == ["words"]


def test_recall_leaves_a_trace_unless_told_not_to(memories: Memories) -> None:
    kept = memories.remember("the staging server")
    memories.recall("staging", touch=False)
    assert memories.find(kept.id).access_count == 0
    memories.recall("staging")
    after = memories.find(kept.id)
    assert after.access_count == 1 and after.accessed_at


def test_a_recall_does_not_wait_for_a_writer(memories: Memories, own_home: Path, clock: TickingClock) -> None:
    kept = memories.remember("the staging server")
    with make_memories(own_home / "memory.db", clock) as neighbour, neighbour.store.writing():
        assert memories.recall("staging").hits[0].memory.id == kept.id


def test_spaces_are_walls(own_home: Path, clock: TickingClock) -> None:
    with make_memories(own_home / "m.db", clock, space="work") as work:
        kept = work.remember("the staging server")
        assert work.recall("staging").hits
        with make_memories(own_home / "m.db", clock, space="home") as at_home:
            assert not at_home.recall("staging").hits
            assert at_home.recall("staging", at_home.within(spaces=None)).hits[0].memory.id == kept.id


def test_forgotten_is_out_of_every_recall_until_restored(memories: Memories) -> None:
    kept = memories.remember("the staging server")
    memories.end([kept.id], "outdated")
    assert not memories.recall("staging").hits
    assert not memories.recall("staging", words_only=True).hits
    assert memories.find(kept.id).ended_why == "outdated"
    assert memories.end([kept.id], "again") == []
    memories.restore([kept.id])
    assert memories.recall("staging").hits[0].memory.id == kept.id
    actions = [event.action for event in memories.store.history(kept.id)]
    assert actions == ["add", "end", "restore"]


def test_a_time_to_live_runs_out(memories: Memories, clock: TickingClock) -> None:
    memories.remember(Draft(text="the build is red", ttl=timedelta(hours=24)))
    assert memories.recall("build").hits
    clock.advance(hours=25)
    assert not memories.recall("build").hits


def test_ids_may_be_given_in_part(memories: Memories) -> None:
    first, second = memories.remember_all([Draft(text="one"), Draft(text="two")])
    assert memories.find(first.id[-6:]).id == first.id
    assert memories.find(second.id.lower()).id == second.id
    with pytest.raises(BadInput, match=f"{first.id}.*{second.id}"):
        memories.find(first.id[:6])
    with pytest.raises(BadInput, match="the id is empty"):
        memories.find("")
    for unknown in ("ZZZZZZ", "'; --", "x" * 99):
        with pytest.raises(NotFound):
            memories.find(unknown)


def test_long_memories_are_found_by_every_part(memories: Memories) -> None:
    kept = memories.remember("alpha " * 400 + "zebra " * 400)
    [vectors] = memories.store.vectors(list(memories.store.refs_by_id([kept.id]).values())).values()
    assert len(vectors) == 2
    assert memories.recall("zebra").hits[0].memory.id == kept.id


def test_another_model_never_mixes(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    memories.remember("the staging server")
    monkeypatch.setenv("MEMCLI_MODEL", "another")
    memories.model._opened = None
    with pytest.raises(ModelUnusable, match="mem model use another"):
        memories.remember("the production server")
    answer = memories.recall("staging")
    assert answer.degraded and "mem model use another" in answer.degraded
    assert answer.hits[0].found_by == ["words"]
    assert change_model(memories, "another").embedded == 1
    assert memories.recall("staging").degraded is None
    memories.remember("the production server")


def test_a_store_keeps_its_model_where_none_is_configured(memories: Memories) -> None:
    memories.remember("the staging server")
    change_model(memories, "another")
    memories.model._opened = None
    assert memories.model.open().identity.name == "another"
    assert memories.recall("staging").degraded is None


def test_reindexing_fills_gaps_and_rebuilds_all(memories: Memories) -> None:
    kept = memories.remember_all([Draft(text=f"item {n}") for n in range(5)])
    assert reindex_store(memories, missing_only=True) == 0
    memories.store.put([replace(kept[0], text="changed")], None, memories.now())
    assert reindex_store(memories, missing_only=True) == 1
    assert reindex_store(memories) == 5
    assert not faults(memories.store.check())


def test_vectors_of_a_model_that_serves_no_more_are_not_kept(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process had the store change its model while this one read."""
    monkeypatch.setattr(reindex, "BATCH", 1)
    memories.remember_all([Draft(text="tea"), Draft(text="gate")])
    other = ModelIdentity("other", "0" * 64, 4)
    with pytest.raises(ModelUnusable, match="embedded by the model other"):
        reindex.reindex_store(memories, progress=lambda done: memories.store.use_model(other))
    assert memories.store.model() == other


def test_other_weights_of_the_same_model_have_one_way_out(memories: Memories) -> None:
    memories.remember("tea")
    [bound] = memories.store.models()
    memories.store.use_model(bound._replace(weights="0" * 64))
    with pytest.raises(ModelUnusable, match=f"other weights of the model {bound.name}") as caught:
        memories.model.open_bound()
    assert f"`mem model use {bound.name}`" in str(caught.value) and "MEMCLI_MODEL" not in str(caught.value)


def test_the_recall_log_is_off_until_turned_on(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    memories.remember("the staging server")
    memories.recall("staging")
    assert store_statistics(memories)["recall"] == {"log": "off", "recalls": 0}
    monkeypatch.setenv("MEMCLI_RECALL_LOG", "on")
    memories.recall("staging")
    monkeypatch.setenv("MEMCLI_MIN_SURE", "1")
    memories.recall("nothing of the kind")
    monkeypatch.setenv("MEMCLI_MIN_SCORE", "0.9")
    memories.recall("nothing of the kind")
    figures = store_statistics(memories)["recall"]
    assert (figures["recalls"], figures["empty_share"], figures["weak_share"]) == (3, 0.3333, 0.3333)
    assert not any("query" in state.value for state in memories.store.states())
    monkeypatch.setenv("MEMCLI_RECALL_LOG", "query")
    memories.recall("staging")
    assert any(state.value.get("query") == "staging" for state in memories.store.states())


def test_a_recall_that_is_to_be_logged_waits_for_a_neighbour_who_writes(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, own_store: Location, clock: TickingClock
) -> None:
    memories.remember("the staging server")
    monkeypatch.setenv("MEMCLI_RECALL_LOG", "query")
    writes, done = threading.Event(), threading.Event()

    def neighbour() -> None:
        with make_memories(own_store, clock) as other, other.store.writing():
            writes.set()
            done.wait(0.3)

    thread = threading.Thread(target=neighbour)
    thread.start()
    assert writes.wait(10)
    memories.recall("staging")
    thread.join()
    assert last_question(memories) == "staging"


def test_statistics_count(memories: Memories) -> None:
    kept = memories.remember_all([Draft(text="one"), Draft(text="two", kind="episode", space="work")])
    memories.end([kept[0].id], "x")
    here = store_statistics(memories)
    assert (here["memories"], here["ended"], here["added_in_7_days"]) == (0, 1, 1)
    assert here["by_space"] == {} and list(here["bytes"]) == ["total"]
    figures = store_statistics(memories, all_spaces=True)
    assert (figures["memories"], figures["ended"]) == (1, 1)
    assert figures["by_kind"] == {"episode": 1} and figures["by_space"] == {"work": 1}
    assert figures["added_in_7_days"] == 2
    assert figures["bytes"]["total"] > 0


def test_the_library_opens_a_store_where_it_is_told(tmp_path: Path) -> None:
    with open_memories(tmp_path / "x.db", space="lib") as memories:
        assert memories.space == "lib" and memories.store.location == str(tmp_path / "x.db")


@settings(max_examples=40)
@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0\x1b\x9b"), min_size=1).filter(
        lambda t: not is_blank(t)
    )
)
def test_hostile_text_comes_back_as_it_was_and_is_found(memories: Memories, text: str) -> None:
    # By force: what an earlier example said is said again in other spacing.
    [decision] = admit_drafts(memories, memories.model, [Draft(text=text)], WriteOptions(force=True))
    kept = decision.memory
    assert memories.find(kept.id).text == text
    found = memories.recall(text, words_only=True, settings=memories.settings(limit=200, min_score=0.0))
    assert not found.candidates or kept.id in [hit.memory.id for hit in found.hits]
