"""What is carried: through the gate, once, and never over what its owner has said since."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memcli.changes.revision import correct_memory
from memcli.errors import Refused
from memcli.importers.by_space import SpacedCarrier
from memcli.importers.carrier import Carrier
from memcli.importers.records import LabelledText, Problem, Record, Relation, Statement, Turn
from memcli.importers.report import CarriedReport
from memcli.importers.source import Source
from memcli.memories import Memories
from memcli.model import Filter
from memcli.write_policy.owner_rules import OwnerRule
from memcli.write_policy.settings import WriteOptions
from memcli.write_policy.stored_rules import put_rule
from tests.conftest import Run, door_of
from tests.guards.exchanged import SECRET

SOURCE = Source("club", "", lambda path: False, lambda file: iter(()))
PASSWORD = "The door password is hunter2hunter2"


def _carry(memories: Memories, *records: Record, **options: object) -> CarriedReport:
    return Carrier(memories, SOURCE, **options).take(records)  # type: ignore[arg-type]


def _said(text: str, number: int = 1, role: str = "user") -> Turn:
    return Turn(f"f: line {number}", "talk", "A talk", str(number), role, text)


def test_a_dry_run_counts_and_writes_nothing(memories: Memories) -> None:
    records = (
        _said("Hello"), Statement("f", "s", "Ann lives in Oslo"), Relation("f", "Ann", "knows", "Bo"),
        LabelledText("f", "human", "Ann"), Problem("f: line 9", "broken"),
    )  # fmt: skip
    dry = _carry(memories, *records, dry_run=True)
    assert not list(memories.store.select(Filter(spaces=None, live=False))) and not list(
        memories.store.links()
    )
    wet = _carry(memories, *records)
    assert dry.to_record() == wet.to_record()
    again = _carry(memories, *records)
    assert (again.turns_known, again.statements_known, again.links_known, again.blocks_known) == (1, 1, 1, 1)
    assert again.turns_added + again.statements_added + again.links_added + again.blocks_set == 0


def test_a_secret_is_taken_out_of_what_was_said_and_refuses_a_statement(memories: Memories) -> None:
    records = (_said(PASSWORD), _said("Hello", 2), Statement("f: line 3", "s", PASSWORD))
    report = _carry(memories, *records)
    assert [line.split(" it ")[0] for line in report.refused] == ["f: line 3:"]
    assert report.turns_added == 2
    redacted = _carry(memories, *records, options=WriteOptions(redact=True))
    assert (redacted.turns_known, redacted.statements_added, redacted.refusals) == (2, 1, 0)
    assert "hunter2" not in json.dumps([each.to_record() for each in memories.store.select(Filter())])


def test_what_its_owner_corrected_or_forgot_stays_so(memories: Memories) -> None:
    _carry(memories, Statement("f", "1", "Ann lives in Oslo"), Statement("f", "2", "Bo sails a cutter"))
    first, second = sorted(memories.store.select(Filter()), key=lambda each: each.text)
    correct_memory(memories, first, "Ann lives in Bergen", WriteOptions())
    memories.end([second.id], "over")
    report = _carry(
        memories, Statement("f", "1", "Ann lives in Rome"), Statement("f", "2", "Bo sails a ketch")
    )
    assert (report.statements_known, report.statements_updated, report.statements_added) == (2, 0, 0)
    assert [each.text for each in memories.store.select(memories.within())] == ["Ann lives in Bergen"]


def test_a_known_fact_is_not_confirmed_by_a_file_that_is_read_twice(memories: Memories) -> None:
    kept = memories.remember("Ann lives in Oslo")
    for _ in range(2):
        assert _carry(memories, Statement("f", "1", "Ann lives in Oslo")).statements_known == 1
    assert memories.store.get([kept.id])[0].confirm_count == 0


def test_an_untrusted_file_has_no_say_in_what_is_its_owner_s(memories: Memories) -> None:
    report = _carry(
        memories, _said("Hello"), Statement("f", "s", "Ann lives in Oslo"),
        Relation("f", "Ann", "knows", "Bo"), LabelledText("f", "human", "Ann"), untrusted=True,
    )  # fmt: skip
    assert report.refusals == 1
    assert not any(each.trusted for each in memories.store.select(Filter(spaces=None)))
    assert [door_of(each.data["origin"]) for each in memories.store.links()] == ["import:club"]


def test_turns_stand_in_the_order_in_which_they_came(memories: Memories) -> None:
    _carry(memories, *(_said(f"word {number}", number) for number in range(30)))
    turns = sorted(memories.store.select(Filter()), key=lambda each: (each.happened_at, each.id))
    assert [each.text for each in turns] == [f"word {number}" for number in range(30)]


def test_who_interrupts_it_keeps_what_came_and_goes_on(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memcli.importers.carrier.BATCH", 10)
    turns = [_said(f"word {number}", number) for number in range(35)]

    def interrupted() -> object:
        yield from turns[:25]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Carrier(memories, SOURCE).take(interrupted())  # type: ignore[arg-type]
    report = _carry(memories, *turns)
    assert (report.turns_known, report.turns_added) == (20, 15)
    assert len({each.session for each in memories.store.select(Filter())}) == 1


def test_an_untrusted_origin_brings_untrusted_things_and_forces_nothing(mem: Run, tmp_path: Path) -> None:
    path = tmp_path / "facts.csv"
    path.write_text("text\nAnn lives in Oslo\n")
    agent = {**os.environ, "MEMCLI_ORIGIN": "mcp:robot"}
    assert mem("import", str(path), "--force", env=agent).returncode == 3
    assert mem("import", str(path), env=agent).returncode == 0
    [kept] = [json.loads(line) for line in mem("list", "--json").stdout.splitlines()]
    assert (kept["trusted"], door_of(kept["origin"])) == (False, "mcp:robot")


def test_an_untrusted_origin_does_not_begin_to_force(agent: Memories) -> None:
    """Before anything is read: a turn, say, passes by no other look at who forces."""
    with pytest.raises(Refused, match="--force overrides"):
        Carrier(agent, SOURCE, options=WriteOptions(force=True))
    assert not Carrier(agent, SOURCE, options=WriteOptions()).report.refused


def test_what_its_owner_wants_never_kept_comes_in_by_no_turn(memories: Memories) -> None:
    put_rule(memories, OwnerRule("ex", "never", pattern=r"\bKevin\b", why="we do not speak of him"))
    report = _carry(memories, _said("Kevin called"), _said("Hello", 2))
    assert [line.split(" says")[0] for line in report.refused] == ["f: line 1: your rule 'ex'"]
    assert report.turns_added == 1
    assert [each.text for each in memories.store.select(Filter())] == ["Hello"]


def test_data_without_a_bottom_is_left_out_and_named(memories: Memories) -> None:
    deep: dict[str, object] = {}
    for _ in range(20_000):
        deep = {"in": deep}
    report = _carry(memories, _said("Hello")._replace(data=deep), _said("Bye", 2))
    assert report.turns_added == 1 and "nested too deep" in report.problems[0]
    assert [each.text for each in memories.store.select(Filter())] == ["Bye"]


def test_no_space_is_named_by_a_secret_or_by_what_is_no_name(memories: Memories) -> None:
    some = [
        Statement("f: 1", "1", "Ann lives in Oslo", space=SECRET),
        Statement("f: 2", "2", "Ann sails", space=SECRET),
        Statement("f: 3", "3", "Bo lives in Bergen", space=" \x00 "),
        Statement("f: 4", "4", "Cy lives in Turku", space="work"),
    ]
    report = SpacedCarrier(memories, SOURCE).take(some)
    # Once for all that names it so, and what comes after it comes in.
    [refused] = report.refused
    assert refused.startswith("f: 1: the space holds a secret") and SECRET not in refused
    assert report.unreadable == 1
    found = memories.store.select(Filter(spaces=None))
    assert [(each.space, each.text) for each in found] == [("work", "Cy lives in Turku")]
