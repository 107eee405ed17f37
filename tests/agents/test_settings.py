"""Agents' settings files before and after: our own entries, and nothing else."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.agents.hooks.agents import AGENTS
from memcli.agents.settings import jsonc
from memcli.agents.settings.files import FileChange
from memcli.agents.settings.hooks import settings_of
from memcli.errors import BadInput
from tests.conftest import MEM, Run

FOREIGN = {
    "claude": """{
    // mine
    "model": "opus",
    "permissions": {"allow": ["Bash(ls:*)"], "deny": []},
    "hooks": {
        "SessionStart": [
            {"matcher": "startup", "hooks": [{"type": "command", "command": "echo hello"}]} /* keep */
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "mem hook-like --agent claude", "timeout": 9}]}]
    },
    "zed": 1.50,
}
""",
    "codex": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}',
    "gemini": '{\r\n\t"theme": "dark", // of mine\r\n\t"hooks": {}\r\n}',
    "copilot": '{\n  "version": 1,\n  "hooks": {"sessionStart": [{"type": "command", "bash": "date"}]}\n}\n',
    "cursor": '{\n  "version": 1, "hooks": {\n    "stop": [\n      {"command": "a"}, // a\n    ]\n  }\n}\n',
}


def put(agent: str, text: str) -> Path:
    path = settings_of(AGENTS[agent])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def said(path: Path) -> Any:
    return jsonc.parse(path.read_bytes().decode()).value


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("before", ["nothing", "foreign", "empty", "{}"])
def test_install_and_remove_leave_the_file_as_it_was(
    mem: Run, own_home: Path, agent: str, before: str
) -> None:
    text = {"nothing": None, "foreign": FOREIGN[agent], "empty": "", "{}": "{}\n"}[before]
    path = settings_of(AGENTS[agent]) if text is None else put(agent, text)
    if text is not None:
        path.chmod(0o644)
    assert mem("hook", "install", agent, "--dry-run").returncode == 0
    assert (path.read_bytes().decode() if path.exists() else None) == text
    assert mem("hook", "install", agent).returncode == 0
    once = path.read_bytes()
    assert mem("hook", "install", agent).returncode == 0 and path.read_bytes() == once
    if text is not None:
        assert path.stat().st_mode & 0o777 == 0o644
        assert path.with_name(path.name + ".memcli-backup").read_bytes().decode() == text
    assert mem("hook", "status", agent).returncode == 0
    assert mem("hook", "remove", agent, "--dry-run").returncode == 0 and path.read_bytes() == once
    assert mem("hook", "remove", agent).returncode == 0
    assert (path.read_bytes().decode() if path.exists() else None) == text
    assert mem("hook", "remove", agent).returncode == 0
    assert mem("hook", "status", agent).returncode == 1


@pytest.mark.parametrize("agent", AGENTS)
def test_what_others_put_there_stays_where_and_as_it_is(mem: Run, own_home: Path, agent: str) -> None:
    path = put(agent, FOREIGN[agent])
    before = said(path)
    mem("config", "set", "hook_log", "on")
    assert mem("hook", "install", agent).returncode == 0
    for line in FOREIGN[agent].splitlines():
        if "//" in line or "/*" in line or "zed" in line:
            assert (line.strip().partition("/*")[2] or line.strip()) in path.read_text()
    after = said(path)
    assert [key for key in after if key in before] == list(before)
    for event, entries in before["hooks"].items():
        assert after["hooks"][event][: len(entries)] == entries
    # Its owner writes something more; then ours goes, and that stays.
    path.write_bytes(jsonc.put(path.read_bytes().decode(), ["later"], {"a": 1}).encode())
    assert mem("hook", "remove", agent).returncode == 0
    kept = said(path)
    assert kept.pop("later") == {"a": 1}
    if before["hooks"]:
        assert kept == before
    else:
        assert kept == {key: value for key, value in before.items() if key != "hooks"}


def test_each_agent_gets_its_own_unit_of_time_and_shape(mem: Run, own_home: Path) -> None:
    mem("config", "set", "hook_log", "on")
    waits = {
        "claude": ("timeout", 5),
        "codex": ("timeout", 5),
        "gemini": ("timeout", 5000),
        "copilot": ("timeoutSec", 5),
    }
    for agent in AGENTS:
        assert mem("hook", "install", agent).returncode == 0
        settings = said(settings_of(AGENTS[agent]))
        names = {each.name for several in AGENTS[agent].events.values() for each in several}
        assert set(settings["hooks"]) == names
        for [entry] in settings["hooks"].values():
            run = entry if AGENTS[agent].flat else entry["hooks"][0]
            words = shlex.split(run.get("command") or run["bash"])
            words = words[words.index(str(MEM)) :]
            assert Path(words[0]) == MEM and words[1] == "hook" and words[3:] == ["--agent", agent]
            if agent in waits:
                assert run[waits[agent][0]] == waits[agent][1]
        assert settings.get("version") == (1 if agent in ("copilot", "cursor") else None)


def test_without_being_asked_no_hook_logs(mem: Run, own_home: Path) -> None:
    done = mem("hook", "install", "claude")
    assert "turns are not logged" in done.stderr
    assert set(said(settings_of(AGENTS["claude"]))["hooks"]) == {
        "SessionStart",
        "UserPromptSubmit",
        "PreCompact",
    }


def test_what_is_installed_is_what_works(mem: Run, own_home: Path) -> None:
    import subprocess

    mem("remember", "Never deploy on Mondays", "--kind", "constraint")
    mem("hook", "install", "claude")
    [group] = said(settings_of(AGENTS["claude"]))["hooks"]["SessionStart"]
    done = subprocess.run(
        group["hooks"][0]["command"], shell=True, input=b'{"source": "startup"}', capture_output=True,
        env={**os.environ, "PATH": "/usr/bin:/bin", "MEMCLI_HOOK_DEADLINE": "60"},
    )  # fmt: skip
    assert b"Never deploy" in done.stdout


@pytest.mark.parametrize("agent", AGENTS)
def test_the_hooks_use_the_store_and_the_space_that_were_named_when_they_were_installed(
    mem: Run, own_home: Path, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    import subprocess

    store = own_home / "at work.db"
    mem("--db", str(store), "remember", "--space", "hof", "Never deploy on Mondays", "--kind", "constraint")
    assert mem("--db", str(store), "hook", "install", agent).returncode == 0
    without_space = settings_of(AGENTS[agent]).read_text()
    monkeypatch.setenv("MEMCLI_SPACE", "hof")
    assert mem("--db", str(store), "hook", "install", agent).returncode == 0
    text = settings_of(AGENTS[agent]).read_text()
    assert "MEMCLI_SPACE=hof" in text and "MEMCLI_SPACE" not in without_space
    start = next(each.name for each in AGENTS[agent].events["start"])
    [entry] = said(settings_of(AGENTS[agent]))["hooks"][start]
    run = entry if AGENTS[agent].flat else entry["hooks"][0]
    # Started from a desktop: nothing of the shell's is there.
    calm = {name: text for name, text in os.environ.items() if not name.startswith("MEMCLI_")}
    done = subprocess.run(
        run.get("command") or run["bash"], shell=True, input=b'{"source": "startup"}', capture_output=True,
        env={**calm, "PATH": "/usr/bin:/bin", "MEMCLI_HOOK_DEADLINE": "60"},
    )  # fmt: skip
    assert b"Never deploy" in done.stdout
    assert "install again" not in mem("hook", "status", agent).stdout
    for name in ("MEMCLI_SPACE", "MEMCLI_DB"):
        monkeypatch.delenv(name)
    assert mem("hook", "remove", agent).returncode == 0
    assert not settings_of(AGENTS[agent]).exists()


def test_an_older_path_is_renewed_and_status_tells_of_it(mem: Run, own_home: Path) -> None:
    old = {"type": "command", "command": "/gone/bin/mem hook prompt --agent claude", "timeout": 5}
    path = put("claude", json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [old]}]}}))
    assert "install again" in mem("hook", "status").stdout
    assert mem("hook", "install", "claude").returncode == 0
    assert "/gone" not in path.read_text() and path.read_text().count("hook prompt") == 1
    both = {"hooks": [{"type": "command", "command": "echo"}, old]}
    path.write_text(json.dumps({"hooks": {"UserPromptSubmit": [both]}}))
    assert mem("hook", "remove", "claude").returncode == 0
    assert said(path) == {
        "hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo"}]}]}
    }


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "5",
        '{"hooks": 5}',
        '{"hooks": {"SessionStart": {}}}',
        '{"a": 1} x',
        "[" * 5000,
        '{"a": \xff}',
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_left_alone(mem: Run, own_home: Path, text: str) -> None:
    path = put("claude", text)
    done = mem("hook", "install", "claude")
    assert done.returncode == 2 and str(path) in done.stderr and len(done.stderr.splitlines()) == 1
    assert path.read_bytes().decode() == text
    path.write_bytes(b"\xff\xfe")
    assert mem("hook", "install", "claude").returncode == 2 and path.read_bytes() == b"\xff\xfe"


def test_links_are_followed_and_folders_refused(mem: Run, own_home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text('{"a": 1}\n')
    path = settings_of(AGENTS["claude"])
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    assert mem("hook", "install", "claude").returncode == 0
    assert path.is_symlink() and "hook prompt" in real.read_text()
    assert mem("hook", "remove", "claude").returncode == 0 and real.read_text() == '{"a": 1}\n'
    path.unlink()
    path.mkdir()
    assert mem("hook", "install", "claude").returncode == 2


def test_an_agent_that_was_told_to_look_elsewhere_is_followed(
    mem: Run, own_home: Path, tmp_path: Path
) -> None:
    env = {**os.environ, "CLAUDE_CONFIG_DIR": str(tmp_path / "there")}
    assert mem("hook", "install", "claude", env=env).returncode == 0
    assert (tmp_path / "there" / "settings.json").exists() and not (own_home / ".claude").exists()
    assert mem("hook", "install", "emacs").returncode == 2


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(max_size=5), values, max_size=4),
    st.sampled_from([None, 2, "\t"]),
    st.lists(st.text(max_size=5), min_size=1, max_size=3),
)
def test_an_edit_changes_what_it_names_and_nothing_else(
    before: dict[str, Any], indent: Any, path: list[str]
) -> None:
    text = json.dumps(before, indent=indent, ensure_ascii=False)
    node: Any = before
    for key in path[:-1]:
        node = node.get(key, {}) if isinstance(node, dict) else None
    if not isinstance(node, dict) or path[-1] in node:
        return
    after = jsonc.put(text, path, {"ours": [1]})
    expected = json.loads(text)
    inner = expected
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = {"ours": [1]}
    assert jsonc.parse(after).value == expected == json.loads(after)
    back = jsonc.parse(jsonc.remove(after, path)).value
    inner = back
    assert jsonc.find(jsonc.parse(jsonc.remove(after, path)), path) is None


def installed(mem: Run, *arguments: str) -> Any:
    return mem("init", "claude", "--mcp", "--hooks", *arguments)


def test_a_file_that_may_only_be_read_stays_and_so_does_everything_else(mem: Run, own_home: Path) -> None:
    path = put("claude", FOREIGN["claude"])
    path.chmod(0o444)
    before = sorted(own_home.rglob("*"))
    done = installed(mem)
    assert done.returncode == 2 and "is read-only" in done.stderr and str(path) in done.stderr
    assert path.read_text() == FOREIGN["claude"] and sorted(own_home.rglob("*")) == before


def test_what_was_made_read_only_meanwhile_is_not_written(tmp_path: Path) -> None:
    """Between the look at all files and the first that is written somebody is asked."""
    path = tmp_path / "settings.json"
    path.write_text("{}")
    change = FileChange(path, "{}", '{"a": 1}', tmp_path)
    change.check()
    path.chmod(0o444)
    with pytest.raises(BadInput, match="read-only"):
        change.apply()
    assert path.read_text() == "{}" and [*tmp_path.iterdir()] == [path]


def test_another_name_of_the_same_file_goes_on_naming_it(mem: Run, own_home: Path) -> None:
    path, other = put("claude", "{}\n"), own_home / "dotfiles.json"
    other.hardlink_to(path)
    assert installed(mem).returncode == 0
    assert other.samefile(path) and "mem" in other.read_text()
    assert installed(mem, "--remove").returncode == 0
    assert other.samefile(path) and path.read_text() == "{}\n"


def test_a_link_that_leads_nowhere_is_left_alone(mem: Run, own_home: Path) -> None:
    path = settings_of(AGENTS["claude"])
    path.parent.mkdir(parents=True)
    path.symlink_to(own_home / "gone" / "settings.json")
    done = installed(mem)
    assert done.returncode == 2 and "leads nowhere" in done.stderr
    assert path.is_symlink() and not (own_home / "gone").exists()
    assert not (own_home / ".claude" / "skills").exists() and not (own_home / ".claude.json").exists()


@pytest.mark.parametrize("moved", [False, True])
def test_no_folder_is_left_that_was_not_there(
    mem: Run, own_home: Path, monkeypatch: pytest.MonkeyPatch, moved: bool
) -> None:
    kept = own_home / "moved"
    if moved:
        kept.mkdir()
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(kept))
    before = sorted(own_home.rglob("*"))
    assert installed(mem).returncode == 0 and sorted(own_home.rglob("*")) != before
    assert installed(mem, "--remove").returncode == 0
    assert [each for each in sorted(own_home.rglob("*")) if "memcli-backup" not in each.name] == before
