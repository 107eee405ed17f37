"""Linking and unlinking: spellings, confirmation, validity, what is on record, aliases, merging stores."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memcli.errors import BadInput, NotFound
from memcli.graph import aliases, link_changes
from memcli.memories import Memories
from memcli.model import Filter, Link, State
from memcli.storage import areas
from memcli.text.naming import names
from memcli.upkeep.exchange.export import export_records
from memcli.upkeep.exchange.importer import Importer
from memcli.write_policy.drafts import Draft
from tests.conftest import TickingClock, make_memories
from tests.graph.graphs import YEAR, link, tree


def all_links(memories: Memories) -> list[Link]:
    return list(memories.store.links())


# Names


def test_spellings_of_a_name_are_one_entity_written_as_the_first_time(memories: Memories) -> None:
    link(memories, "Ann knows Straße")
    link(memories, "ANN likes ＴＥＡ")
    link(memories, "tea from STRASSE")
    assert [(each.subject, each.object) for each in all_links(memories)] == [
        ("Ann", "Straße"), ("Ann", "ＴＥＡ"), ("ＴＥＡ", "Straße"),
    ]  # fmt: skip
    assert tree(memories, "aNN", 1) == ["Ann", "├── knows → Straße", "└── likes → ＴＥＡ"]


@given(st.text(max_size=40))
@example("\x9b\x1f@")
@example("\x9b\xba")
@example("\x9b\xdf")
def test_a_key_is_its_own_key_whatever_the_form(name: str) -> None:
    key = names.spelling_key(name)
    assert names.spelling_key(key) == key
    assert names.spelling_key(unicodedata.normalize("NFD", name)) == names.spelling_key(
        unicodedata.normalize("NFC", name)
    )
    assert names.spelling_key(f"  {name}\n") == key


@pytest.mark.parametrize("name", ["", "  \n", "x" * 201, "a\0b", "\ud800", "\u200b", "\x1b"])
def test_what_cannot_be_a_name_is_refused(memories: Memories, name: str) -> None:
    with pytest.raises(BadInput, match="subject|object"):
        link_changes.link_entities(memories, name, "knows", "Bob")
    assert all_links(memories) == []


# Linking


def test_the_same_link_again_is_confirmed_not_doubled(memories: Memories) -> None:
    first = link(memories, "Ann knows Bob", confidence=0.6)
    again = link(memories, "ann KNOWS bob", confidence=0.5)
    assert (first.outcome, again.outcome) == ("added", "confirmed")
    [kept] = all_links(memories)
    assert kept.id == first.link.id and kept.confidence == 0.8 and kept.data["confirmed"] == 1
    for _ in range(9):
        link(memories, "Ann knows Bob", confidence=0.5)
    assert all_links(memories)[0].confidence == 0.99  # repetition makes nothing certain
    link(memories, "Ann knows Bob")
    assert all_links(memories)[0].confidence == 1


def test_evidence_is_united_and_the_same_memory_is_no_second_witness(memories: Memories) -> None:
    one, two = (memories.remember(Draft(text=f"{n} says so", confidence=0.5)) for n in "ab")
    assert link(memories, "Ann knows Bob", evidence=one).link.confidence == 0.5
    assert link(memories, "Ann knows Bob", evidence=one).outcome == "unchanged"
    both = link(memories, "Ann knows Bob", evidence=two).link
    assert (both.evidence, both.data["evidence"], both.confidence) == (one.id, [two.id], 0.75)
    memories.end([one.id], "wrong")
    assert tree(memories, "Ann") == ["Ann", "└── knows → Bob (confidence 0.75)"]
    memories.end([two.id], "wrong")
    assert tree(memories, "Ann") == ["Ann", "└── knows → Bob (confidence 0.75, evidence forgotten)"]
    with pytest.raises(BadInput, match="forgotten"):
        link(memories, "Ann knows Cay", evidence=one)


def test_instants_that_are_given_win_and_another_time_is_another_link(memories: Memories) -> None:
    link(memories, "Ann works_at Acme", since=YEAR[2010], until=YEAR[2012])
    second = link(memories, "Ann works_at Acme", since=YEAR[2020])
    assert second.outcome == "added"
    changed = link(memories, "Ann works_at Acme", since=YEAR[2019], until=YEAR[2024])
    assert changed.outcome == "changed" and changed.link.id == second.link.id
    assert [(e.valid_from, e.valid_until) for e in all_links(memories)] == [
        (YEAR[2010], YEAR[2012]), (YEAR[2019], YEAR[2024]),
    ]  # fmt: skip
    # Said again, after it was true, it is true from now on.
    anew = link(memories, "Ann works_at Acme").link
    assert anew.valid_from and anew.valid_from.year == 2026 and len(all_links(memories)) == 3
    with pytest.raises(BadInput, match="swap"):
        link(memories, "Ann works_at Beta", since=YEAR[2020], until=YEAR[2019])


def test_other_links_stay_true_unless_they_are_replaced(memories: Memories) -> None:
    link(memories, "Ann works_at Acme", since=YEAR[2020])
    link(memories, "Ann works_at Beta", since=YEAR[2024])
    assert len(tree(memories, "Ann")) == 3
    made = link(memories, "ann WORKS_AT Coop", since=YEAR[2025], replaces=True)
    assert [each.object for each in made.replaced] == ["Acme", "Beta"]
    assert tree(memories, "Ann") == ["Ann", "└── works_at → Coop (since 2025)"]
    assert tree(memories, "Ann", at=YEAR[2023]) == ["Ann", "└── works_at → Acme (since 2020, until 2024)"]
    wrong = link(memories, "Ann works_at Dell", since=YEAR[2025], replaces=True)
    assert wrong.replaced[0].ended_at  # was never true, then
    now = link(memories, "Ann works_at Echo", replaces=True)
    assert now.link.valid_from == now.replaced[0].valid_until


def test_unlinked_is_gone_revived_is_back_and_both_are_on_record(
    memories: Memories, clock: TickingClock
) -> None:
    made = link(memories, "Ann knows Bob", confidence=0.5)
    linked = clock.instant
    clock.advance(days=1)
    [ended] = link_changes.unlink_entities(memories, "ANN", "knows", "bob", reason="mistaken")
    assert ended.ended_at and ended.data["changes"][0]["reason"] == "mistaken"
    between = clock.instant
    with pytest.raises(NotFound, match="no link 'Ann knows Bob'; it has none"):
        link_changes.unlink_entities(memories, "Ann", "knows", "Bob")
    clock.advance(days=1)
    revived = link(memories, "Ann knows Bob")
    assert revived.outcome == "revived" and revived.link.id == made.link.id
    assert revived.link.confidence == 0.5
    for as_of, there in ((linked, 2), (between, 1), (clock.instant, 2), (YEAR[2020], 1)):
        assert len(tree(memories, "Ann", as_of=as_of)) == there, as_of


def test_as_of_shows_a_link_as_it_was_believed(memories: Memories, clock: TickingClock) -> None:
    link(memories, "Ann works_at Acme", confidence=0.4)
    then = clock.instant
    clock.advance(days=30)
    link(memories, "Ann works_at Acme", since=YEAR[2020], until=YEAR[2025], confidence=1)
    assert tree(memories, "Ann", as_of=then, at=then) == ["Ann", "└── works_at → Acme (confidence 0.4)"]
    assert tree(memories, "Ann", ended=True) == ["Ann", "└── works_at → Acme (since 2020, until 2024)"]


def test_unlinking_what_is_not_there_says_what_is(memories: Memories) -> None:
    link(memories, "Ann knows Bob")
    with pytest.raises(NotFound, match="there is: Ann knows Bob"):
        link_changes.unlink_entities(memories, "Ann", "likes", "Bob")
    with pytest.raises(NotFound, match="no entity 'Anne' in space 'default'; near: Ann;"):
        link_changes.unlink_entities(memories, "Anne", "knows", "Bob")
    assert len(link_changes.unlink_entities(memories, "Ann", "knows", "Bob", dry_run=True)) == 1
    assert len(tree(memories, "Ann")) == 2


def test_spaces_are_walls(memories: Memories, own_home: Path, clock: TickingClock) -> None:
    link(memories, "Ann knows Bob")
    aliases.add_aliases(memories, "Ann", ["Annie"])
    with make_memories(own_home / "memory.db", clock, space="work") as work:
        for name in ("Ann", "Annie"):
            with pytest.raises(NotFound):
                tree(work, name)
        elsewhere = memories.remember("Ann knows Bob well")
        with pytest.raises(NotFound, match="in space 'work'"):
            link(work, "Ann knows Bob", evidence=elsewhere)


# Aliases


def test_an_alias_is_the_entity_and_can_be_taken_back(memories: Memories) -> None:
    link(memories, "Robert works_at Acme")
    link(memories, "Bob knows Ann")
    assert aliases.add_aliases(memories, "robert", ["Bob", "Bobby"]) == ["Bob"]
    merged = ["Robert", "├── knows → Ann", "└── works_at → Acme"]
    for name in ("Robert", "bob", "BOBBY"):
        assert tree(memories, name) == merged
    assert tree(memories, "Ann") == ["Ann", "└── knows ← Robert", "    └── works_at → Acme"]
    assert link(memories, "Bobby works_at Acme").outcome == "confirmed"
    assert link(memories, "Bobby owns Bobcat").link.subject == "Robert"
    assert aliases.list_aliases(memories) == [("Robert", "Bob"), ("Robert", "Bobby")]
    aliases.remove_aliases(memories, ["BOB"])
    assert tree(memories, "Bob") == ["Bob", "└── knows → Ann"]
    with pytest.raises(NotFound, match="no alias 'Bob'"):
        aliases.remove_aliases(memories, ["Bob"])


def test_aliases_of_aliases_come_along_and_never_make_rings(memories: Memories) -> None:
    link(memories, "C knows Zoe")
    aliases.add_aliases(memories, "A", ["B"])
    aliases.add_aliases(memories, "B", ["A", "a"])  # the same already
    aliases.add_aliases(memories, "C", ["A"])
    assert aliases.list_aliases(memories) == [("C", "A"), ("C", "B")]
    assert tree(memories, "b") == ["C", "└── knows → Zoe"]
    with pytest.raises(BadInput, match="'B' is an alias of 'C' already"):
        aliases.add_aliases(memories, "Zoe", ["B"])


def test_what_an_import_brought_in_another_shape_is_passed_over(memories: Memories) -> None:
    now = memories.now()
    changes: list[Any] = [
        5, {}, {"at": "x", "before": {}}, {"at": "2027-01-01", "before": {"valid_from": "soon"}},
        {"at": "2027-01-01", "before": 5}, {"at": "2027-01-01", "before": {"evidence": "e"}},
    ]  # fmt: skip
    odd: list[dict[str, Any]] = [
        {"changes": changes},
        {"changes": 5},
        {"evidence": [5, {}]},
        {"confirmed": "x"},
    ]
    for n, data in enumerate(odd):
        made = Link(memories.new_id(now), "default", "a", "b", f"c{n}", None, 1, None, None, now, None, data)
        memories.store.put_links([made])
    for value in (5, {}, {"alias": "x", "of": 5}, {"of": "a"}):
        memories.store.put_state(State("default", areas.ALIAS.name, f"x{value}", value, 1, now, now))
    assert len(tree(memories, "a", as_of=now)) == len(tree(memories, "a", ended=True)) == 5
    assert aliases.list_aliases(memories) == [] and aliases.add_aliases(memories, "a", ["x"]) == []
    assert link(memories, "x b c3").link.data["confirmed"] == 1


# Export and import


def test_links_and_aliases_survive_export_and_stores_can_be_merged(
    memories: Memories, tmp_path: Path, clock: TickingClock
) -> None:
    link(memories, "Ann works_at Acme", since=YEAR[2024])
    link(memories, "Ann works_at Acme", confidence=0.5)
    link_changes.link_entities(memories, "\u202eevil\x1b[0m", "r\u200cs", "👩‍👩‍👧")
    aliases.add_aliases(memories, "Ann", ["Annie"])
    records = list(export_records(memories, Filter(spaces=None)))
    with make_memories(tmp_path / "other.db", clock) as other:
        link_changes.link_entities(other, "ANN", "knows", "Bob")
        report = Importer(other, "import:x").take((f"line {n}", dict(r)) for n, r in enumerate(records))
        assert report.refused == []
        assert {link.id for link in all_links(memories)} < {link.id for link in all_links(other)}
        assert len(tree(other, "annie")) == 3
        with pytest.raises(NotFound):
            tree(memories, "Bob")
    known = records[1]
    broken: list[dict[str, Any]] = [
        {"data": []}, {"id": 5}, {"evidence": {}}, {"created_at": None}, {"confidence": "1"},
        {"data": {"x": "\ud800"}}, {"subject": " "}, {"valid_from": "soon"},
    ]  # fmt: skip
    for wrong in broken:
        report = Importer(memories, "import:x").take([("line 1", {**known, **wrong}), ("line 2", known)])
        assert len(report.refused) == report.unchanged == 1
