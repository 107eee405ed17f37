"""Links that consolidation proposes: cited, waiting, accepted or rejected, taken back with the run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Literal

import pytest

from memcli.changes.undo import undo_change
from memcli.consolidation.link_proposals import propose_links
from memcli.consolidation.reasoner import Conclusion
from memcli.consolidation.report import RunReport
from memcli.consolidation.run import RunOptions, consolidate
from memcli.errors import NotFound
from memcli.graph import proposed_links
from memcli.graph.link_changes import link_entities, unlink_entities
from memcli.graph.proposed_links import ProposedLink
from memcli.graph.questions import facts_about
from memcli.graph.walk import Graph, Lens, is_unsupported
from memcli.memories import Memories
from memcli.model import Memory
from memcli.storage import areas
from memcli.tiers.sessions.extracts import SummaryRequest
from memcli.upkeep.audit import audit_memories
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from tests.conftest import Run, TickingClock
from tests.erasure import erase_memories


def distil(memories: Memories) -> RunReport:
    return consolidate(memories, RunOptions(steps=("distil",)))


def waiting(memories: Memories) -> dict[str, ProposedLink]:
    return {each.statement: each for each in proposed_links.list_proposed_links(memories)}


def turn(memories: Memories, text: str, **fields: object) -> Memory:
    given = {"kind": "episode", "session": "s", "data": {"role": "user"}, **fields}
    return memories.remember(Draft(text=text, **given))  # type: ignore[arg-type]


def linked(memories: Memories) -> list[str]:
    return [
        f"{each.subject} {each.relation} {each.object}" for each in memories.store.links((memories.space,))
    ]


def test_relations_are_proposed_with_their_evidence_and_are_no_links_yet(memories: Memories) -> None:
    said = [
        memories.remember("Nadia works at Helio"),
        turn(memories, "Nadia works at Helio in Oulu. Bye!"),
    ]
    turn(memories, "Pablo works at Helio.", data={"role": "assistant"})
    assert distil(memories).counts() == {"distil": {"link": 1}}
    [each] = waiting(memories).values()
    assert [memory.id for memory in each.evidence] == [memory.id for memory in said]
    assert each.trusted
    assert linked(memories) == []
    assert [issue.remedy for issue in audit_memories(memories, ("review",))] == ["mem review list"]
    assert not distil(memories).counts()


def test_an_accepted_link_rests_on_its_evidence_and_a_rejected_one_never_comes_back(
    memories: Memories,
) -> None:
    said = memories.remember("Nadia works at Helio. Pablo is Nadia's brother.")
    distil(memories)
    found = waiting(memories)
    [made] = proposed_links.accept_links(memories, [found["Nadia works_at Helio"]])
    proposed_links.reject_links(memories, [found["Pablo brother_of Nadia"]])
    assert (made.link.evidence, made.link.confidence) == (said.id, 0.9)
    assert waiting(memories) == {}
    memories.remember("Pablo is Nadia's brother, and Nadia works at Helio")
    unlink_entities(memories, "Nadia", "works_at", "Helio")
    memories.remember("nowadays Nadia works at Helio")
    assert "distil" not in distil(memories).counts()


def test_what_is_known_keeps_nothing_else_from_being_proposed(memories: Memories) -> None:
    link_entities(memories, "Nadia", "works_at", "Helio")
    for said in ("Nadia works at Helio", "Pablo works at Orbital", "Nadia works at Helio, in Oulu"):
        turn(memories, said)
    distil(memories)
    assert [*waiting(memories)] == ["Pablo works_at Orbital"]


def test_undo_of_the_run_withdraws_what_nobody_decided_on(memories: Memories) -> None:
    memories.remember("Nadia works at Helio. Pablo is Nadia's brother.")
    report = distil(memories)
    proposed_links.accept_links(memories, [waiting(memories)["Nadia works_at Helio"]])
    undone = undo_change(memories, report.run)
    assert len(undone.withdrawn) == 1
    assert waiting(memories) == {}
    assert linked(memories) == ["Nadia works_at Helio"]
    with pytest.raises(NotFound):
        undo_change(memories, report.run)


def test_what_an_untrusted_memory_says_is_marked_and_supports_no_trusted_one(memories: Memories) -> None:
    turn(memories, "Nadia works at Helio.", trusted=False)
    distil(memories)
    [said] = waiting(memories).values()
    assert not said.trusted
    proposed_links.reject_links(memories, [said])
    trusted = memories.remember("Nadia works at Helio")
    distil(memories)
    [said] = waiting(memories).values()
    assert (said.trusted, [each.id for each in said.evidence]) == (True, [trusted.id])


def test_a_proposal_goes_with_its_evidence(memories: Memories) -> None:
    one = memories.remember("Nadia works at Helio")
    memories.remember("Pablo works at Orbital")
    distil(memories)
    erase_memories(memories, [one])
    assert "Helio" not in str([state.value for state in memories.store.states()])
    memories.end([each.id for each in memories.store.select(memories.within())], "forgotten")
    assert waiting(memories) == {}
    consolidate(memories, RunOptions(steps=("tend",)))
    assert not list(memories.store.states(area=areas.PROPOSED_LINK.name))


def test_a_link_outlives_the_turn_that_said_so_once_that_is_folded(
    memories: Memories, clock: TickingClock
) -> None:
    said = turn(memories, "Nadia works at Helio.")
    distil(memories)
    clock.advance(days=2)
    consolidate(memories)
    assert memories.store.get([said.id])[0].ended_at
    proposed_links.accept_links(memories, list(waiting(memories).values()))
    graph = Graph(memories.store, memories.space, Lens.at(memories.now()))
    assert [each.object for each in facts_about(graph, ["Nadia"])] == ["Helio"]
    clock.advance(days=120)
    consolidate(memories)
    assert memories.store.get([said.id])
    assert linked(memories) == ["Nadia works_at Helio"]


def test_a_link_stays_believed_when_its_evidence_is_merged_and_not_when_it_is_forgotten(
    memories: Memories,
) -> None:
    one = memories.remember("The Helio office is in Oulu")
    two = new_memory(memories, Draft(text="the Helio office is in Oulu.", kind="fact"))
    put_embedded(memories, memories.model, [two], memories.change("import"))
    made = link_entities(memories, "Helio", "based_in", "Oulu", evidence=one).link
    consolidate(memories, RunOptions(steps=("merge",)))
    graph = Graph(memories.store, memories.space, Lens.at(memories.now()))
    assert memories.store.get([one.id])[0].ended_at
    assert not is_unsupported(made, graph.evidence([made]))
    memories.end([each.id for each in memories.store.select(memories.within())], "forgotten")
    assert is_unsupported(made, graph.evidence([made]))


def test_a_relation_with_a_secret_in_it_is_not_proposed(memories: Memories) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    turn(memories, "Nadia knows Helio.")
    [said] = memories.store.select(memories.within())
    concluded = [Conclusion("Nadia knows", "fact", 0.95, [said.id], [("Nadia", "has_token", secret)])]
    consolidate(memories, RunOptions(steps=("distil",)), reasoner=Concludes(concluded))
    assert secret not in str([state.value for state in memories.store.states()])
    assert "Nadia knows Helio" in waiting(memories)


class Concludes:
    """A reasoner that concludes what it was given."""

    tokens = 0
    set_aside = ()

    def __init__(self, concluded: Sequence[Conclusion]) -> None:
        self._concluded = concluded

    def cost(self, turns: Sequence[Memory]) -> int:
        return 0

    def portions(self, turns: Sequence[Memory]) -> Iterator[list[Memory]]:
        yield from ([turn] for turn in turns)

    def summarise(self, fold: SummaryRequest) -> str:
        return "a summary"

    def distil(self, turns: Sequence[Memory]) -> list[Conclusion]:
        return list(self._concluded)

    def judge(self, older: Memory, newer: Memory) -> Literal["updates", "unclear"]:
        return "unclear"


def test_what_asking_will_cost_is_told_where_something_is_asked(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Concludes, "cost", lambda self, turns: 7 * len(turns))
    told: list[int] = []

    def night() -> None:
        consolidate(memories, RunOptions(steps=("distil",)), reasoner=Concludes([]), asking=told.append)

    night()
    assert told == []
    for said in ("Helio hired me in spring", "The logo is a heron"):
        turn(memories, said)
    night()
    night()
    assert told == [14]


def test_what_an_llm_relates_is_proposed_in_memclis_words(memories: Memories) -> None:
    said = turn(memories, "Helio hired me in spring")
    links = [("the owner", "works at", "Helio"), ("Helio", "Works-At", "helio")]
    fact = Conclusion("The owner works at Helio.", "fact", 0.95, [said.id], links)
    doubtful = Conclusion("The owner owns Helio.", "fact", 0.6, [said.id], [("the owner", "owns", "Helio")])
    report = consolidate(memories, RunOptions(steps=("distil",)), reasoner=Concludes([fact, doubtful]))
    assert report.counts() == {"distil": {"keep": 1, "link": 1}}
    assert [*waiting(memories)] == ["owner works_at Helio"]


def test_no_more_wait_than_somebody_goes_through(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposed_links, "MAX_PROPOSED_LINKS", 3)
    for name in ("Ada", "Bo", "Cy", "Di", "Ed"):
        memories.remember(f"{name} works at {name}corp")
    report = distil(memories)
    assert (len(waiting(memories)), report.put_off) == (3, 2)


def test_proposals_of_a_past_link_know_since_when(memories: Memories) -> None:
    memories.remember("Nadia works at Helio since March 2021")
    distil(memories)
    [made] = proposed_links.accept_links(memories, list(waiting(memories).values()))
    assert made.link.valid_from
    assert memories.now() - made.link.valid_from > timedelta(days=1000)


def test_the_review_lists_accepts_and_rejects_links_beside_memories(mem: Run) -> None:
    assert mem("remember", "Nadia works at Helio. Pablo is Nadia's brother.").returncode == 0
    assert "2 links proposed" in mem("consolidate").stdout
    lines = mem("review", "list").stdout.splitlines()
    assert [line.split()[1:5] for line in lines] == [
        ["link", "Nadia", "works_at", "Helio"], ["link", "Pablo", "brother_of", "Nadia"],
    ]  # fmt: skip
    one, two = (json.loads(line) for line in mem("review", "list", "--json").stdout.splitlines())
    assert one["evidence"][0]["text"].startswith("Nadia works")
    assert mem("review", "accept", one["id"]).returncode == 0
    assert mem("review", "reject", two["id"][-8:]).returncode == 0
    assert mem("review", "list").returncode == 1
    assert "works_at → Helio" in mem("graph", "Nadia").stdout
    assert mem("review", "accept", "nosuch").returncode == 1


@pytest.mark.parametrize("trusted_first", [True, False])
def test_of_two_that_say_it_the_trusted_one_is_the_evidence(memories: Memories, trusted_first: bool) -> None:
    said = [
        replace(new_memory(memories, Draft(text="Nadia works at Helio", kind="fact")), trusted=trusted)
        for trusted in (trusted_first, not trusted_first)
    ]
    [proposed] = propose_links(memories, "distil", said)
    assert list(proposed.memories) == [each.id for each in said if each.trusted]
