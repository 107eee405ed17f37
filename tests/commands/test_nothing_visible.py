"""A text in which nothing can be seen is an empty one, at every door through which texts come."""

from __future__ import annotations

import io
import json

import pytest

from memcli.app import run
from memcli.config.location import Location, location_text
from memcli.memories import Memories
from memcli.model import Filter

BLANK = "\u200b\u3164"
# @ is the text, {id} a memory.
LINES = """
remember @ | remember --force @ | remember -- - | correct {id} @ | log note @ | log user @ | block set b @
block append me @ | task start @ | task note @ | task push @ | task step add @ | task result r @
task phase @ | task constraint @ | task decide @ x | task decide x @ | task end --success @ | link @ knows Bo
link Ann @ Bo | link Ann knows @ | graph alias Ann @ | recall @ | procedure find @ | policy check @
policy add p --rule @ | check add @ --expects {id} | merge {id} {id} --text @ | remember words --tag @
remember words --session @ | snapshot create @ | space rename default @ | checkpoint save @ | forget --query @
edit {id} --tag @
"""
COMMANDS = [line.strip() for line in LINES.replace("\n", "|").split("|") if line.strip()]
FILES = (
    ("remember --batch", {"text": BLANK}),
    ("import -", {"text": BLANK}),
    ("session import -", {"role": "user", "content": BLANK}),
)


def _piped(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_it_is_refused_as_empty_and_nothing_is_kept(
    memories: Memories,
    own_store: Location,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MEMCLI_DB", location_text(own_store))
    kept = memories.remember("The boat is moored at pier nine")
    for line in ("task start paint --name paint", "block set me words"):
        assert run(line.split()) == 0
    store, wrong = memories.store, []

    def everything() -> list[object]:
        found = store.select(Filter(spaces=None, live=False))
        return [*found, *store.links(), *store.states(), *store.history()]

    before = everything()
    for line in COMMANDS:
        _piped(monkeypatch, BLANK)
        capsys.readouterr()
        status = run([word.replace("@", BLANK).replace("{id}", kept.id) for word in line.split()])
        said = capsys.readouterr()
        if status != 2 or said.out or len(said.err.splitlines()) > 1:
            wrong.append((line, status, said))
    for line, record in FILES:
        _piped(monkeypatch, json.dumps(record))
        if run(line.split()) != 2 or "the text is empty" not in capsys.readouterr().err:
            wrong.append((line, 0, capsys.readouterr()))
    assert not wrong
    assert everything() == before
