"""What quotes or names the erased, sentence by sentence and field by field: by itself, without a store."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memcli.changes.forgetting import mentions, proof
from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.mentions import Mentions, sort_values, unnamed_files
from memcli.changes.forgetting.quotations import (
    Excerpts,
    distinctive_words_in,
    earlier_versions,
    quoting_derivatives,
    said_beside,
    strings_in,
    without_quotes,
)
from memcli.changes.forgetting.targets import Targets
from memcli.changes.revision import merge_memories
from memcli.errors import BadInput
from memcli.graph.link_changes import link_entities
from memcli.memories import Memories
from memcli.model import EVERYWHERE, Event, Link, Memory, State
from memcli.storage import areas
from memcli.storage.ledger import Clock, state_key
from memcli.text.naming.full_names import NameForms, full_name

AT = datetime(2026, 5, 3, 12, tzinfo=UTC)
TEXT = "Quentomar hides the ledger. Under the floor of the mill."


def memory(key: str, text: str = "the owl hoots", **fields: Any) -> Memory:
    return Memory(id=key, kind="fact", text=text, happened_at=AT, created_at=AT, updated_at=AT, **fields)


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        (TEXT, True), (TEXT.upper(), True), (f"He said: {TEXT} So!", True),
        ("He wrote: under the floor  of the mill. Yes", True), ("Quentomar hides the ledger.", True),
        ("Quentomar hid it", False), ("the mill", False), ("", False),
    ],
)  # fmt: skip
def test_a_text_whole_or_a_sentence_of_it_is_a_quotation(text: str, quotes: bool) -> None:
    assert Excerpts([TEXT]).quoted_in(text) is quotes
    assert Excerpts([TEXT]).as_json().quoted_in(text) is quotes


def test_a_short_text_is_quoted_by_itself_alone_and_nothing_by_nothing() -> None:
    assert Excerpts(["the pin"]).quoted_in(" The  pin")
    assert not Excerpts(["the pin"]).quoted_in("where the pin is kept")
    assert not Excerpts([" "]).quoted_in("") and not Excerpts([]).quoted_in("anything")


@pytest.mark.parametrize(
    ("text", "hints"), [("a ledger", True), ("QUENTOMAR", True), ("the mill of the", False), ("flour", False)]
)
def test_a_long_word_is_a_hint(text: str, hints: bool) -> None:
    assert Excerpts([TEXT]).hinted_at_in(text) is hints


@pytest.mark.parametrize(
    ("text", "others", "lent"),
    [
        ("Under the floor of the mill, it is", [], True), ("hides the ledger", [], True),
        ("a ledger of boats", [], True), ("a ledger of boats", ["the ledger"], False),
        # Whole or in part, whatever of its words others have too.
        (f"He said: {TEXT} So!", [f"He said: {TEXT} So!"], True), ("hides the ledger", [TEXT], True),
        ("ledger hides the", [TEXT], False),
        ("the sea is calm", ["the sea"], False),
    ],
)  # fmt: skip
def test_what_only_these_can_have_brought_is_lent(text: str, others: list[str], lent: bool) -> None:
    assert Excerpts([TEXT]).lent_to(text, others) is lent


def test_strings_are_found_however_deep_with_the_names_of_fields_or_without() -> None:
    value = {"a": ["b", {"c": "d"}], "e": 1}
    assert [*strings_in(value)] == ["a", "b", "c", "d", "e"]
    assert [*strings_in(value, names=False)] == ["b", "d"]
    assert distinctive_words_in({"hidden": ["2026-05-03T12:00:00.000Z", "ledger", "the"]}) == {"ledger"}


def test_what_a_memory_says_beside_its_text_leaves_out_why_it_was_changed() -> None:
    said = memory("1", session="s", tags=("t",), data={"note": "why", "folds": ["x"]})
    assert said_beside(said) == ["s", "t", "x"] and said_beside(memory("2")) == []


def test_the_versions_before_are_those_that_ended_all_the_way_back() -> None:
    a, b = memory("a", ended_at=AT), memory("b", ended_at=AT, supersedes="a")
    live, merged = memory("l"), memory("m", ended_at=AT, supersedes="gone")
    c = memory("c", supersedes="b", data={"merged_from": ["m", "l", "c"]})
    by_id = {each.id: each for each in (a, b, c, live, merged)}
    assert {each.id for each in earlier_versions([c], by_id)} == {"a", "b", "m"}
    assert earlier_versions([memory("d", data={"merged_from": "a"})], by_id) == []
    assert [each.id for each in earlier_versions([c, b], by_id)] != [] and "b" not in {
        each.id for each in earlier_versions([c, b], by_id)
    }


@pytest.mark.timeout(60)
def test_versions_that_an_import_has_name_each_other_are_each_found_once() -> None:
    """A file may say so: a ring is gone round once, and what two were made from is one."""
    ring = {key: memory(key, ended_at=AT, supersedes=before) for key, before in ("ab", "bc", "ca")}
    ring["m"] = memory("m", ended_at=AT, data={"merged_from": ["a", "b"]})
    now = memory("n", supersedes="a", data={"merged_from": ["m", "m", "n"]})
    assert sorted(each.id for each in earlier_versions([now], {**ring, "n": now})) == ["a", "b", "c", "m"]


def test_what_was_made_from_them_and_quotes_them_goes_by_way_of_others_too() -> None:
    gone = memory("a", TEXT)
    by_id = {
        each.id: each
        for each in (
            gone,
            memory("b", "Someone hides the ledger", data={"cites": ["a"]}),
            memory("c", "a ledger there is", data={"cites": ["b"]}),
            memory("d", "boats at sea", data={"cites": ["a"]}),
            memory("e", TEXT),
            memory("f", "a ledger of boats", data={"cites": ["a", "g"]}),
            memory("g", "the ledger of the boats"),
        )
    }
    assert [each.id for each in quoting_derivatives([gone], by_id)] == ["b", "c"]


def test_a_summary_keeps_the_lines_that_do_not_quote() -> None:
    gone, stays = memory("a", TEXT), memory("b", "boats at sea")
    summary = memory(
        "s", f"user: {TEXT}\nuser: boats at sea", data={"folds": ["a", "b"], "n": 1}, supersedes="z"
    )
    left = without_quotes(summary, [gone], {"b": stays})
    assert left and (left.text, left.data, left.supersedes) == (
        "user: boats at sea", {"folds": ["b"], "n": 1}, None,
    )  # fmt: skip
    earlier = {"b": stays, "z": memory("z", "earlier")}
    kept = without_quotes(summary, [gone], earlier)
    assert kept and kept.supersedes == "z"
    assert without_quotes(memory("s", f"user: {TEXT}\n", data={"folds": ["a"]}), [gone], {}) is None
    assert without_quotes(memory("s", "boats", data={"folds": "a"}), [gone], {}) is None


# What beside memories mentions them


def known(
    *, texts: tuple[str, ...] = (TEXT,), lost: set[str] | None = None, named: str = "", here: str = "default"
) -> Mentions:
    name = full_name(named)
    forms = [NameForms(name, frozenset({"full"}))] if name else []
    return Mentions(Excerpts(texts, forms), lost or {"vermeilion"}, {"quentomar"}, {"gone"}, {here})


def test_of_a_list_of_names_that_memcli_keeps_those_that_quote_go_and_of_a_space_all() -> None:
    names, other = (state(areas.CHECKPOINT, [TEXT, "boats", 7], key) for key in ("a", "b"))
    elsewhere = names._replace(space="barn")
    found = sort_values([names, elsewhere], None, set(), known(), set())
    assert found.trimmed == [names._replace(value=["boats", 7])]
    assert not (found.of_space or found.files or found.chosen or found.notes or found.quoting)
    whole = sort_values([other, elsewhere], "barn", set(), known(), {(other.space, other.area, other.key)})
    assert whole.of_space == [elsewhere] and whole.chosen == [other] and not whole.trimmed


def test_a_file_is_named_by_a_value_of_a_procedures_data_and_by_no_field() -> None:
    files = [state(areas.PROCEDURE_FILE, "x", key) for key in ("named", "field", "none")]
    away = files[2]._replace(space="barn")
    procedure = memory("p", data={"files": {"a.sh": "named"}, "field": 1})
    barn = replace(procedure, space="barn", data={"files": {"b.sh": "none"}})
    gone = unnamed_files([*files, away], [procedure, barn], {"default", "barn"})
    assert gone == {("default", areas.PROCEDURE_FILE.name, key) for key in ("field", "none")}
    assert unnamed_files([*files, away], [procedure], {"elsewhere"}) == set()


def state(area: areas.Area, value: Any, key: str = "k", space: str = "default") -> State:
    return State(space, area.name, key, value, 1, AT, AT)


def event(**fields: Any) -> Event:
    given: dict[str, Any] = {"reason": None, "before": None, "after": None, "actor": "cli"}
    return Event(number=1, at=AT, memory="m", action="edit", **{**given, **fields})


@pytest.mark.parametrize(
    ("noted", "goes"),
    [
        (state(areas.SET_ASIDE, {"claim": f"so {TEXT}"}), True),
        (state(areas.SET_ASIDE, {"claim": "a vermeilion one"}), True),
        (state(areas.SET_ASIDE, {"claim": "boats"}), False),
        (state(areas.SET_ASIDE, {"claim": TEXT}, space="barn"), False),
        (state(areas.SET_ASIDE, {"claim": TEXT}, space=EVERYWHERE), True),
        # What its owner wrote stays, and what memcli works by.
        (state(areas.BLOCK, TEXT), False), (state(areas.CHECKPOINT, TEXT), False),
        (state(areas.FORGOTTEN, TEXT), False),
        # By the ids that it holds: any of them, or all.
        (state(areas.RECALL_LOG, {"hits": {"gone": 1}}), True),
        (state(areas.RECALL_LOG, {"hits": {"other": 1}}), False),
        (state(areas.HELD, {"memory": {"data": {"cites": ["gone"]}}}), True),
        (state(areas.HELD, {"memory": {"data": {"cites": ["gone", "other"]}}}), False),
        (state(areas.HELD, {"memory": {"data": {"cites": []}}}), False),
        (state(areas.HELD, {"memory": {"data": None}}), False), (state(areas.HELD, ["gone"]), False),
        (state(areas.TASK_RECALLS, {"gone": 1}), False),
    ],
)  # fmt: skip
def test_a_note_of_memclis_goes_for_what_it_quotes_or_holds(noted: State, goes: bool) -> None:
    assert known().in_note(noted) is goes


@pytest.mark.parametrize(
    ("noted", "goes"),
    [
        (state(areas.SESSION, {}, "call with Ada Kovacs"), True), (state(areas.SESSION, {}, "monday"), False),
        (state(areas.SESSION, {}, "call with Ada Kovacs", "barn"), False),
        (state(areas.ALIAS, {"alias": "AK", "of": "Ada Kovacs"}), True),
    ],
)  # fmt: skip
def test_what_says_nothing_but_names_goes_with_whoever_it_names(noted: State, goes: bool) -> None:
    assert known(named="Ada Kovacs").in_note(noted) is goes


def test_what_stays_and_quotes_them_is_named() -> None:
    assert known().in_kept_value(state(areas.BLOCK, f"see: {TEXT}"))
    assert not known().in_kept_value(state(areas.SET_ASIDE, TEXT))
    assert not known().in_kept_value(state(areas.BLOCK, "boats"))
    # Hashes hold no text, whatever they look like.
    for area in (areas.FORGOTTEN, areas.FORGOTTEN_TRACE):
        assert not known().in_kept_value(state(area, TEXT, space=EVERYWHERE))
    assert not known(lost={"x"}).in_kept_value(state(areas.BLOCK, "a vermeilion one"))


def test_of_lists_that_memcli_works_by_the_entries_go_that_quote() -> None:
    names = ["boats", f"session {TEXT}", 7]
    trimmed = known().state_without_quotes(state(areas.CONSOLIDATION, names))
    assert trimmed.value == ["boats", 7]
    for untouched in (
        state(areas.CONSOLIDATION, ["boats", 7]), state(areas.CONSOLIDATION, {"a": TEXT}),
        state(areas.BLOCK, names), state(areas.CONSOLIDATION, names, space="barn"),
    ):  # fmt: skip
        assert known().state_without_quotes(untouched) is untouched


@pytest.mark.parametrize(
    ("stays", "says"),
    [
        (memory("1", TEXT), True), (memory("1", tags=(TEXT,)), True), (memory("1", session=TEXT), True),
        (memory("1", data={"note": TEXT}), False), (memory("1", data={"x": TEXT}), True),
        (memory("1"), False), (memory("1", TEXT, supersedes="gone"), True),
    ],
)  # fmt: skip
def test_a_memory_that_stays_and_says_the_same_is_known(stays: Memory, says: bool) -> None:
    assert known().in_memory(stays) is says


def test_a_later_version_without_the_name_is_not_theirs() -> None:
    by_name = known(named="Ada Kovacs")
    assert not by_name.in_memory(memory("1", TEXT, supersedes="gone"))
    assert by_name.in_memory(memory("1", TEXT)) and by_name.in_memory(
        memory("1", "Ada Kovacs did", supersedes="gone")
    )


def link(subject: str, relation: str, obj: str, space: str = "default", **data: Any) -> Link:
    return Link("l", space, subject, relation, obj, None, 1.0, None, None, AT, None, data)


@pytest.mark.parametrize(
    ("stays", "mentions_them"),
    [
        (link("Quentomar", "hides_the", "ledger."), True), (link("Ann", "owns", "QUENTOMAR"), True),
        (link("Ann", "owns", "vermeilion hat"), True), (link("Ann", "owns", "boats"), False),
        (link("Quentomar", "owns", "boats", "barn"), False),
    ],
)  # fmt: skip
def test_a_link_that_states_what_only_they_said_is_known(stays: Link, mentions_them: bool) -> None:
    assert known().in_link(stays) is mentions_them


@pytest.mark.parametrize(
    ("ends", "is_named"),
    [
        (("Ada Kovacs", "owns", "boats"), True), (("Ann", "owns", "Ada Kovacs"), True),
        (("Ann", "owns", "boats"), False), (("Ada Kovacs", "owns", "boats", "barn"), False),
    ],
)  # fmt: skip
def test_a_link_with_a_forgotten_name_at_an_end_is_known(ends: tuple[str, ...], is_named: bool) -> None:
    assert known(named="Ada Kovacs").is_named_link(link(*ends)) is is_named


def test_a_line_of_history_keeps_what_does_not_quote() -> None:
    before = {"text": TEXT, "tags": [TEXT, "boat"], "session": TEXT, "ended_why": "tired",
              "data": {"note": TEXT, "n": 1}, "space": "at Ada Kovacs", "origin": "cli:boat"}  # fmt: skip
    line = event(reason=f"for {TEXT}", before=before, after={"tags": ["boat"]}, actor="mcp:Ada Kovacs")
    left = known(named="Ada Kovacs").event_without_quotes(line)
    assert (left.reason, left.actor, left.after) == (None, "mcp:…", {"tags": ["boat"]})
    assert left.before == {**before, "tags": ["boat"], "session": None, "data": {"note": None, "n": 1},
                           "space": "at …"}  # fmt: skip
    for kept in (event(), event(reason="tired"), event(before={}, after={"data": {"note": 7}, "tags": 3})):
        assert known().event_without_quotes(kept) == kept


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({}, False), ({"reason": "r"}, True), ({"actor": "mcp:x"}, True), ({"before": {"tags": []}}, False),
        ({"after": {"tags": ["t"]}}, True), ({"before": {"session": "s"}}, True),
        ({"after": {"ended_why": "w"}}, True), ({"after": {"origin": "cli"}}, False),
        ({"after": {"origin": "mcp:x"}}, True), ({"after": {"data": {"note": "n"}}}, True),
        ({"after": {"data": {"note": None}}}, False), ({"after": {"data": "n"}}, False),
        ({"before": {"space": "s"}}, True), ({"after": {"space": "s"}}, False),
    ],
)  # fmt: skip
def test_a_line_is_looked_through_where_it_says_anything_beside_a_text(
    line: dict[str, Any], says: bool
) -> None:
    assert mentions.says_beside(event(**line)) is says


def test_a_memory_that_stays_loses_the_reasons_that_quote() -> None:
    one = memory("1", ended_why=TEXT, origin="mcp:Ada Kovacs", data={"note": TEXT, "n": 1})
    left = known(named="Ada Kovacs").memory_without_quotes(one)
    assert (left.ended_why, left.origin, left.data) == (None, "mcp:…", {"note": None, "n": 1})
    two = memory("2", ended_why="tired", data={"note": 7})
    assert known().memory_without_quotes(two) == two


@pytest.mark.parametrize(
    ("reason", "is_near"), [("the ledger of", True), ("vermeilion", True), ("he asked me", False)]
)
def test_the_reason_of_an_erasure_may_not_come_near(reason: str, is_near: bool) -> None:
    assert known().near_reason(reason) is is_near


def test_links_lose_the_reasons_that_quote_where_their_space_is_meant() -> None:
    reasons = {"changes": [{"action": "end", "at": "2026-05-03T12:00:00.000Z", "before": {}, "reason": TEXT}]}
    for space in ("default", "barn"):
        one = link("Ann", "owns", "boats", space, **reasons)
        assert (known().link_without_quotes(one) != one) is (space == "default")
    plain = link("Ann", "owns", "boats")
    assert known().link_without_quotes(plain) is plain


# What is looked for in the files


def test_pieces_of_a_text_are_looked_for_as_stored_and_in_json() -> None:
    needles = {*proof._text_needles(['say "Quentomarovich" twice, at least'])}
    assert {b'say "Quentomarovich" twice, at least', b'say \\"Quentomarovich\\" twice, at least'} <= needles
    assert {b"Quentomarovich", b"quentomarovich", b"arovich"} <= needles
    assert b"twice" in needles and b"say" not in needles and b"at" not in needles
    assert {*proof._text_needles(["abc"])} == set() and {*proof._text_needles(["abcdef"])} == {b"abcdef"}


def test_of_a_vector_no_slice_of_zeros_is_looked_for() -> None:
    telling = bytes(range(100))
    assert [*proof._slices([telling])] == [telling[:64], telling[50:], telling[36:]]
    assert [*proof._slices([bytes(256)])] == [] and [*proof._slices([bytes(range(8)) * 32])] == []


def test_an_erasure_leaves_no_note_of_a_sync_of_what_goes(memories: Memories) -> None:
    kept = memories.remember("Quentomar owns the mill")
    made = link_entities(memories, "Quentomar", "owns", "mill", evidence=kept).link
    held = State("default", areas.RECALL_LOG.name, "one", {"hits": {kept.id: 1.0}}, 1, AT, AT)
    memories.store.put_state(held)
    name = state_key("default", areas.RECALL_LOG.name, "one")
    noted = [("link", made.id), ("state", name)]
    with memories.store.writing():
        memories.store.put_clocks([Clock(kind, key, 1, "", {}) for kind, key in noted])
    assert all(memories.store.clocks(kind, [key]) for kind, key in noted)
    erase(memories, Targets([kept], links=frozenset({made.id})))
    assert [memories.store.clocks(kind, [key]) for kind, key in noted] == [{}, {}]
    assert not [*memories.store.links()] and not [*memories.store.states(area=areas.RECALL_LOG.name)]


def test_of_nothing_nothing_is_merged(memories: Memories) -> None:
    kept = memories.remember("the mill grinds rye")
    for some in ([], [kept], [kept, kept]):
        with pytest.raises(BadInput, match="two different"):
            merge_memories(memories, some)
