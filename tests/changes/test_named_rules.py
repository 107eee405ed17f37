"""What has a name and does something, a policy or a procedure, is changed by its own commands alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run

PROCEDURE = "---\ndescription: glue a joint\nsteps:\n  - sand it\n  - glue it\n---\n"


@pytest.fixture
def pay(mem: Run) -> str:
    """The id of a hard policy."""
    assert mem(
        "policy", "add", "pay", "--rule", "Never mail salaries", "--hard", "--pattern", "salary"
    ).returncode == 0  # fmt: skip
    return mem("list", "--kind", "policy", "--format", "ids").stdout.strip()


def test_neither_correct_nor_merge_leaves_an_old_rule_in_force(mem: Run, pay: str) -> None:
    assert mem("policy", "add", "post", "--rule", "Never mail salaries or ids", "--hard").returncode == 0
    both = mem("list", "--kind", "policy", "--format", "ids").stdout.split()
    before = mem("export", "--history").stdout
    for command in (
        ("correct", pay, "Never mail or fax salaries"),
        ("correct", pay, "Never mail or fax salaries", "--dry-run"),
        ("merge", *both),
        ("merge", *both, "--dry-run"),
    ):
        done = mem(*command)
        assert done.returncode == 2 and done.stdout == "", command
        assert "mem policy edit p" in done.stderr and "--replace" in done.stderr
    assert mem("export", "--history").stdout == before
    assert mem("policy", "check", "mail the salary").returncode == 3


def test_a_procedure_is_changed_as_a_document(mem: Run, tmp_path: Path) -> None:
    (tmp_path / "glue.md").write_text(PROCEDURE)
    assert mem("procedure", "add", "glue", str(tmp_path / "glue.md")).returncode == 0
    [one] = mem("list", "--kind", "procedure", "--format", "ids").stdout.split()
    done = mem("correct", one, "Glue it, then sand it")
    assert done.returncode == 2 and "mem procedure add glue" in done.stderr
    assert "sand it" in mem("procedure", "show", "glue").stdout


def test_a_policy_without_a_name_is_its_text(mem: Run) -> None:
    one = mem("remember", "Never mail salaries", "--kind", "policy").stdout.strip()
    assert mem("correct", one, "Never mail or fax salaries").returncode == 0
    assert "fax" in mem("policy", "list").stdout
