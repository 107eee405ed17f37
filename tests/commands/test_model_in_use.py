"""The model in use is the one of the store, unless a setting names another: shown, and kept warm."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memcli.app import run
from memcli.config.location import Location, location_text
from memcli.memories import Memories
from memcli.model import ModelIdentity

if sys.platform == "win32":
    pytest.skip("nothing is kept warm on Windows", allow_module_level=True)

from memcli.warm import control


@pytest.fixture
def folder(memories: Memories, own_store: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a model to which the usual store is bound."""
    monkeypatch.setenv("MEMCLI_DB", location_text(own_store))
    folder = (tmp_path / "model").resolve()
    folder.mkdir()
    memories.store.use_model(ModelIdentity(str(folder), "0" * 64, 4))
    return folder


def _shown(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[str, str]:
    capsys.readouterr()
    assert run(["model", "show", "--json", *options]) == 0
    told = json.loads(capsys.readouterr().out)
    return told["model"], told["configured_by"]


def test_show_names_the_model_of_the_store(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert _shown(capsys) == (str(folder), "store")
    assert _shown(capsys, "--db", str(tmp_path / "none.db")) == ("all-MiniLM-L6-v2", "default")
    monkeypatch.setenv("MEMCLI_MODEL", "all-MiniLM-L6-v2")
    model, by = _shown(capsys)
    assert model == "all-MiniLM-L6-v2" and by != "store"


def test_a_warm_process_is_started_with_the_model_of_the_store(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []

    def start(idle: float | None, model: str) -> control.Found:
        held.append(model)
        return control.Found("name", 1, ours=True, told=None)

    monkeypatch.setattr(control, "start", start)
    assert run(["warm", "start"]) == 0
    monkeypatch.setenv("MEMCLI_DB", "/no/such/store.db")
    assert run(["warm", "start"]) == 0
    assert held == [str(folder), ""]
