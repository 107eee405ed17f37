"""What comes in is checked at the door, whichever it is: a bad line is named, the good ones are kept."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer._click.types import IntParamType

import memcli
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage import records
from memcli.text.shapes import read_json
from memcli.upkeep.exchange.export import export_records
from memcli.upkeep.exchange.importer import Importer
from memcli.upkeep.exchange.record_reader import read_records
from tests.conftest import Run

ALL = Filter(spaces=None, live=False)


def take(memories: Memories, *lines: str) -> dict[str, Any]:
    numbered = enumerate(lines, start=1)
    return Importer(memories, "import:test").take(read_records(numbered)).to_record()


@pytest.fixture
def memory(memories: Memories) -> dict[str, Any]:
    """A memory as an export has it, under another id."""
    memories.remember("Ann lives in Rome")
    [_, record, *_] = export_records(memories, ALL)
    return {**record, "id": "01M7ZHTTRXBEW3ZN19TA3AXSBW", "text": "Bob lives in Oslo"}


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ("access_count", "-1"),
        ("access_count", "true"),
        ("confirm_count", "1e3"),
        ("confirm_count", "1" * 30),
        ("confidence", "1e999"),
        ("confidence", '"1"'),
        ("importance", "NaN"),
        ("happened_at", '"0001-01-01T00:00:00+14:00"'),
        ("valid_until", '"9999-12-31T23:59:59-12:00"'),
        ("expires_at", "5"),
        ("created_at", "null"),
        ("session", "[]"),
        ("origin", "7"),
        ("tags", '["a", 1]'),
        ("tags", '["a", "a"]'),
        ("ended_why", '"\\ud800"'),
        ("ended_why", '"\\u0000"'),
        ("supersedes", '"x"'),
        ("data", "[]"),
        ("data", '{"a": ' * 200 + "1" + "}" * 200),
        ("data", '{"a": 1, "a": 2}'),
    ],
)
def test_each_field_of_a_memory_has_its_bounds(
    memories: Memories, memory: dict[str, Any], field: str, written: str
) -> None:
    bad = json.dumps({**memory, field: "HERE"}).replace('"HERE"', written)
    report = take(memories, bad, json.dumps(memory))
    assert (report["bad"], report["added"]) == (1, 1), report
    [said] = report["reasons"]
    assert said.startswith("line 1: ")
    assert any(word in said for word in (field, "valid JSON", "number", "UTF-8", "twice", "nested")), said


@pytest.mark.parametrize(
    "change",
    [
        {"at": "0001-01-01T00:00:00+14:00"},
        {"memory": "x"},
        {"after": {"confidence": "high"}},
        {"before": {"happened_at": "noon"}},
        {"before": {"tags": "a"}},
        {"change": 5},
        {"reason": ["x"]},
    ],
)
def test_a_line_of_history_can_be_undone_or_is_left_out(memories: Memories, change: dict[str, Any]) -> None:
    memories.remember("Ann lives in Rome")
    [_, event, *_] = export_records(memories, ALL, history=True)
    assert event["type"] == "event"
    report = take(memories, json.dumps({**event, **change}), '{"text": "Bob lives in Oslo"}')
    assert (report["bad"], report["added"]) == (1, 1) and next(iter(change)) in report["reasons"][0]


@pytest.mark.parametrize(
    ("area", "value"),
    [
        ("task", {"name": "k", "goal": 5, "started_at": "2026-01-01"}),
        ("task", {"x": 1}),
        ("checkpoint", {"id": "x"}),
        ("block", {"description": "", "max_chars": 2000, "versions": []}),
        ("held", {"memory": {"text": "x"}}),
        ("write-rules", {"effect": "never", "pattern": "("}),
        ("write-rules", {"effect": "perhaps", "tag": "x"}),
        ("recall-log", {"hits": {}, "ms": "x", "degraded": False}),
        ("session", {"task": ["x"]}),
        ("sessions", {"ended_at": "noon"}),
        ("alias", {"alias": "Ann"}),
        ("task-recalls", {"x": "often"}),
        ("proposed-link", {"subject": "a"}),
    ],
)
def test_a_keyed_value_has_the_shape_of_its_area(memories: Memories, area: str, value: Any) -> None:
    at = "2026-05-03T00:00:00.000Z"
    state = {"type": "state", "space": "default", "area": area, "key": "k", "value": value, "version": 1}
    report = take(memories, json.dumps({**state, "created_at": at, "updated_at": at}))
    assert report["bad"] == 1 and list(memories.store.states(None, area)) == []
    assert memories.recall("Ann").hits == []


def test_no_foreign_model_is_bound_to_the_store(memories: Memories, memory: dict[str, Any]) -> None:
    weights = "a" * 64
    models: list[Any] = [{"name": "x", "weights": weights, "dimensions": 0}, {"name": 5}, [], {"name": "x"}]
    for model in models:
        report = take(memories, json.dumps({"format": "memcli", "version": 2, "model": model}))
        assert report["bad"] == 1 and "model" in report["reasons"][0]
    for vectors in (["AAAA"], "x", ["%"], ["AADAfwAAwH8="]):
        with pytest.raises(BadInput, match="vectors"):
            records.check_vectors(vectors, 2)


def test_in_a_document_too_a_bad_record_costs_no_other(memories: Memories) -> None:
    good, bad = '{"text": "Ann lives in Rome"}', '{"text": "x", "confidence": NaN}'
    for document in (f"[{bad}, {good}]", f'{{"records":[\n{good},\n{bad}]}}'):
        report = take(memories, *document.split("\n"))
        assert report["bad"] == 1 and "NaN" in report["reasons"][0]
    assert [each.text for each in memories.store.select(ALL)] == ["Ann lives in Rome"]
    for document in (f"[{good}, {bad}", f"[{good} {bad}]", f"[{good},]x"):
        with pytest.raises(BadInput, match="not valid JSON"):
            take(memories, document)


@pytest.mark.parametrize(
    "text", ["NaN", "-Infinity", "1e999", "1" * 5000, '"\\udfff"', '{"a":1,"a":1}', "[" * 101 + "]" * 101]
)
def test_json_is_what_every_reader_takes_it_for(text: str) -> None:
    with pytest.raises(BadInput):
        read_json(text)
    assert read_json("[" * 100 + "]" * 100) and read_json('"\\ud83d\\ude00"') == "😀"


@pytest.mark.skipif(os.name == "nt", reason="zones are set otherwise there")
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Etc/GMT+12"])
def test_the_ends_of_the_calendar_are_told_in_every_zone(mem: Run, zone: str) -> None:
    environment = {**os.environ, "TZ": zone}
    assert (
        mem("remember", "It is so for ever", "--valid-until", "9999-12-31", env=environment).returncode == 0
    )
    assert mem("remember", "It was so", "--at", "0001-01-01", env=environment).returncode == 0
    assert mem("link", "a", "is", "b", "--since", "0001", "--until", "9999", env=environment).returncode == 0
    for read in (["list"], ["recall", "so"], ["export", "--format", "md"], ["graph", "a"], ["context"]):
        done = mem(*read, env=environment)
        assert done.returncode == (read == ["context"]) and not done.stderr, (read, done)


@pytest.mark.skipif(sys.platform == "win32", reason="CPU time is measured by signals")
@pytest.mark.parametrize("zone", ["America/New_York", "Pacific/Kiritimati"])
def test_what_was_said_at_the_ends_of_the_calendar_names_days_in_every_zone(zone: str) -> None:
    from benchmarks.fuzz.ground import playground
    from benchmarks.fuzz.inputs import Input

    said = ("2026-05-03: the dentist on Friday", "I must pay the rent by tomorrow", "Bob came 3 days ago")
    with playground() as place:
        for at in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"):
            place.renew()
            turns = "\n".join(json.dumps({"role": "user", "content": each, "time": at}) for each in said)
            done = [place.mem(Input("", ("session", "import", "-", "--session", "x"), turns.encode()), zone)]
            done += [place.mem(Input("", ("remember", each, "--at", at)), zone) for each in said]
            for read in (
                ("context",),
                ("recall", "what is due this week"),
                ("recall", "the week before 3 May"),
            ):
                done.append(place.mem(Input("", read), zone))
            assert [each.failure for each in done] == [None] * len(done)
            assert [each.status for each in done[:-2]] == [0] * (len(done) - 2)


def test_one_place_knows_of_local_time() -> None:
    # Year 1 and 9999 reach out of the calendar of some zone: `times.local` is ready for that.
    modules = Path(memcli.__file__).parent.rglob("*.py")
    asking = {path.name for path in modules if ".astimezone()" in path.read_text(encoding="utf-8")}
    assert asking == set()


def test_lines_of_a_batch_are_named_and_the_good_ones_kept(mem: Run) -> None:
    lines = [
        '{"text": "Ann lives in Rome"}',
        '{"text": "x", "ttl": "9000y"}',
        '{"text": "x", "confidence": 1e999}',
        '{"text": "x", "text": "y"}',
        '{"text": "x", "at": "0001-01-01T00:00:00+14:00"}',
        '{"text": "Bob lives in Oslo"}',
    ]
    done = mem("remember", "--batch", input="\n".join(lines) + "\n")
    assert done.returncode == 2 and len(done.stdout.split()) == 2
    assert [f"line {n}: " in done.stderr for n in range(1, 7)] == [False, True, True, True, True, False]


def test_settings_of_a_file_are_of_their_type(mem: Run, own_home: Path) -> None:
    bad = ["limit = [1]", "limit = true", f"limit = {10**30}", f"limit = {'1' * 5000}", f"x = {'[' * 2000}"]
    bad += ['turn_ttl = "99999999999"', 'task = "a\\u0000b"', "space = 1979-05-27"]
    for line in bad:
        (own_home / "config.toml").write_text(line)
        done = mem("config", "list")
        assert done.returncode == 2 and "config.toml" in done.stderr and done.stderr.count("\n") == 1, done


def _numbers(path: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any, list[Any]]]:
    """Each whole number that a command, or one below it, takes: its path, and the arguments beside it."""
    for name, below in getattr(command, "commands", {}).items():
        yield from _numbers((*path, name), below)
    named = [each for each in command.params if each.param_type_name == "argument"]
    for each in command.params:
        if isinstance(each.type, IntParamType):
            yield path, each, named[: named.index(each)] if each in named else named


@pytest.mark.skipif(sys.platform == "win32", reason="CPU time is measured by signals")
def test_every_whole_number_may_be_larger_than_anything_counts_to() -> None:
    from benchmarks.fuzz.ground import playground
    from benchmarks.fuzz.inputs import Input
    from memcli.command_line.loading import load_command
    from memcli.command_line.table import COMMANDS

    every = [each for name in COMMANDS for each in _numbers((name,), load_command(name))]
    assert len(every) > 20
    done = 0
    with playground() as place:
        place.renew()
        for path, parameter, beside in every:
            option = parameter.opts if parameter.param_type_name == "option" else []
            # Whatever a command asks for, one of these is there, so that it comes as far as the number.
            for word in ("deploy", "Ann", "owner", "crawl", "s", place.seeds.ids[0]) if beside else ("",):
                words = ["1" if isinstance(each.type, IntParamType) else word for each in beside]
                for number in map(str, (10**30, -(10**30), 10**400)):
                    typed = [option[0], number, "--", *words] if option else ["--", *words, number]
                    outcome = place.mem(Input("arguments", (*path, *typed)))
                    assert outcome.failure is None, (path, typed, outcome.failure)
                    assert number[0] != "-" or outcome.status == 2, (path, typed, outcome)
                    done += outcome.status == 0
    assert done > 20


@pytest.mark.skipif(sys.platform == "win32", reason="CPU time is measured by signals")
def test_a_few_thousand_hostile_inputs_do_no_harm(tmp_path: Path) -> None:
    from benchmarks.fuzz.campaign import TOGETHER, Campaign
    from benchmarks.fuzz.doors import DOORS
    from benchmarks.fuzz.ground import playground

    with playground() as ground:
        campaign = Campaign(15, list(DOORS), tmp_path, ground)
        # A whole store of them, read and consolidated at its end.
        campaign.run(0, TOGETHER)
        assert ground.seeds.ids and set(campaign.inputs) == set(DOORS)
        assert campaign.inputs.total() > 1000
    assert campaign.kinds == {}, [each.read_text() for each in tmp_path.iterdir()]


@pytest.mark.skipif(sys.platform == "win32", reason="CPU time is measured by signals")
def test_who_waits_for_ever_is_noticed_and_who_waits_for_a_listener_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from benchmarks.fuzz import ground
    from benchmarks.fuzz.inputs import Input
    from memcli.system import waiting

    with ground.playground() as place:
        place.renew()
        assert place.mem(Input("arguments", ("watch",)), "UTC").failure is None
        with monkeypatch.context() as patch:
            patch.setattr(ground, "_FOR_EVER", 0.5)
            patch.setattr(waiting, "wait_for_listener", lambda seconds, descriptor=None: True)
            failure = place.mem(Input("arguments", ("watch",)), "UTC").failure
    assert failure and "_Hang" in failure.kind
