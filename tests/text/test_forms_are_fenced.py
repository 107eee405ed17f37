"""The forms of English are counted (`benchmarks/forms.toml`): none more without the gain that it brings."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from benchmarks import forms

_FENCE = tomllib.loads((Path(forms.__file__).parent / "forms.toml").read_text(encoding="utf-8"))
_HOW = (
    "A new form must show what it gains: write sentences that need it, and as many that only look like them, "
    "into benchmarks/changes.txt or everyday.txt before the form, and put what\n"
    "    python -m benchmarks.forms {key}\n"
    "prints into benchmarks/forms.toml. What gains nothing there stays out."
)
_TABLES = {table.key: table for table in forms.tables()}


@pytest.mark.parametrize("key", sorted(_TABLES.keys() | _FENCE["tables"]))
def test_no_table_grows_unseen(key: str) -> None:
    table, fence = _TABLES.get(key), _FENCE["tables"].get(key)
    assert table, f"{key} is no more: take its line out of benchmarks/forms.toml"
    assert fence, f"{key} is new. {_HOW.format(key=key)}"
    assert table.forms <= fence["forms"], (
        f"{key} has {table.forms} forms, {fence['forms']} are fenced. {_HOW.format(key=key)}"
    )
    # Of functions only growth is told: their words come and go with the code.
    assert not table.name or table.forms == fence["forms"], (
        f"{key} has {table.forms} forms by now: lower its line in benchmarks/forms.toml"
    )


def test_no_judgement_on_the_lists_is_lost() -> None:
    lists = ("changes", "everyday")
    found = forms.right(lists)
    assert {name: found[name] for name in lists if found[name] < _FENCE["right"][name]} == {}


_MODULE = """
A = words("one two")
B = {"x": r"\\b(?:three|four)\\b", **A}
def f(t):
    '''No form.'''
    return t in ("at", "on")
"""


def test_a_form_more_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    said = _MODULE
    monkeypatch.setattr(forms, "_source", lambda module: said if module == "kinds" else "")
    assert {table.key: table.forms for table in forms.tables()} == {"kinds.A": 2, "kinds.B": 3, "kinds": 2}
    said = _MODULE.replace("two", "two or").replace("|four", "|four|five").replace('"on"', '"on", "by"')
    assert {table.key: table.forms for table in forms.tables()} == {"kinds.A": 3, "kinds.B": 4, "kinds": 3}


def test_a_table_that_is_emptied_gains_what_it_was_for() -> None:
    whole = dict.fromkeys(forms.LISTS, 0) | forms.right(["changes"])
    gains = forms.gain(_TABLES["comparison.differences._RULES"], whole)
    assert gains and gains["changes"] > 20
