"""`mem procedure` as a shell runs it, an editor included."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.tiers.test_procedure_folder import FOLDER, fill
from tests.tiers.test_procedures import DEPLOY


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make $EDITOR a program: Python code that gets the file's path as `file`."""

    def become(code: str) -> None:
        script = tmp_path / "an editor.py"
        script.write_text(
            f"import sys; from pathlib import Path; file = Path(sys.argv[-1])\n{code}\n", "utf-8"
        )
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", f'"{sys.executable}" "{script}"')

    return become


def kept_file(stderr: str) -> Path:
    return Path(stderr.split("your text is kept in ")[1].strip())


def test_a_procedure_lives_by_its_commands(mem: Run, tmp_path: Path) -> None:
    file = tmp_path / "deploy.md"
    file.write_text(DEPLOY.replace("when:", "tools: [no-such-tool]\nwhen:"), "utf-8")
    assert mem("procedure", "add", "deploy", str(file)).returncode == 0
    changed = file.read_text("utf-8").replace("1. Push", "1. Pull")
    assert mem("procedure", "add", "deploy", "-", "--note", "pull", input=changed).returncode == 0
    shown = mem("procedure", "show", "deploy")
    assert shown.stdout == changed
    assert "not on this machine: no-such-tool" in shown.stderr
    assert "+1. Pull" in mem("procedure", "diff", "deploy").stdout
    used = mem("procedure", "used", "deploy", "--ok", "--json")
    assert json.loads(used.stdout)["ok"] == 1
    found = mem("procedure", "find", "the release is tagged, what now")
    assert found.returncode == 0
    assert "deploy" in found.stdout
    assert mem("procedure", "rollback", "deploy").returncode == 0
    assert len(mem("procedure", "versions", "deploy").stdout.splitlines()) == 3
    assert mem("procedure", "deprecate", "deploy").returncode == 0
    assert mem("procedure", "list").returncode == 1
    assert "deprecated" in mem("procedure", "list", "--all").stdout


def test_usage_is_said_in_a_line(mem: Run, tmp_path: Path) -> None:
    binary = tmp_path / "x.bin"
    binary.write_bytes(b"\xff\xfe\x00")
    for arguments, said in (
        (["add", "x", str(tmp_path / "none.md")], "cannot be read"),
        (["add", "x", str(binary)], "not valid UTF-8"),
        (["add", "x"], "the text is empty"),
        (["add", "x", os.devnull], "the text is empty"),
        (["used", "x"], "--ok or --failed"),
        (["import", str(tmp_path / "none")], "no such folder"),
    ):
        done = mem("procedure", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_an_edit_is_the_next_version_and_none_if_unchanged(mem: Run, editor: Callable[[str], None]) -> None:
    mem("procedure", "add", "deploy", "-", input=DEPLOY)
    editor("file.write_text(file.read_text().replace('Push', 'Pull')); print('noise')")
    done = mem("procedure", "edit", "deploy", "--note", "pull", "--json")
    assert (json.loads(done.stdout)["version"], done.stderr) == (2, "noise\n")
    editor("")
    assert json.loads(mem("procedure", "edit", "deploy", "--json").stdout)["version"] == 2


def test_an_invalid_edit_is_kept_in_a_file_and_named(mem: Run, editor: Callable[[str], None]) -> None:
    mem("procedure", "add", "deploy", "-", input=DEPLOY)
    editor("file.write_text('---\\nsteps: [broken\\n---\\nall my work')")
    done = mem("procedure", "edit", "deploy")
    assert done.returncode == 2
    file = kept_file(done.stderr)
    assert "all my work" in file.read_text("utf-8")
    assert mem("procedure", "show", "deploy").stdout == DEPLOY


def test_an_edit_that_lost_a_race_is_kept(mem: Run, editor: Callable[[str], None]) -> None:
    mem("procedure", "add", "deploy", "-", input=DEPLOY)
    program = Path(sys.executable).with_name("mem")
    editor(
        "import subprocess\n"
        f"command = [{str(program)!r}, 'procedure', 'add', 'deploy', '-']\n"
        f"subprocess.run(command, input={DEPLOY + '2. Other'!r}, text=True)\n"
        "file.write_text(file.read_text() + '2. Mine')"
    )
    done = mem("procedure", "edit", "deploy")
    assert "changed meanwhile" in done.stderr
    assert "2. Mine" in kept_file(done.stderr).read_text("utf-8")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("sys.exit(3)", "status 3"),
        ("file.write_text('')", "came back empty"),
        ("file.unlink()", "came back empty"),
    ],
)
def test_an_edit_given_up_changes_nothing(
    mem: Run, editor: Callable[[str], None], code: str, said: str
) -> None:
    mem("procedure", "add", "deploy", "-", input=DEPLOY)
    editor(code)
    done = mem("procedure", "edit", "deploy")
    assert done.returncode == 2
    assert said in done.stderr
    assert "kept" not in done.stderr


