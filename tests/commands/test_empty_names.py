"""An empty name or id (an unset variable) means nothing: neither all, nor the first, nor what is at hand."""

from __future__ import annotations

import io
import json

import pytest

from memcli.app import run
from memcli.config.location import Location, location_text
from memcli.memories import Memories
from memcli.model import Filter

# {id}: a memory that is there. Every command that takes an id or a name, by argument and by option.
LINES = """
show @ | similar @ | recall --like @ | correct @ new | confirm @ | doubt @ | edit @ --tag t | why @
history @ | merge @ {id} | merge {id} @ | merge {id} {id} --keep @ | forget @ | forget --hard --yes @
forget --hard --yes {id} @ | restore @ | undo @ | space move @ --to other | remember words --replaces @
remember words --both-hold @ | remember words --same-as @ | log note words --resolves @
log note words --session @ | link Ann knows Bo --from @ | review accept @ | review reject @
review close @ {id} | check add words --expects @ | check remove @ | forget --hard --yes link/@
forget --hard --yes block/@ | rule remove @ | unlink @ knows Bo | graph show @ | graph path @ Bo
graph alias @ | graph alias @ Bo | block set @ words | block show @ | block delete @ | block restore @
session show @ | session end @ | session clear --yes @ | session clear --yes --session @
session export @ | session messages @ | session start @ | task start words --name @ | task switch @
task drop @ | task show --task @ | task end words --success --task @ | checkpoint show @
checkpoint clear @ | procedure show @ | procedure versions @ | procedure deprecate @ | policy show @
policy versions @ | policy remove @ | snapshot show @ | snapshot drop @ | snapshot rollback @
backup verify @ | backup restore @ | space forget --yes @ | list --session @ | show --space @ {id}
"""
COMMANDS = [line.strip() for line in LINES.replace("\n", "|").split("|") if line.strip()]


@pytest.fixture(autouse=True)
def own_commands(own_store: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_DB", location_text(own_store))


def _everything(memories: Memories) -> list[object]:
    found = memories.store.select(Filter(spaces=None, live=False))
    return [*found, *memories.store.links(), *memories.store.states(), *memories.store.history()]


@pytest.mark.parametrize("nothing", ["", " "])
def test_it_is_a_usage_error_and_nothing_is_done(
    memories: Memories, nothing: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    [kept] = [memories.remember("The boat is moored at pier nine")]
    monkeypatch.setattr("sys.stdin", io.StringIO())
    for line in (
        "log note words",
        "task start paint --name paint",
        "link Ann knows Bo",
        "block set me words",
    ):
        assert run(line.split()) == 0
    before = _everything(memories)
    wrong = []
    for line in COMMANDS:
        words = [word.replace("@", nothing).replace("{id}", kept.id) for word in line.split(" ")]
        capsys.readouterr()
        status = run([*words, "--json"] if "review" in line else words)
        said = capsys.readouterr()
        if status != 2 or said.out or len(said.err.splitlines()) > 1 + ("--json" in line):
            wrong.append((line, status, said.out, said.err))
    assert not wrong
    assert _everything(memories) == before


def test_batches_name_no_memory_by_nothing(
    memories: Memories, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.remember("The boat is moored at pier nine")
    lines = [{"text": "It is moored at pier ten", each: ""} for each in ("replaces", "same_as")]
    text = "\n".join(map(json.dumps, lines))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run(["remember", "--batch"]) == 2
    assert capsys.readouterr().err.count("the id is empty") == 2
    assert len(list(memories.store.select(Filter(spaces=None, live=False)))) == 1
