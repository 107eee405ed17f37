"""The metadata for Datasette: it names what is in the file, and all of it."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from memcli.views.datasette import datasette_metadata
from tests.conftest import Run


def test_every_table_is_described_or_hidden_and_every_name_is_there(mem: Run, own_home: Path) -> None:
    assert mem("remember", "I drink tea").returncode == 0
    told = json.loads(mem("path", "--datasette").stdout)["databases"]
    assert list(told) == ["memory"]
    database = told["memory"]
    with sqlite3.connect(own_home / "data" / "memory.db") as store:
        there = {
            name: {row[1] for row in store.execute(f"PRAGMA table_info({name})")}
            for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        }
        for query in database["queries"].values():
            assert store.execute(query["sql"], {"day": "2026-11-21"}).fetchall() is not None
    store.close()
    # Datasette hides by itself what belongs to an index of words.
    assert {name for name in there if not name.startswith("word_index_")} == set(database["tables"])
    for name, table in database["tables"].items():
        assert set(table.get("columns", ())) <= there[name], name
        columns = [each for each in table.get("facets", ()) if isinstance(each, str)]
        columns += [
            each for facet in table.get("facets", ()) if isinstance(facet, dict) for each in facet.values()
        ]
        columns += [table[key] for key in ("sort_desc", "label_column") if key in table]
        assert set(columns) <= there[name], name
        assert table.get("hidden") or (table["title"] and table["description"])
    assert len(database["tables"]["memories"]["columns"]) > 15


def test_what_is_private_is_said_where_it_is_looked_at() -> None:
    told = datasette_metadata("mine")
    for text in (told["description"], told["databases"]["mine"]["description"]):
        assert "Private" in text and "datasette publish" in text and "127.0.0.1" in text


@pytest.mark.skipif(shutil.which("datasette") is None, reason="Datasette is not installed here")
def test_datasette_takes_it(mem: Run, own_home: Path, tmp_path: Path) -> None:
    assert mem("remember", "I drink tea").returncode == 0
    about = tmp_path / "metadata.json"
    about.write_text(mem("path", "--datasette").stdout)
    store = str(own_home / "data" / "memory.db")
    for page, text in (
        ("/memory", "datasette publish"),
        ("/memory/facts", "I drink tea"),
        ("/memory/growth", "month"),
    ):
        shown = subprocess.run(
            ["datasette", store, "-m", str(about), "--get", page], capture_output=True, text=True, timeout=60
        )
        assert shown.returncode == 0 and text in shown.stdout, shown.stderr
