"""Why something is not among the hits: each reason, and that the numbers explain the order."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memcli import ids
from memcli.memories import Memories
from memcli.model import Change, Filter, Memory
from memcli.recall.misses import miss_reason
from memcli.storage import Store
from memcli.storage.stores import open_store
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run

NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)


def reasons(
    memories: Memories, query: str = "tea", where: Filter | None = None, limit: int = 10
) -> dict[str, str]:
    asked = memories.settings(limit=limit)
    answer = memories.recall(query, where, words_only=True, settings=asked, explain=True)
    return {miss.hit.memory.text: f"{miss.reason.name}: {miss.reason.detail}" for miss in answer.misses}


def test_each_filter_is_named_with_what_the_memory_has(memories: Memories) -> None:
    memories.remember(
        Draft(text="tea", kind="preference", tags=("food",), session="s", source="learned", importance=0.2,
              confidence=0.3, happened_at=NOW)
    )  # fmt: skip
    day = timedelta(days=1)
    for where, said in (
        ({"kinds": ("fact",)}, "kind: preference"),
        ({"tags": ("food", "ops")}, "tag: food"),
        ({"sessions": ("t",)}, "session: s"),
        ({"sources": ("explicit",)}, "source: learned"),
        ({"since": NOW + day}, "since: 2026-05-03 12:00"),
        ({"until": NOW - day}, "until: 2026-05-03 12:00"),
        ({"min_confidence": 0.5}, "min-confidence: 0.3"),
        ({"min_importance": 0.5, "min_confidence": 0.5}, "min-confidence: 0.3, min-importance: 0.2"),
        ({"trusted": False}, "trusted-only: trusted"),
    ):
        assert reasons(memories, where=memories.within(**where)) == {"tea": f"filtered: {said}"}


def test_what_is_no_longer_there_says_since_when_and_why(memories: Memories) -> None:
    old = memories.remember("tea is green")
    new = memories.remember("tea is black")
    memories.end([old.id], "it was wrong", "superseded", new.id)
    memories.end([memories.remember("tea is sold out").id], "it is back")
    memories.remember(Draft(text="tea is brewing", ttl=timedelta(minutes=1)))
    memories.remember(Draft(text="tea is 9 euros", kind="fact", valid_until=NOW + timedelta(minutes=1)))
    for _ in range(120):  # the clock ticks a second a look
        memories.now()
    assert reasons(memories) == {
        "tea is green": f"superseded: by {ids.short_id(new.id)}",
        "tea is sold out": "forgotten: it is back",
        "tea is brewing": "expired: 2026-05-03 12:01",
        "tea is 9 euros": "no longer true: until 2026-05-03 12:01",
    }


def test_what_stands_in_the_space_but_not_on_the_page(memories: Memories) -> None:
    memories.remember_all(
        [Draft(text=text) for text in ("tea in the cupboard", "tea at the shop", "coffee cup")]
    )
    found = reasons(memories, "tea cupboard", limit=1)
    assert found["tea at the shop"] == "below the floor: " or found["tea at the shop"] == "beyond the limit: "
    assert set(reasons(memories, "tea", limit=1).values()) == {"beyond the limit: "}
    drafts = [
        Draft(text="oolong is in the red tin"),
        Draft(text="oolong is in the red tin!"),
        Draft(text="Oolong is in the red tin"),
    ]
    twins = [
        decision.memory
        for decision in admit_drafts(memories, memories.model, drafts, WriteOptions(force=True))
    ]
    memories.remember("some oolong was grown by monks of Fujian, high up in their hills")
    answer = memories.recall("oolong", settings=memories.settings(limit=3), explain=True)
    [miss] = [miss for miss in answer.misses if miss.hit.memory.id in {twin.id for twin in twins}]
    assert miss.reason.name == "nearly the same as a better one"
    assert miss.reason.detail in {ids.short_id(twin.id) for twin in twins}


def test_nothing_irrelevant_is_listed_as_forgotten(memories: Memories) -> None:
    memories.end([memories.remember("tea is sold out").id], "")
    memories.remember("coffee is sold out")
    assert "tea is sold out" not in reasons(memories, "coffee")


def test_of_another_space_only_id_space_and_score_are_told(mem: Run) -> None:
    kept = mem("remember", "Green tea is in the vault", "--space", "work").stdout.strip()
    gone = mem("remember", "Green tea is poured away", "--space", "work").stdout.strip()
    assert mem("forget", gone, "--space", "work").returncode == 0
    mem("remember", "Green tea is in the cupboard")
    for arguments in (("green tea",), ("green tea", "--kind", "policy")):
        done = mem("recall", *arguments, "--explain", "--json")
        assert "vault" not in done.stdout and "poured" not in done.stdout and gone not in done.stdout
        last = json.loads(done.stdout.splitlines()[-1])
        [walled] = [miss for miss in last["misses"] if miss["reason"] == "other space"]
        assert walled.keys() == {"id", "space", "score", "reason", "detail"}
        assert (walled["id"], walled["space"]) == (kept, "work")
        shown = mem("recall", *arguments, "--explain")
        assert "vault" not in shown.stdout + shown.stderr
        assert "other space (work)" in shown.stdout + shown.stderr


def test_a_program_gets_the_misses_also_where_nothing_is_found(mem: Run) -> None:
    kept = mem("remember", "I prefer green tea", "--kind", "preference").stdout.strip()
    done = mem("recall", "green tea", "--kind", "policy", "--explain", "--json")
    assert done.returncode == 1
    last = json.loads(done.stdout)
    assert last.keys() == {"misses", "floor", "event", "degraded"}
    [miss] = last["misses"]
    assert (miss["id"], miss["reason"], miss["detail"]) == (kept, "filtered", "kind: preference")
    without = mem("recall", "green tea", "--kind", "policy", "--json")
    assert (without.returncode, without.stdout) == (1, "")


def test_what_the_budget_cut_is_a_miss_and_the_numbers_add_up(mem: Run) -> None:
    batch = "\n".join(f"tea note {n}: " + "leaf " * n for n in range(1, 9))
    mem("remember", "--batch", input=batch)
    plain = mem(
        "recall", "tea note", "--words", "--budget", "700", "--json", "--no-touch"
    ).stdout.splitlines()
    done = mem("recall", "tea note", "--words", "--budget", "700", "--json", "--explain", "--no-touch")
    *hits, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert [hit["id"] for hit in hits] == [json.loads(line)["id"] for line in plain]
    cut = [miss for miss in last["misses"] if miss["reason"] == "over the budget"]
    assert len(cut) + len(hits) == 8 and f"{len(cut)} more did not fit" in done.stderr
    explained = [each["explain"] for each in (*hits, *last["misses"])]
    assert all(abs(sum(each["parts"].values()) - each["total"]) < 1e-9 for each in explained)
    totals = [hit["explain"]["total"] for hit in hits]
    assert totals == sorted(totals, reverse=True)


MOMENTS = st.sampled_from([None, *(NOW + timedelta(days=days) for days in (-2, -1, 0, 1, 2))])
MEMORIES = st.builds(
    Memory,
    id=st.uuids().map(lambda one: one.hex), text=st.just("tea"), created_at=st.just(NOW),
    updated_at=st.just(NOW), happened_at=MOMENTS.filter(bool), ended_at=MOMENTS, expires_at=MOMENTS,
    valid_from=MOMENTS, valid_until=MOMENTS, kind=st.sampled_from(["fact", "policy"]),
    space=st.sampled_from(["a", "b"]), session=st.sampled_from([None, "s"]),
    tags=st.sampled_from([(), ("x",), ("x", "y")]), source=st.sampled_from(["explicit", "inferred"]),
    confidence=st.sampled_from([0.2, 0.8]), importance=st.sampled_from([0.2, 0.8]), trusted=st.booleans(),
)  # fmt: skip
FILTERS = st.builds(
    lambda **given: Filter(**given),  # noqa: PLW0108 - of a named tuple the other fields would be filled, too
    spaces=st.sampled_from([None, ("a",)]), kinds=st.sampled_from([(), ("fact",)]),
    tags=st.sampled_from([(), ("x",), ("x", "y")]), sessions=st.sampled_from([(), ("s",)]),
    sources=st.sampled_from([(), ("inferred",)]), since=MOMENTS, until=MOMENTS, created_since=MOMENTS,
    min_confidence=st.sampled_from([0.0, 0.5]), min_importance=st.sampled_from([0.0, 0.5]),
    trusted=st.sampled_from([None, True, False]), live=st.booleans(), at=st.just(NOW),
)  # fmt: skip


def test_a_reason_is_given_exactly_where_the_store_leaves_out(tmp_path: Path) -> None:
    store: Store = open_store(tmp_path / "store.db")

    @settings(max_examples=150)
    @given(st.lists(MEMORIES, min_size=1, max_size=5, unique_by=lambda memory: memory.id), FILTERS)
    def agrees(several: list[Memory], where: Filter) -> None:
        store.put(several, Change(action="add"), NOW)
        refs = store.refs_by_id([memory.id for memory in several])
        meant = store.filter_refs(list(refs.values()), where)
        for memory in several:
            assert (miss_reason(memory, where) is None) == (refs[memory.id] in meant)

    agrees()
    store.close()
