"""No keyed value, no data of a memory or a link that an import lets in, nothing that waits ends a command."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from memcli import times
from memcli.errors import BadInput
from memcli.ids import id_source
from memcli.model import Filter, Kind, State
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


# What memcli writes into the data of a memory; ID and OTHER stand for ids of two that are there.
_OF_MEMORIES: dict[Kind, dict[str, Any]] = {
    "fact": {
        "updated_by": {"ID": [{"sort": "place", "about": ["rome"]}]}, "judged": {"lasting": 0.5},
        "merged_from": ["ID"], "overrides": ["secret:x"], "confirmed": ["cli"], "approved": {"by": "cli"},
        "cites": ["ID"], "replaced_by": "ID", "undated": True, "evidence": ["ID"],
    },
    "episode": {
        "role": "assistant", "folded": "ID", "folds": ["ID"], "resolves": "ID", "tool_call_id": "1",
        "tool_calls": [{"id": "1", "name": "f", "arguments": "{}"}], "length": 7, "keep": True, "name": "n",
        "context": "x", "actions": "x", "outcome": "x",
    },
    "procedure": {
        "name": "tide", "description": "x", "when": "x", "steps": ["a"], "checks": ["b"], "tools": ["c"],
        "files": {"run.sh": {"sha256": "0" * 64}}, "document": "# tide",
        "format": "markdown", "file": "tide.md", "version": 1, "note": None, "ok": 1, "failed": 0,
    },
    "policy": {
        "name": "quiet", "rule": "x", "enforcement": "hard", "patterns": ["x"], "when": ["a=b"],
        "unless": ["role=oncall"], "why": "x", "version": 1, "note": None,
    },
}  # fmt: skip
_OF_LINKS: dict[str, Any] = {
    "evidence": ["OTHER"], "origin": "mcp:x", "confirmed": 2, "changes": [{
        "at": "2026-05-01T00:00:00.000Z", "action": "edit", "reason": "x", "change": "ID",
        "before": {"valid_until": None, "evidence": ["ID", "OTHER"], "confidence": 0.5, "space": "default"},
    }],
}  # fmt: skip
_READING = (
    ("context",), ("recall", "where does Ann live now?"), ("recall", "Ann", "--json", "--explain"),
    ("session", "show", "s"), ("session", "messages", "s"), ("policy", "check", "deploy"),
    ("policy", "conflicts"), ("procedure", "list"), ("graph", "Ann"), ("audit",),
    ("graph", "Ann", "--as-of", "2026-04-01"), ("export", "--format", "md"), ("profile",),
    ("page", "-o", "page.html"), ("consolidate", "--dry-run"),
    ("forget", "--hard", "--query", "Ann lives", "--yes"), ("space", "rename", "default", "barn"),
)  # fmt: skip


def _named(value: Any, known: Mapping[str, str]) -> Any:
    """The value with the ids of memories that are there."""
    if isinstance(value, dict):
        return {known.get(name, name): _named(each, known) for name, each in value.items()}
    if isinstance(value, list):
        return [_named(each, known) for each in value]
    return known.get(value, value) if isinstance(value, str) else value


@pytest.mark.skipif(sys.platform == "win32", reason="CPU time is measured by signals")
@pytest.mark.parametrize("kind", [*_OF_MEMORIES, "link"])
def test_no_data_of_a_memory_or_a_link_ends_a_command(kind: Kind | Literal["link"]) -> None:
    from benchmarks.fuzz.ground import playground
    from benchmarks.fuzz.inputs import Input
    from memcli.storage.stores import open_store

    with playground() as place:
        place.renew()
        with closing(open_store(Path("memory.db"))) as store:
            memories = list(store.select(Filter(spaces=None, live=False)))
            here, other = (
                next(each for each in memories if each.text.startswith(text))
                for text in ("Ann lives in Rome", "Rent is 900")
            )
            known = {"ID": here.id, "OTHER": other.id}
            new_id = id_source()
            if kind == "link":
                [link] = store.links()
                data = _misshapen(_named(_OF_LINKS, known))
                links = (link._replace(id=new_id(times.now()), evidence=here.id, data=each) for each in data
                         if isinstance(each, dict))  # fmt: skip
                assert store.put_links(list(links)) > 50
            else:
                like = next((each for each in memories if each.kind == kind), here)
                given = _named(_OF_MEMORIES[kind], known)
                wrong = [{**like.data, name: each} for name in given for each in _misshapen(given[name])]
                made = [
                    replace(
                        like,
                        id=new_id(times.now()),
                        kind=kind,
                        session="s",
                        text=f"{like.text} {number}",
                        data=each,
                    )
                    for number, each in enumerate(wrong)
                ]
                assert store.put(made, None, times.now()) > 50
        for read in _READING:
            done = place.mem(Input("", read), after=1000)
            assert done.failure is None and done.status in (0, 1, 3), (read, done)


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