def test_without_a_terminal_or_an_editor_there_is_a_clear_line(
    mem: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem("procedure", "add", "deploy", "-", input=DEPLOY)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    done = mem("procedure", "edit", "deploy")
    assert (done.returncode, "no terminal to edit on" in done.stderr) == (2, True)
    monkeypatch.setenv("EDITOR", "no-such-editor --wait")
    assert "'no-such-editor' cannot be run" in mem("procedure", "edit", "deploy").stderr


def test_a_folder_under_git_stays_clean(mem: Run, tmp_path: Path) -> None:
    fill(tmp_path, FOLDER)

    def git(*arguments: str) -> str:
        command = [
            "git",
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "-c",
            "core.autocrlf=false",
            *arguments,
        ]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "all")
    assert mem("procedure", "import", str(tmp_path)).returncode == 0
    done = mem("procedure", "export", str(tmp_path))
    assert (done.returncode, done.stdout, git("status", "--short")) == (0, "", "")
    mem("procedure", "add", "deploy", "-", input=DEPLOY.replace("Push", "Pull"))
    mem("procedure", "export", str(tmp_path))
    assert git("diff", "--stat").splitlines()[0].startswith(" deploy.md | 2 +-")


def test_hostile_text_does_not_reach_the_terminal(mem: Run) -> None:
    document = 'description: "\\e[31mred\\e]0;title\\a"\nsteps:\n  - x\n'
    assert mem("procedure", "add", "x", "-", input="Do it \x1b[2Jraw\n").returncode == 0
    for arguments in (["show", "x"], ["list"]):
        assert "\x1b" not in mem("procedure", *arguments).stdout
    assert mem("procedure", "add", "x", "-", input=document).returncode == 0
    for arguments in (["show", "x"], ["list"], ["versions", "x"], ["find", "--words", "x"]):
        done = mem("procedure", *arguments)
        assert "\x1b" not in done.stdout + done.stderr


def test_a_use_went_one_way(mem: Run) -> None:
    mem("procedure", "add", "y", "-", input="steps: [a]\n")
    both = mem("procedure", "used", "y", "--ok", "--failed")
    assert (both.returncode, both.stdout) == (2, "")
    assert "never reported" in mem("procedure", "list").stdout


def test_one_file_is_imported_as_a_folder_would_be(mem: Run, tmp_path: Path) -> None:
    skill = tmp_path / "pdf" / "SKILL.md"
    skill.parent.mkdir()
    skill.write_text("---\nname: pdf\ndescription: Fill in forms\n---\nFill.\n")
    (tmp_path / "deploy.yaml").write_text("steps: [push]\n")
    (tmp_path / "plain.md").write_text("no front matter\n")
    assert "pdf version 1" in mem("procedure", "import", str(skill)).stdout
    assert "deploy version 1" in mem("procedure", "import", "deploy.yaml", cwd=tmp_path).stdout
    assert "0 new or changed, 2 unchanged" in mem("procedure", "import", str(tmp_path)).stderr
    refused = mem("procedure", "import", str(tmp_path / "plain.md"))
    assert refused.returncode == 2 and f"{tmp_path / 'plain.md'}: left out" in refused.stderr


def test_a_recall_shows_checks_tools_and_how_often_it_worked_in_every_format(
    mem: Run, tmp_path: Path
) -> None:
    document = (
        "description: Deploy the shop\nwhen: a new version must go live\nsteps: [Build, Push]\n"
        "checks: [nobody else deploys]\ntools: [git, ssh]\n"
    )
    assert mem("procedure", "add", "deploy", "-", input=document).returncode == 0
    for outcome in ("--ok", "--ok", "--failed"):
        mem("procedure", "used", "deploy", outcome)
    for look in ("prompt", "text", "table"):
        page = " ".join(mem("recall", "how do I deploy the shop?", "--format", look).stdout.split())
        for told in ("1. Build", "Checks: nobody else deploys", "Tools: git, ssh", "worked 2 of 3 times"):
            assert told in page, (look, told)
    hit = json.loads(mem("recall", "how do I deploy the shop?", "--json").stdout.splitlines()[0])
    assert (hit["ok"], hit["failed"], hit["data"]["checks"]) == (2, 1, ["nobody else deploys"])
    # What comes back is known again, also after another use.
    page = mem("recall", "how do I deploy the shop?").stdout
    mem("procedure", "used", "deploy", "--ok")
    quoted = "\n".join(page.splitlines()[3:-1])
    assert mem("remember", "-", input=quoted).returncode == 3
