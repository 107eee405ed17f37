"""What `mem export --format csv` and `md` carry comes back; what they do not is told, or stays out."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

CARRIED = (
    "text", "kind", "space", "session", "tags", "confidence", "importance",
    "valid_from", "valid_until", "expires_at",
)  # fmt: skip


def _memories(mem: Run, *how: str) -> list[dict[str, Any]]:
    lines = map(json.loads, mem("export", "--all-spaces", *how).stdout.splitlines())
    return sorted((each for each in lines if each.get("type") == "memory"), key=lambda each: each["text"])


@pytest.mark.parametrize("form", ["csv", "md"])
def test_validity_time_to_live_spaces_and_names_come_back(mem: Run, tmp_path: Path, form: str) -> None:
    for arguments in (
        ("The lease of the cellar ran", "--valid-from", "2026-01-01", "--valid-until", "2026-10-31"),
        ("The dinghy is lent to Bo", "--valid-until", "2090-03-04T05:06:07Z", "--importance", "0.9"),
        ("The parcel is at the neighbour's", "--ttl", "3d", "--kind", "fact"),
        ("The hens lay eight eggs", "--space", "zwei worte", "-t", "zwei worte", "-t", "a, b; c", "-t", "x"),
        ("Otto waters the figs", "--session", "until 2026-01-01, or so", "--confidence", "0.5", "-k", "fact"),
        ("What has expired", "--ttl", "1s", "--kind", "fact"),
    ):
        assert mem("remember", *arguments).returncode == 0
    time.sleep(1)
    assert mem("forget", mem("remember", "The ladder is in the shed").stdout.strip()).returncode == 0
    file, other = tmp_path / f"all.{form}", ("--db", str(tmp_path / "other.db"))
    assert mem("export", "--all-spaces", "--format", form, "-o", str(file)).returncode == 0
    assert mem("import", str(file), *other).returncode == 0
    before = [each for each in _memories(mem) if not each["text"].startswith("What has")]
    before = [each for each in before if not each["ended_at"]]
    after = _memories(mem, *other)
    assert [each["text"] for each in before] == [each["text"] for each in after]
    for one, two in zip(before, after, strict=True):
        assert {name: one[name] for name in CARRIED} == {name: two[name] for name in CARRIED}
    assert "lease" not in mem("list", *other).stdout
    again = mem("import", str(file), *other)
    assert "0 added, 0 updated, 5 known" in again.stdout


def test_of_a_policy_markdown_has_only_the_text_and_says_so(mem: Run, tmp_path: Path) -> None:
    mem("policy", "add", "pay", "--rule", "Never mail salaries", "--hard", "--pattern", "salary")
    mem("remember", "The boat lies in Linz")
    file, other = tmp_path / "all.md", ("--db", str(tmp_path / "other.db"))
    done = mem("export", "--format", "md", "-o", str(file))
    assert "of 1 procedure or policy Markdown has only the text" in done.stderr
    done = mem("import", str(file), *other)
    assert done.returncode == 2 and "only the text stands here" in done.stderr
    assert [each["text"] for each in _memories(mem, *other)] == ["The boat lies in Linz"]
    table = tmp_path / "all.csv"
    assert mem("export", "--format", "csv", "-o", str(table)).stderr == ""
    assert mem("import", str(table), *other).returncode == 0
    assert mem("policy", "check", "mail the salary", *other).returncode == 3


def test_a_procedure_that_is_its_text_alone_comes_back(mem: Run, tmp_path: Path) -> None:
    assert mem("remember", "Lena Voigt: Handy 0151 5550122", "--kind", "procedure").returncode == 0
    file, other = tmp_path / "all.md", ("--db", str(tmp_path / "other.db"))
    assert mem("export", "--format", "md", "-o", str(file)).stderr == ""
    assert mem("import", str(file), *other).returncode == 0
    [one] = _memories(mem, *other)
    assert (one["kind"], one["text"]) == ("procedure", "Lena Voigt: Handy 0151 5550122")
