"""A step is one file and one line: whatever fulfils the protocol is run, limited, reported and undone."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from memcli import app
from memcli.changes.undo import undo_change
from memcli.command_line import loading
from memcli.consolidation import registry, steps
from memcli.consolidation.portions import portions_of_news
from memcli.consolidation.proposals import ACTIONS, Proposal, proposal, propose_end
from memcli.consolidation.report import ProposalOutcome, ProposalStatus, RunReport
from memcli.consolidation.run import RunOptions, consolidate
from memcli.consolidation.step import Portion, Step, StepContext, UpkeepStep
from memcli.errors import Refused
from memcli.graph import proposed_links
from memcli.memories import Memories
from memcli.model import Memory
from tests.conftest import TickingClock
from tests.consolidation.test_steps import full


class HushStep(Step):
    """What a step's file holds: it looks at news, so it keeps a bookmark."""

    name = "hush"
    does = "ends what is written in capitals"
    actions = ("end",)

    def propose(self, run: StepContext) -> Iterator[Portion]:
        return portions_of_news(run, self, self._look)

    def _look(self, some: Sequence[Memory]) -> Iterator[Proposal]:
        for memory in some:
            if memory.text.isupper():
                yield propose_end(self.name, [memory], "pruned", "shouted")


class CountStep(UpkeepStep):
    name = "count"
    does = "says how many there are"

    def tend(self, run: StepContext) -> Iterator[str]:
        yield f"{len(list(run.memories.store.select(run.memories.within())))} counted"


class QuietStep(Step):
    """Ends each by itself, whoever may have ended it before, and all it asks about, too."""

    name = "quiet"
    does = "asks about what is there, and ends it"
    actions = ("ask", "end")

    def propose(self, run: StepContext) -> Iterator[Portion]:
        here = list(run.memories.store.select(run.memories.within(), order="oldest"))
        yield Portion([proposal(self.name, "ask", here[-2:], "do both hold?")])
        for memory in here:
            yield Portion([propose_end(self.name, [memory], "pruned", "quiet")])


def registered(monkeypatch: pytest.MonkeyPatch, *some: Step) -> None:
    """As if each were a file in `steps/`, and a line in the registry."""
    # Its help names the steps when it is imported: not these.
    loading.load_command("consolidate")
    for step in some:
        module = ModuleType(f"{steps.__name__}.{step.name}")
        vars(module)["STEP"] = step
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(registry, "STEP_NAMES", (*registry.STEP_NAMES, *(step.name for step in some)))


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """These two are steps of a run."""
    registered(monkeypatch, HushStep(), CountStep())


@pytest.mark.usefixtures("register")
def test_a_registered_step_is_run_reported_and_undone_like_any_other(memories: Memories) -> None:
    memories.remember("the shed is green")
    loud = memories.remember("THE GATE IS BLUE")
    options = RunOptions(steps=("hush",))
    [planned] = consolidate(memories, options._replace(dry_run=True)).outcomes
    assert (planned.proposal.memories, planned.status) == ((loud.id,), ProposalStatus.DRY_RUN)
    report = consolidate(memories, options)
    assert report.counts() == {"hush": {"end": 1}}
    assert memories.store.get([loud.id])[0].ended_why == "shouted"
    assert consolidate(memories, options).counts() == {}
    assert [memory.id for memory in undo_change(memories, report.run).memories] == [loud.id]
    assert memories.store.get([loud.id])[0].ended_at is None


