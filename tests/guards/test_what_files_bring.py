"""What an export brings is taken in only as far as it is newer, sound, its owner's, not forgotten."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from memcli.graph import link_changes
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage import areas
from memcli.tiers.context import blocks
from memcli.write_policy.forgotten_traces import remember_traces, thing_address
from memcli.write_policy.settings import WriteOptions
from tests.erasure import erase_memories
from tests.guards.exchanged import LONG, SAID, SECRET, exported, take

FORCED = WriteOptions(force=True)


def records(memories: Memories, kind: str, **options: Any) -> list[dict[str, Any]]:
    return [each for each in exported(memories, **options) if each.get("type") == kind]


def test_an_untrusted_file_replaces_no_link_of_its_owners(memories: Memories) -> None:
    link_changes.link_entities(memories, "Bob", "keeps", "geese")
    [link], [here] = records(memories, "link"), memories.store.links()
    report = take(memories, [{**link, "confidence": 0.1}], trusted=False)
    assert "trusted here" in report.refused[0] and [*memories.store.links()] == [here]
    assert take(memories, [{**link, "confidence": 0.1}]).refused == []
    assert [each.confidence for each in memories.store.links()] == [0.1]


def test_an_older_file_takes_nothing_back_that_was_changed_since(memories: Memories) -> None:
    link_changes.link_entities(memories, "Bob", "keeps", "geese")
    blocks.put_block(memories, "me", "I sail")
    older = [*records(memories, "link"), *records(memories, "state")]
    link_changes.unlink_entities(memories, "Bob", "keeps", "geese")
    blocks.put_block(memories, "me", "I row")
    newer = [*records(memories, "link"), *records(memories, "state")]
    assert take(memories, older).refused == []
    assert [*records(memories, "link"), *records(memories, "state")] == newer
    blocks.erase_block(memories, "me")
    assert blocks.blocks(memories) == []


def test_a_text_that_lost_a_secret_is_not_found_by_the_vector_it_had_with_it(memories: Memories) -> None:
    kept = memories.remember("the mill grinds rye")
    head, record = exported(memories, vectors=True)
    memories.store.erase([kept.id], memories.change("erase"), memories.now())
    own = base64.b64decode(record["vectors"][0])
    said = {**record, "text": f"the token is {SECRET}"}
    assert take(memories, [head, said], options=WriteOptions(redact=True)).refused == []
    [here] = memories.store.get([kept.id])
    [ref] = memories.store.refs_by_id([kept.id]).values()
    [vector] = memories.store.vectors([ref])[ref]
    assert (vector == own, vector) == (False, memories.model.embed([here])[kept.id][0])


def test_what_is_so_of_one_store_alone_comes_with_no_file(memories: Memories) -> None:
    blocks.put_block(memories, "me", "I sail")
    [state] = records(memories, "state")
    own = next(each for each in areas.ALL if not each.travels)
    report = take(memories, [{**state, "area": own.name, "space": "default", "value": {}}])
    assert "belongs to the store that noted it" in report.refused[0]
    assert not [*memories.store.states(area=own.name)]


def test_a_value_that_was_erased_comes_back_only_if_it_was_written_since(memories: Memories) -> None:
    blocks.put_block(memories, "me", "I sail")
    [state] = records(memories, "state")
    [here] = memories.store.states(area=areas.BLOCK.name)
    memories.store.drop_state(here.space, here.area, here.key)
    remember_traces(memories.store, memories.now(), things=[thing_address(here.space, here.area, here.key)])
    assert "forgotten for good" in take(memories, [state]).refused[0] and blocks.blocks(memories) == []
    assert take(memories, [state], options=FORCED).refused == []
    memories.store.drop_state(here.space, here.area, here.key)
    later = {**state, "updated_at": "2027-01-01T00:00:00.000Z"}
    assert take(memories, [later]).refused == [] and blocks.find_block(memories, "me").text == "I sail"


def test_what_was_erased_comes_back_in_no_other_words_and_with_no_line_of_history(memories: Memories) -> None:
    kept = memories.remember(SAID)
    link_changes.link_entities(memories, "Bob", "keeps", "geese")
    [memory], [event], [link] = (
        records(memories, kind, history=True) for kind in ("memory", "event", "link")
    )
    erase_memories(memories, [kept])
    [bare] = memories.store.links()
    memories.store.drop_links([bare.id])
    remember_traces(memories.store, memories.now(), things=[thing_address("link", bare.id)])
    again = [
        {**memory, "text": "the owl hoots"}, link,
        {**event, "before": {"importance": 0.5}, "after": {"importance": 0.1}},
    ]  # fmt: skip
    history = len([*memories.store.history(kept.id)])
    assert [line.count("forgotten for good") for line in take(memories, again).refused] == [1, 1, 1]
    assert not memories.store.get([kept.id]) and not [*memories.store.links()]
    assert len([*memories.store.history(kept.id)]) == history


@pytest.mark.parametrize("text", ["Ann sings", f"Bob told me: {SAID}"])
def test_a_value_says_nothing_that_was_forgotten_whole_or_within(memories: Memories, text: str) -> None:
    blocks.put_block(memories, "me", text)
    [state] = records(memories, "state")
    blocks.delete_block(memories, "me")
    erase_memories(memories, [memories.remember(SAID), memories.remember("Ann sings")])
    [here] = memories.store.states(area=areas.BLOCK.name)
    later = {**state, "updated_at": "2027-01-01T00:00:00.000Z"}
    assert "forgotten for good" in take(memories, [later]).refused[0]
    assert [*memories.store.states(area=areas.BLOCK.name)] == [here]


@pytest.mark.parametrize("name", ["session", "space", "origin", "tags"])
def test_no_name_in_a_line_of_history_is_a_secret(memories: Memories, name: str) -> None:
    kept = memories.remember("the mill grinds rye")
    [event] = records(memories, "event", history=True)
    after = {name: [SECRET] if name == "tags" else SECRET}
    report = take(memories, [{**event, "after": after}])
    assert "holds a secret" in report.refused[0] and SECRET not in str([*memories.store.history(kept.id)])


def test_a_memory_that_is_too_long_comes_with_no_file(memories: Memories) -> None:
    memories.remember("the mill grinds rye")
    [memory] = records(memories, "memory")
    [said] = take(memories, [{**memory, "text": LONG}]).refused
    assert "characters" in said or "bytes" in said
    assert [each.text for each in memories.store.select(memories.within())] == ["the mill grinds rye"]


def test_a_text_that_says_what_was_forgotten_softly_is_known_as_it_is(memories: Memories) -> None:
    kept = memories.remember("the mill grinds rye")
    memories.end([kept.id], "enough")
    drafts = [{"text": text} for text in (kept.text, "an owl hoots")]
    assert take(memories, drafts).unchanged == 1
    assert [each.text for each in memories.store.select(Filter())] == ["an owl hoots"]
