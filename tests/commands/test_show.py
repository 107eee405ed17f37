"""What `mem show` says of a memory is written for people; `--json` is for programs."""

from __future__ import annotations

import json
import sys

import pytest

from tests.conftest import Run


def test_each_field_is_shown_as_people_write_it(mem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "win32":
        monkeypatch.setenv("TZ", "Europe/Berlin")
    said = ("--valid-until", "2031-06-30", "--tag", "rent", "--tag", "flat", "--force")
    kept = mem("remember", "Maybe the rent is 900 a month", *said).stdout.strip()
    shown = dict(line.split(None, 1) for line in mem("show", kept).stdout.split("\n\n")[0].splitlines())
    assert shown["valid_until"] == "2031-06-30 23:59:59"  # where its owner is, as it was typed
    assert shown["tags"] == "flat, rent" and shown["trusted"] == "yes"
    assert json.loads(shown["data"])["overrides"] == ["speculative"]
    assert json.loads(mem("show", kept, "--json").stdout)["tags"] == ["flat", "rent"]