@pytest.mark.usefixtures("register")
def test_a_registered_step_has_its_place_and_the_limit_of_the_run(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.remember("THE GATE IS BLUE")
    begun: list[str] = []
    stopped = consolidate(memories, RunOptions(steps=registry.STEP_NAMES, max_seconds=0))
    assert (stopped.counts(), stopped.upkeep) == ({}, [])
    assert stopped.stopped
    report = consolidate(
        memories,
        RunOptions(steps=registry.STEP_NAMES),
        progress=lambda step, done: begun.append(step) if not done else None,
    )
    assert begun == [*registry.STEP_NAMES]
    assert report.counts() == {"hush": {"end": 1}}


def test_what_a_step_would_end_no_later_one_proposes_in_a_dry_run_and_only_that(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(monkeypatch, HushStep(), QuietStep())
    loud, *owls = [memories.remember(text) for text in ("THE GATE IS BLUE", "an owl hoots", "a mill grinds")]
    options = RunOptions(steps=("hush", "quiet"))

    def proposed(report: RunReport) -> list[tuple[str, str, tuple[str, ...]]]:
        return [(o.proposal.step, o.proposal.action, o.proposal.memories) for o in report.outcomes]

    dry = proposed(consolidate(memories, options._replace(dry_run=True)))
    assert dry == [
        ("hush", "end", (loud.id,)),
        ("quiet", "ask", tuple(each.id for each in owls)),
        *(("quiet", "end", (each.id,)) for each in owls),
    ]
    assert dry == proposed(consolidate(memories, options))


@pytest.mark.usefixtures("register")
def test_upkeep_says_what_it_did_and_has_no_part_in_a_dry_run(memories: Memories) -> None:
    memories.remember("the shed is green")
    assert consolidate(memories, RunOptions(steps=("count",))).upkeep == ["1 counted"]
    assert consolidate(memories, RunOptions(steps=("count",), dry_run=True)).upkeep == []


@pytest.mark.usefixtures("register")
def test_the_command_knows_a_registered_step(memories: Memories, capsys: pytest.CaptureFixture[str]) -> None:
    memories.remember("THE GATE IS BLUE")
    path = memories.store.location
    memories.close()
    assert app.run(["consolidate", "--only", "hush", "--json", "--db", path]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == {"hush": {"end": 1}}


# The steps that there are


def test_a_step_is_the_module_of_its_name_and_every_module_is_registered() -> None:
    for name, step in zip(registry.STEP_NAMES, registry.all_steps(), strict=True):
        assert isinstance(step, Step)
        assert step.name == name
        assert type(step).__module__ == f"{steps.__name__}.{name}"
    [folder] = steps.__path__
    assert {path.stem for path in Path(folder).glob("*.py")} == {"__init__", *registry.STEP_NAMES}


def test_the_help_names_the_steps_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["consolidate", "--help"]) == 0
    assert f"(repeatable): {', '.join(registry.STEP_NAMES)}." in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("step", registry.all_steps(), ids=lambda step: step.name)
def test_a_step_says_in_a_line_what_it_does_and_what_it_may_propose(step: Step) -> None:
    assert step.does.strip() == step.does != ""
    assert "\n" not in step.does
    assert not step.does.endswith(".")
    assert set(step.actions) <= set(ACTIONS)
    assert bool(step.actions) != isinstance(step, UpkeepStep)


def test_no_step_does_what_it_does_not_declare(memories: Memories, clock: TickingClock) -> None:
    full(memories, clock)
    declared = {step.name: set(step.actions) for step in registry.all_steps()}
    counts = consolidate(memories).counts()
    assert counts.keys() == {name for name, actions in declared.items() if actions}
    assert all(declared[name].issuperset(did) for name, did in counts.items())


# How a proposal ended


def test_how_a_proposal_ended_is_never_read_from_its_note(memories: Memories) -> None:
    [asked] = [proposal("distil", "keep", [memories.remember("the shed is green")], "stated", memory={})]
    report = RunReport("run", "default", memories.now())
    report.add(ProposalOutcome(asked, ProposalStatus.REFUSED, note) for note in ("dry run", "asked already"))
    report.add(
        [
            ProposalOutcome(asked, ProposalStatus.REFUSED, "held for review: no"),
            ProposalOutcome(asked, ProposalStatus.HELD),
        ]
    )
    report.add(
        [
            ProposalOutcome(asked, ProposalStatus.KNOWN, "changed since"),
            ProposalOutcome(asked, ProposalStatus.PUT_OFF),
        ]
    )
    assert [outcome.note for outcome in report.refused] == ["dry run", "asked already", "held for review: no"]
    assert (report.held, report.put_off, len(report.outcomes)) == (1, 1, 5)


def test_a_refusal_that_is_worded_like_a_review_is_a_refusal(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object) -> str:
        raise Refused("held for review: not really", rule="test")

    monkeypatch.setattr(proposed_links, "submit_link", refuse)
    memories.remember("Nadia works at Helio")
    report = consolidate(memories, RunOptions(steps=("distil",)))
    assert (report.held, [outcome.note for outcome in report.refused]) == (0, ["held for review: not really"])


def test_a_scope_says_which_change_it_is_at_work_on(memories: Memories) -> None:
    assert memories.shared_change is None
    assert memories.change_id() != memories.change_id()
    run = memories.as_one_change("01RUN", "consolidation")
    assert (run.shared_change, run.change_id(), run.change("end").id) == ("01RUN",) * 3
    assert run.change("end").actor == memories.signed("consolidation")
    assert memories.shared_change is None
