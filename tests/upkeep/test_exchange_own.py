"""What a store exports of its own another one takes in whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcli.text.secrets.redaction import secrets_in_value, without_secrets
from tests.conftest import Run

ID = "01M7ZNXSGF6PTE67B10V8EXVCZ"
DIGEST = "427f93cafd9cc19be6eec03e590c9c6cdf9f688a5eaf21fa8d72351e2b15fd05"
KEY = "AKIA" + "QYLPMN5HHHFPZAM2"


def test_checkpoints_and_steps_come_back_from_an_export(mem: Run, tmp_path: Path) -> None:
    raw, out = tmp_path / "raw.csv", tmp_path / "all.jsonl"
    raw.write_text("1,2\n")
    for number in range(3):
        assert mem("checkpoint", "save", f"job{number}", input=json.dumps({"n": number})).returncode == 0
    step = ("checkpoint", "run", "nightly", "tidy up/twice", "--inputs", str(raw), "--", "echo", "done")
    assert mem(*step).stdout == "done\n"
    assert mem("audit", "--check", "secrets").returncode == 1
    assert mem("export", "--history", "-o", str(out)).returncode == 0
    other = ("--db", str(tmp_path / "other.db"))
    assert mem("import", str(out), *other).returncode == 0
    assert json.loads(mem("checkpoint", "restore", "job2", *other).stdout) == {"n": 2}
    again = mem(*step[:2], *other, *step[2:])
    assert again.stdout == "done\n"
    assert "runs         2" not in mem("checkpoint", "show", "nightly", *other).stdout


@pytest.mark.parametrize("value", [f"{ID}/1", f"{ID}/fetch", {"inputs": {"raw.csv": DIGEST}}])
def test_what_memcli_made_itself_is_no_secret(value: object) -> None:
    assert secrets_in_value(value) == []
    assert without_secrets(value) == value


@pytest.mark.parametrize(
    "value",
    [
        f"{ID}/{KEY}",
        {"inputs": {"raw.csv": KEY}},
        {"inputs": {KEY: DIGEST}},
        {"settings": {"api_key": DIGEST}},
        {"inputs": {"nested": {"api_key": DIGEST}}},
        f"api_key={DIGEST}",
    ],
)
def test_a_secret_beside_it_is_one_still(value: object) -> None:
    assert secrets_in_value(value)
    assert without_secrets(value) != value
