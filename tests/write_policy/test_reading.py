"""What the gate asks the store, one question at a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from memcli.memories import Memories
from memcli.model import Memory, as_ended
from memcli.write_policy import held
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.originals import StoredOriginals
from memcli.write_policy.reader import StoreReader
from memcli.write_policy.related.lookup import RelatedMemories
from memcli.write_policy.rules import duplicates
from tests.conftest import TickingClock


def put(memories: Memories, text: str, **fields: Any) -> Memory:
    memory = replace(new_memory(memories, Draft(text=text, kind="fact")), **fields)
    put_embedded(memories, memories.model, [memory], memories.change("import"))
    return memory


@pytest.mark.parametrize(
    ("fields", "is_unchanged"),
    [({}, True), ({"importance": 0.9}, True), ({"text": "the mill grinds oats"}, False),
     ({"space": "elsewhere"}, False)],
)  # fmt: skip
def test_unchanged_is_what_says_the_same_where_it_was(
    memories: Memories, fields: dict[str, Any], is_unchanged: bool
) -> None:
    known = put(memories, "the mill grinds rye")
    now = replace(known, **fields)
    memories.store.put([now], memories.change("edit"), memories.now())
    here = StoreReader(memories.store).unchanged(known)
    assert (here is not None) is is_unchanged
    memories.store.put(
        [as_ended(now, memories.now(), "forgotten", "x")], memories.change("end"), memories.now()
    )
    assert StoreReader(memories.store).unchanged(known) is None
    memories.store.erase([known.id], memories.change("erase"), memories.now())
    assert StoreReader(memories.store).unchanged(known) is None


def test_a_rejection_is_of_what_was_rejected_and_of_its_kind(memories: Memories) -> None:
    store, now = memories.store, memories.now()
    one, other = (
        new_memory(memories, Draft(text=f"tea is {each}", kind="fact")) for each in ("red", "green")
    )
    for each in (one, other):
        held.hold_memory(store, Decision(action="hold", memory=each), memories.change("add"), now)
    held.note_rejected(store, one, now)
    assert held.rejection_of(store, replace(one, text="Tea is red.")) is not None
    assert held.rejection_of(store, other) is None
    assert held.rejection_of(store, replace(one, kind="preference")) is None
    assert held.rejection_of(store, replace(one, space="elsewhere")) is None
    # What waits still is there once; what was rejected is asked about anew.
    again = [
        held.hold_only_once(store, Decision(action="hold", memory=each, rule="r"), now).rule
        for each in (one, other)
    ]
    assert again == ["r", "duplicate"]


@pytest.mark.parametrize("number", [2, 3])
def test_in_a_rehearsal_each_counts_for_those_after_it_and_nothing_stays(
    memories: Memories, number: int
) -> None:
    drafts = [Draft(text=text, kind="fact") for text in ("the mill grinds rye", "The mill grinds rye.")]
    drafts += [Draft(text="the cat is black", kind="fact")] * (number - 2)
    decided = admit_drafts(memories, memories.model, drafts, dry_run=True)
    assert [each.action for each in decided][:2] == ["take", "reinforce"]
    assert not list(memories.store.select(memories.within(live=False)))


def test_of_what_was_forgotten_softly_the_last_is_meant(memories: Memories, clock: TickingClock) -> None:
    text = "the mill grinds rye"
    first, last = put(memories, text), put(memories, text)
    for each in (first, last):
        clock.advance(days=1)
        memories.end([each.id], "over")
    new = new_memory(memories, Draft(text=text, kind="fact"))
    # The one that was written first may be the one that was forgotten last.
    clock.advance(days=1)
    memories.restore([first.id])
    memories.end([first.id], "over again")
    related = RelatedMemories(memories.store, memories.now(), new, None)
    assert related.forgotten and related.forgotten.id == first.id


def test_what_was_written_in_a_session_or_through_a_door_counts_also_when_it_has_ended(
    memories: Memories, clock: TickingClock
) -> None:
    since = memories.now()
    put(memories, "said in s", session="s", ended_at=since)
    put(memories, "said in t", session="t", origin="mcp:a")
    put(memories, "said in s by another door", session="s", origin="mcp:a")
    put(memories, "said in none", origin="mcp:a")
    put(memories, "long ago", origin="mcp:b", created_at=since - timedelta(days=1))
    new = new_memory(memories, Draft(text="x", kind="fact"))
    in_s = replace(new, session="s")
    by_a, by_b = replace(new, origin="mcp:a"), replace(new, origin="mcp:b")

    def counted(like: Memory) -> int:
        return reader.written(like, since, lambda memory: True)

    reader = StoreReader(memories.store)
    assert [counted(each) for each in (in_s, by_a, by_b)] == [2, 3, 0]
    # What is being written counts for those behind it, of the same session or door.
    for each in (in_s, replace(in_s, origin="mcp:a"), by_a):
        reader.note_written(each)
    assert [counted(each) for each in (in_s, by_a, by_b)] == [4, 4, 0]


def test_what_was_printed_is_held_by_what_says_it_be_it_ended(memories: Memories) -> None:
    put(memories, "the mill grinds rye", ended_at=memories.now())
    put(memories, "an owl hoots")
    put(memories, "a barn is red", space="elsewhere")
    holds = StoredOriginals(memories.store, memories.space).holds
    assert [holds(text) for text in ("the mill grinds rye", "an owl hoots", "a barn is red", "a barn")] == [
        True, True, False, False,
    ]  # fmt: skip


# Both hold, however much alike a judge finds them.
TURNED_ROUND = [
    ("I owe Petra 40 euros for the concert", "Petra owes me 40 euros"),
    ("Petra has lent me the tent", "I have lent Petra the tent for the summer"),
    ("I trust Simon with the keys of the shop", "Simon trusts me with the keys"),
    ("Ich schulde Petra 40 Euro für das Konzert", "Petra schuldet mir 40 Euro"),
    ("J’ai prêté la tente à Petra pour l’été", "Petra m’a prêté la tente"),
    ("Le debo 40 euros a Petra por el concierto", "Petra me debe 40 euros"),
    ("Devo 40 euro a Petra per il concerto", "Petra mi deve 40 euro"),
    ("I am Tom's landlord in Leeds", "Tom is my landlord"),
    ("I am Hannah's godfather", "Hannah is my godmother"),
]


@pytest.mark.parametrize(
    ("near", "says"),
    [
        ({}, True), ({"verdict": "changed"}, True), ({"judged_by_model": False}, False),
        ({"same": 0.1}, False), ({"verdict": "same", "same": 0.0}, True), ({"kind": "preference"}, False),
        ({"kind": "preference", "verdict": "same"}, False), ({"text": "rye"}, False),
        ({"text": "mill turning", "new": "mill turns"}, True), ({"text": "mill", "new": "mill turns"}, False),
        ({"text": "does the old mill grind rye for us?"}, False),
        ({"text": "the mill grinds no rye for us"}, False),
        ({"text": "the mill grinds rye for us 2 days", "new": "it grinds rye for us on 3 days"}, False),
        # Who does it to whom, and what each alone has, a rule and a judge must both find the same.
        ({"text": "Ida owes me rye", "new": "I owe Ida rye"}, False),
        # … and so where one of them says more than the other, in any of the languages.
        *(({"text": one, "new": other}, False) for one, other in TURNED_ROUND),
        ({"text": "der Müller vertraut mir", "new": "ich vertraue dem Müller"}, False),
        ({"text": "Ida me debe centeno", "new": "yo le debo centeno a Ida"}, False),
        ({"text": "le debo centeno a Ida", "new": "Ida me debe centeno"}, False),
        ({"text": "die Mühle im Tal mahlt", "new": "die Mühle am Tal mahlt", "cosine": 0.95}, False),
        ({"text": "the mill grinds rye", "new": "the mill works on rye", "verdict": "same"}, True),
        ({"text": "the mill grinds rye", "new": "the mill works on rye", "verdict": "same",
          "same": 0.5}, False),
        ({"text": "the mill grinds rye", "new": "the mill works on rye", "verdict": "same",
          "same": 0.5, "judged_by_model": False}, True),
    ],
)  # fmt: skip
def test_a_judge_that_is_sure_says_the_same(memories: Memories, near: dict[str, Any], says: bool) -> None:
    text = near.get("new", "the old mill by the river grinds rye for us")
    new = new_memory(memories, Draft(text=text, kind="fact"))
    known = replace(
        new, text=near.get("text", "the old mill near the river grinds our rye"),
        kind=near.get("kind", "fact"),
    )  # fmt: skip
    given: Any = SimpleNamespace(
        memory=known, verdict=near.get("verdict", "different"),
        judged_by_model=near.get("judged_by_model", True), cosine=near.get("cosine", 0.8),
        judgement=SimpleNamespace(same=near.get("same", 0.99)),
    )  # fmt: skip
    case: Any = SimpleNamespace(memory=new, kind_is_open=False)
    grounds: Any = SimpleNamespace(settings=SimpleNamespace(judge_same=0.9))
    assert duplicates._says_the_same(given, case, grounds) is says
