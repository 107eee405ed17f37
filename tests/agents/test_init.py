"""`mem init`: a skill, the server in the agent's own list, hooks; and all of it gone again."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memcli.agents.settings import jsonc
from memcli.agents.settings.servers import CLIENTS, servers_of
from memcli.agents.settings.skill import skill_of
from tests.conftest import MEM, Run

WITHOUT = """
import importlib.util, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "mcp" else found(name, *rest)
sys.argv = ["mem", "init", *sys.argv[1:]]
from memcli.app import main
main()
"""

TOML = """# mine
model = "gpt"   # the fast one

[mcp_servers.other]
command = "other"  # stays
args = []

[tui]
theme = 'dark'
"""
JSON = (
    '{\n  // mine\n  "mcpServers": {\n    "other": {"command": "other"}, // stays\n  },\n  "servers": {}\n}\n'
)


def listed(path: Path, key: str) -> Any:
    text = path.read_text()
    return (tomllib.loads(text) if path.suffix == ".toml" else jsonc.parse(text).value).get(key, {})


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("there", [False, True])
def test_the_server_is_listed_and_taken_off_and_nothing_else_changes(
    mem: Run, own_home: Path, name: str, there: bool
) -> None:
    client = CLIENTS[name]
    path = servers_of(client)
    text = TOML if path.suffix == ".toml" else JSON
    if there:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert mem("init", name, "--mcp", "--dry-run").returncode == 0
    assert path.exists() == there and not (client.skills and skill_of(client).exists())
    for _ in range(2):
        assert mem("init", name, "--mcp").returncode == 0
    entry = listed(path, client.key)["memcli"]
    assert Path(entry["command"]) == MEM and entry["args"] == ["mcp", "--name", name]
    if there:
        for line in text.splitlines():
            if "mine" in line or "stays" in line or "fast" in line or "dark" in line:
                assert line in path.read_text()
        path.write_text(path.read_text() + ("# later\n" if path.suffix == ".toml" else "// later\n"))
    assert mem("init", name, "--remove").returncode == 0
    if there:
        assert "memcli" not in path.read_text() and "later" in path.read_text()
        assert "other" in listed(path, "mcp_servers" if path.suffix == ".toml" else "mcpServers")
    else:
        assert not path.exists()
    assert not (client.skills and skill_of(client).parent.exists())
    assert mem("init", name, "--remove").returncode == 0


@pytest.mark.parametrize("name", CLIENTS)
def test_the_server_uses_the_store_and_the_space_that_were_named_when_it_was_listed(
    mem: Run, own_home: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    client = CLIENTS[name]
    monkeypatch.delenv("MEMCLI_DB")
    monkeypatch.delenv("MEMCLI_CACHE_DIR")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own_home / ".config"))
    monkeypatch.delenv("MEMCLI_CONFIG")
    assert mem("init", name, "--mcp").returncode == 0
    assert "env" not in listed(servers_of(client), client.key)["memcli"]
    monkeypatch.chdir(own_home)
    monkeypatch.setenv("MEMCLI_SPACE", "hof")
    # What is so without it, and what is said of this shell alone.
    monkeypatch.setenv("MEMCLI_LIMIT", "10")
    monkeypatch.setenv("MEMCLI_SESSION", "of-now")
    assert mem("--db", "work.db", "init", name, "--mcp").returncode == 0
    given = {"MEMCLI_DB": str(own_home.resolve() / "work.db"), "MEMCLI_SPACE": "hof"}
    assert listed(servers_of(client), client.key)["memcli"]["env"] == given
    told = mem("--db", "work.db", "init", name).stderr if client.skills else ""
    assert not told or f"have {client.title} run: env MEMCLI_DB={own_home.resolve()}/work.db" in told
    monkeypatch.delenv("MEMCLI_SPACE")
    assert mem("init", name, "--remove").returncode == 0
    assert not servers_of(client).exists()


@pytest.mark.parametrize("name", [each.name for each in CLIENTS.values() if each.skills])
def test_the_skill_says_when_and_how(mem: Run, own_home: Path, name: str) -> None:
    done = mem("init", name)
    assert done.returncode == 0 and f"mem init {name} --mcp" in done.stderr
    text = skill_of(CLIENTS[name]).read_text()
    head = text.split("---")[1]
    assert "name: memcli" in head and "description: " in head and len(head) < 500
    assert len(text) < 4000 and f"agent:{name}" in text and "never\ninstructions" in text


def test_what_the_skill_names_there_is(mem: Run) -> None:
    from memcli.command_line.table import COMMANDS

    mem("init", "claude")
    text = skill_of(CLIENTS["claude"]).read_text()
    named = {part.split()[1] for part in text.split("`")[1::2] if part.startswith("mem ")}
    assert named - {"COMMAND"} <= set(COMMANDS) and len(named) > 6


def test_a_skill_of_somebody_elses_stays(mem: Run, own_home: Path) -> None:
    path = skill_of(CLIENTS["claude"])
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: other\n---\n")
    for arguments in (("init", "claude", "--mcp"), ("init", "claude", "--remove")):
        done = mem(*arguments)
        assert done.returncode == 2 and "not memcli's skill" in done.stderr
    # Nothing else was changed, either.
    assert path.read_text() == "---\nname: other\n---\n" and not servers_of(CLIENTS["claude"]).exists()


def test_all_of_it_in_one_file_comes_and_goes(mem: Run, own_home: Path) -> None:
    path = servers_of(CLIENTS["gemini"])
    path.parent.mkdir(parents=True)
    path.write_text('{\n  "theme": "dark" // mine\n}\n')
    assert mem("init", "gemini", "--mcp", "--hooks").returncode == 0
    said = jsonc.parse(path.read_text()).value
    assert "memcli" in said["mcpServers"] and set(said["hooks"]) == {"SessionStart", "BeforeAgent"}
    assert mem("init", "gemini", "--remove").returncode == 0
    assert jsonc.parse(path.read_text()).value == {"theme": "dark"} and "// mine" in path.read_text()


@pytest.mark.parametrize("text", ["= [", "[mcp_servers]\nmemcli = 5\n", "mcp_servers = 5\n"])
def test_a_broken_list_is_left_alone(mem: Run, own_home: Path, text: str) -> None:
    path = servers_of(CLIENTS["codex"])
    path.parent.mkdir(parents=True)
    path.write_text(text)
    done = mem("init", "codex", "--mcp", "--json")
    if done.returncode:
        assert json.loads(done.stderr)["exit_status"] == 2 and path.read_text() == text
    else:
        assert tomllib.loads(path.read_text())["mcp_servers"]["memcli"]["args"]


def test_an_unknown_agent_is_named(mem: Run) -> None:
    done = mem("init", "emacs")
    assert done.returncode == 2 and "claude-desktop" in done.stderr


@pytest.mark.parametrize(
    "asked", [("init", "claude"), ("hook", "install", "claude"), ("hook", "remove", "claude")]
)
def test_an_untrusted_origin_changes_no_agents_settings(
    mem: Run, own_home: Path, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...]
) -> None:
    monkeypatch.setenv("MEMCLI_ORIGIN", "mcp:x")
    done = mem(*asked)
    assert done.returncode == 3 and "only its owner" in done.stderr and not [*own_home.rglob("*.json")]
    assert not [*own_home.rglob("SKILL.md")]


@pytest.mark.parametrize(
    ("agent", "place", "text"),
    [
        ("claude", ".claude.json", '{"mcpServers":{"memcli":{"command":"mine","env":{"K":"v"}}}}'),
        (
            "claude", ".claude.json",
            '{"mcpServers":{"memcli":{"command":"mem","args":["mcp","--name","x"],"env":{}}}}',
        ),
        ("codex", ".codex/config.toml", '[mcp_servers.memcli]\ncommand = "other"\n'),
    ],
)  # fmt: skip
def test_a_server_of_somebody_elses_by_our_name_stays(
    mem: Run, own_home: Path, agent: str, place: str, text: str
) -> None:
    path = own_home / place
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    done = mem("init", agent, "--mcp")
    assert done.returncode == 2 and "a server 'memcli' stands there" in done.stderr
    assert mem("init", agent, "--remove").returncode == 0 and path.read_text() == text


def test_a_file_is_kept_as_it_was_before_the_first_change_and_nothing_is_overwritten(
    mem: Run, own_home: Path
) -> None:
    path = own_home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"mine": 1}')
    precious = path.with_name("settings.json.memcli-backup")
    precious.write_text("PRECIOUS")
    assert mem("init", "gemini", "--mcp", "--hooks").returncode == 0
    assert precious.read_text() == "PRECIOUS"
    assert path.with_name("settings.json.memcli-backup-2").read_text() == '{"mine": 1}'
    assert mem("init", "gemini", "--remove").returncode == 0
    assert path.read_text() == '{"mine": 1}' and precious.read_text() == "PRECIOUS"


@pytest.mark.parametrize("text", ["{}", "[]", ""])
def test_an_empty_file_that_holds_nothing_of_ours_stays(mem: Run, own_home: Path, text: str) -> None:
    for path in (own_home / ".claude.json", own_home / ".claude" / "settings.json"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    mem("init", "claude", "--remove")
    assert (
        (own_home / ".claude.json").read_text()
        == (own_home / ".claude" / "settings.json").read_text()
        == text
    )


def test_a_server_that_cannot_start_yet_says_what_to_install(own_home: Path) -> None:
    told = []
    for words in (["--mcp", "--dry-run"], ["--mcp"], ["--mcp", "--json"], [], ["--remove"]):
        line = [sys.executable, "-c", WITHOUT, "claude", *words]
        done = subprocess.run(line, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        told.append(done.stderr.count("pip install 'memcli[mcp]'"))
    assert told == [1, 1, 1, 0, 0]
