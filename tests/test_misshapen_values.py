"""No keyed value that an import lets in, and nothing that waits for review, ends a command."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memcli import times
from memcli.errors import BadInput
from memcli.model import State
from memcli.storage import areas
from memcli.storage.states import is_readable
from memcli.upkeep.health import examine_store
from memcli.write_policy.owner_rules import rule_from_record
from tests.conftest import make_memories

_WRONG: tuple[Any, ...] = (None, "", 5, [], {}, ["x"], {"x": None}, "(", True)


def _misshapen(value: Any) -> Iterator[Any]:
    """The value with each part of it, at any depth, missing, or of another type."""
    yield from _WRONG
    if isinstance(value, dict):
        for name, each in value.items():
            yield {key: other for key, other in value.items() if key != name}
            yield from ({**value, name: other} for other in _misshapen(each))
    elif isinstance(value, list) and value:
        yield from ([other, *value[1:]] for other in _misshapen(value[0]))


def _is_let_in(state: State) -> bool:
    """Whether an import lets it in: of a rule of writing it asks more than its shape."""
    if not is_readable(state):
        return False
    try:
        if state.area == areas.WRITE_RULES.name and state.value:
            rule_from_record({"name": state.key, **state.value})
    except BadInput:
        return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="CPU time is measured by signals")
def test_no_value_of_any_area_ends_a_reading_command() -> None:
    from benchmarks.fuzz.ground import playground
    from benchmarks.fuzz.inputs import Input
    from memcli.storage.stores import open_store

    reads = (
        ("context",), ("review", "list"), ("recall", "Ann"), ("stats",), ("task", "show"), ("rule", "list"),
        ("checkpoint", "list"), ("policy", "check", "deploy"), ("block", "list"), ("remember", "A red boat"),
    )  # fmt: skip
    with playground() as place:
        place.renew()
        store = open_store(Path("memory.db"))
        every = list({state.area: state for state in store.states()}.values())
        store.close()
        assert len(every) > 10
        for state in every:
            place.renew()
            store = open_store(Path("memory.db"))
            with store.writing():
                wrong = (state._replace(value=each) for each in _misshapen(state.value))
                let_in = [each.value for each in wrong if each.area == areas.HELD.name or _is_let_in(each)]
                for number, value in enumerate(let_in):
                    key = f"{state.key[:-3]}{number:03}" if number else state.key
                    store.put_state(state._replace(key=key, value=value))
            store.close()
            for read in reads:
                done = place.mem(Input("", read))
                assert done.failure is None and done.status in (0, 1), (state.area, read, done)
            told = place.mem(Input("", ("review", "list"))).err
            assert state.area != "held" or "left out" in told


def test_doctor_names_what_no_command_reads(tmp_path: Path) -> None:
    with closing(make_memories(tmp_path / "memory.db", times.now)) as memories:
        assert not [each for each in examine_store(memories) if each.name == "values"]
        now = memories.now()
        memories.store.put_state(State("default", areas.HELD.name, "lost", {"rule": "never"}, 1, now, now))
        [found] = [each for each in examine_store(memories) if each.name == "values"]
        assert not (found.ok or found.damage) and "held/lost" in found.detail
