"""Settings: defaults < file < environment, each value with where it came from."""

from __future__ import annotations

import inspect
import json
import os
import re
import stat
import sys
from pathlib import Path
from typing import get_args

import pytest

from memcli.config import setting_names
from memcli.config.config import Config
from memcli.config.settings import SETTINGS, environment_variable, read_text, written
from memcli.errors import BadInput
from tests.conftest import Run


def test_each_layer_wins_over_the_one_below(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    assert Config({}, file).value("limit") == ("limit", 10, "default")
    file.write_text("limit = 5\n")
    assert Config({}, file).value("limit") == ("limit", 5, str(file))
    assert Config({"MEMCLI_LIMIT": "3"}, file).value("limit") == ("limit", 3, "MEMCLI_LIMIT")


def test_setting_keeps_comments_and_is_private(tmp_path: Path) -> None:
    file = tmp_path / "sub" / "config.toml"
    config = Config({}, file)
    config.set("limit", "7")
    file.write_text("# mine\n" + file.read_text())
    config.set("space", "work")
    assert file.read_text().startswith("# mine\n")
    assert (Config({}, file)["limit"], Config({}, file)["space"]) == (7, "work")
    config.set("limit", None)
    assert Config({}, file)["limit"] == 10
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limit = [", "TOML"),
        ("colour = 1", "colour"),
        ("limit = 0", "limit"),
        ("min_score = 2", "0 and 1"),
        ("limit = 'x'", "number"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(BadInput, match=rf"config\.toml.*{said}"):
        Config({}, file).all()


def test_a_file_that_cannot_be_changed_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    broken = tmp_path / "config.toml"
    for text in ("limit = [", "limit = 1\nlimit = 2\n"):
        broken.write_text(text)
        with pytest.raises(BadInput, match=r"config\.toml: not valid TOML.*mend"):
            Config({}, broken).set("limit", "5")
        assert broken.read_text() == text
    nowhere = tmp_path / "config"
    nowhere.symlink_to(tmp_path / "gone" / "config.toml")
    with pytest.raises(BadInput, match="config: cannot be written.*MEMCLI_CONFIG"):
        Config({}, nowhere).set("limit", "5")


def test_a_bad_variable_is_named() -> None:
    with pytest.raises(BadInput, match="MEMCLI_LIMIT"):
        Config({"MEMCLI_LIMIT": "many"}, Path("none"))["limit"]


@pytest.mark.parametrize("name", SETTINGS)
def test_an_empty_variable_never_leads_elsewhere(tmp_path: Path, name: str) -> None:
    variable = environment_variable(name)
    config = Config({variable: ""}, tmp_path / "config.toml")
    where_and_who = {"db", "key_command", "key_file", "cache_dir", "space", "origin", "untrusted_origins"}
    if name in where_and_who:
        with pytest.raises(BadInput, match=rf"^{variable} is empty"):
            config.value(name)
    else:
        assert config.value(name).origin == "default"


@pytest.mark.parametrize("variable", ["MEMCLI_DB", "MEMCLI_SPACE", "MEMCLI_ORIGIN", "MEMCLI_CONFIG"])
def test_nothing_is_written_where_an_empty_variable_leads(mem: Run, variable: str) -> None:
    done = mem("remember", "the ferry leaves at noon", env={**os.environ, variable: ""})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"mem: {variable} is empty; give it a value (an unset variable?), or unset it\n"
    assert mem("list").stdout == ""


@pytest.mark.parametrize("name", [name for name in SETTINGS if name != "half_lives"])
@pytest.mark.parametrize("blank", ["", " "])
def test_no_setting_is_set_to_nothing(tmp_path: Path, name: str, blank: str) -> None:
    config = Config({}, tmp_path / "config.toml")
    with pytest.raises(BadInput, match=name):
        config.set(name, blank)
    assert not config.file.exists()


def test_a_path_in_a_home_that_there_is_not_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="MEMCLI_DB.*home folder"):
        Config({"MEMCLI_DB": "~nobody-of-that-name/x"}, tmp_path / "config.toml")["db"]
    with pytest.raises(BadInput, match="nobody-of-that-name.*home folder"):
        Config({"MEMCLI_CONFIG": "~nobody-of-that-name/x"})


def test_without_a_home_the_working_directory_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: str, **__: object) -> str:
        raise RuntimeError("could not determine the home directory")

    # What the library does, by its version, for a user whom this machine does not know.
    for answer in (unknown, lambda *_, **__: "~/.local"):
        monkeypatch.setattr("platformdirs.user_config_dir", answer)
        monkeypatch.setattr("platformdirs.user_data_dir", answer)
        with pytest.raises(BadInput, match=r"no home folder.*MEMCLI_CONFIG"):
            Config({})
        with pytest.raises(BadInput, match=r"no home folder.*MEMCLI_DB"):
            Config({}, tmp_path / "config.toml")["db"]


def test_what_is_bad_in_the_file_is_mended_by_setting_it(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('db = ""\n# mine\nkey_file = ""\n')
    config = Config({}, file)
    config.set("db", str(tmp_path / "memory.db"))
    config.set("key_file", None)
    assert (Config({}, file)["db"], Config({}, file)["key_file"]) == (tmp_path / "memory.db", None)
    assert "# mine" in file.read_text()


def test_nothing_is_read_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("config.toml", "memcli.toml", ".memcli", "memory.db", ".env"):
        (tmp_path / name).write_text("limit = 1\nMEMCLI_LIMIT=1\n")
    monkeypatch.chdir(tmp_path)
    config = Config({}, None)
    assert config["limit"] == 10
    db = config["db"]
    assert isinstance(db, Path) and tmp_path not in db.parents


def test_a_type_checker_knows_the_type_of_every_setting() -> None:
    aliases = {name: get_args(alias) for name, alias in vars(setting_names).items() if name.endswith("Name")}
    assert sorted(each for names in aliases.values() for each in names) == sorted(SETTINGS)
    # A value of another type wants an overload of `Config.__getitem__`, too.
    stubs = re.findall(r"name: names\.(\w+)\) -> ([^:]+): \.\.\.", inspect.getsource(Config))
    assert {name for name, _ in stubs} == set(aliases)
    for name, told in stubs:
        assert name == "".join(each.capitalize() for each in told.replace("|", "Or").split()) + "Name"
    for name, setting in SETTINGS.items():
        [alias] = [alias for alias, names in aliases.items() if name in names]
        assert alias.startswith(setting.read.__annotations__["return"].capitalize())
        assert ("None" in alias) == (Config({}, Path("config.toml")).value(name).value is None)


def test_every_setting_has_a_variable_and_a_line_of_help() -> None:
    for name, setting in SETTINGS.items():
        assert environment_variable(name).startswith("MEMCLI_") and setting.help


def test_a_value_is_shown_as_it_is_written_and_read_back_the_same(mem: Run) -> None:
    for name, setting in SETTINGS.items():
        if setting.default is not None:
            assert read_text(setting, written(setting, setting.default), name) == setting.default, name
    for text in ("7d", "24h", "90m", "15s", "0.4s", "36h", "1h", "10s", "2d"):
        assert written(SETTINGS["turn_ttl"], read_text(SETTINGS["turn_ttl"], text, "")) == text
    assert written(SETTINGS["warm"], 0.0) == "off" and written(SETTINGS["turn_ttl"], 0.0) == "0"
    mem("config", "set", "transient_ttl", "3d")
    assert mem("config", "get", "transient_ttl").stdout == "3d\n"
    assert json.loads(mem("config", "get", "transient_ttl", "--json").stdout)["value"] == 259200.0
    shown = mem("config", "list").stdout
    assert re.search(r"^transient_ttl +3d ", shown, re.MULTILINE)
    assert re.search(r"^hook_log +off ", shown, re.MULTILINE) and "00.0 " not in shown
