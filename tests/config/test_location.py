"""Where a store is: files and addresses, by every door; and that no password comes out anywhere."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.config.config import Config
from memcli.config.location import Address, location_text, read_location
from memcli.errors import BadAddress, BadInput, MemcliError, StoreUnusable
from memcli.memories import open_memories
from tests.conftest import Run

PASSWORD = "s3cr3t-pa55"
ADDRESS = f"postgresql://ann:{PASSWORD}@db.example:5433/notes?sslmode=require&sslpassword={PASSWORD}"
SHOWN = "postgresql://ann@db.example:5433/notes?sslmode=require"
# Nobody listens there, and nothing is looked up by name.
NOWHERE = f"postgresql://ann:{PASSWORD}@127.0.0.1:1/notes?connect_timeout=2"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (ADDRESS, SHOWN),
        ("postgres://h", "postgresql://h"),
        ("POSTGRESQL://h/d", "postgresql://h/d"),
        ("  postgresql:///notes ", "postgresql:///notes"),
        ("postgresql://u@/d?host=/run/pg&port=5433", "postgresql://u@/d?host=/run/pg&port=5433"),
        ("postgresql://%2Frun%2Fpg/d", "postgresql://%2Frun%2Fpg/d"),
        (
            "postgresql://a,b:5433/d?target_session_attrs=any",
            "postgresql://a,b:5433/d?target_session_attrs=any",
        ),
        ("postgresql://[::1]:5432/d", "postgresql://[::1]:5432/d"),
        ("postgresql://u:a%40b%2F@h/d", "postgresql://u@h/d"),
        ("postgresql://h/d?PASSWORD=x&p%61ssword=y&service=z", "postgresql://h/d?service=z"),
    ],
)
def test_an_address_is_shown_without_what_is_secret(text: str, shown: str) -> None:
    address = read_location(text)
    assert isinstance(address, Address)
    assert (str(address), f"{address}") == (shown, shown)
    assert "x" not in repr(address) or "x" in shown
    again = read_location(location_text(address))
    assert again == address


@pytest.mark.parametrize("text", ["host=h dbname=d", f"host=/x password={PASSWORD} user=p", " user = ann"])
def test_keywords_and_values_are_no_file_with_a_password_in_its_name(text: str) -> None:
    with pytest.raises(BadAddress) as error:
        read_location(text)
    assert PASSWORD not in str(error.value)


@pytest.mark.parametrize(
    "text",
    ["~/x", "notes.db", "a:b", "C:\\notes.db", "./postgresql:x", "/srv/postgresql://x", "./host=h"],
)
def test_a_path_stays_a_path(text: str) -> None:
    assert read_location(text) == Path(text).expanduser()


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://u:{PASSWORD}@x@h/d",
        f"postgresql://u:{PASSWORD}/x@h/d",
        f"postgresql://u:{PASSWORD} @h/d",
        f"postgresql://u:{PASSWORD}%4@h/d",
        f"postgresql://u:{PASSWORD}@h:99999/d",
        f"postgresql://u:{PASSWORD}@h:x/d",
        f"postgresql://u:{PASSWORD}@h/d?x",
        f"postgresql://u:{PASSWORD}@h/d/e",
        f"postgresql:/u:{PASSWORD}@h/d",
        f"postgres:u:{PASSWORD}@h",
    ],
)
def test_a_malformed_address_is_one_line_and_2_and_not_quoted(mem: Run, own_home: Path, text: str) -> None:
    with pytest.raises(BadAddress) as caught:
        read_location(text)
    assert PASSWORD not in str(caught.value)
    done = mem("list", env={**os.environ, "MEMCLI_DB": text})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "MEMCLI_DB" in done.stderr
    assert PASSWORD not in done.stderr
    assert not list(own_home.rglob("*postgres*"))


@pytest.mark.parametrize(
    "text",
    [f"mysql://u:{PASSWORD}@h/d", f"https://u:{PASSWORD}@h", f"file:///{PASSWORD}", f"sqlite:///{PASSWORD}"],
)
@pytest.mark.parametrize("arguments", [["list"], ["remember", "I drink tea"], ["path"], ["doctor"]])
def test_an_unknown_engine_is_one_line_and_4(
    mem: Run, own_home: Path, tmp_path: Path, text: str, arguments: list[str]
) -> None:
    ways = [
        mem(*arguments, env={**os.environ, "MEMCLI_DB": text}, cwd=tmp_path),
        mem(*arguments, "--db", text, cwd=tmp_path),
        mem("--db", text, *arguments, cwd=tmp_path),
    ]
    for done in ways:
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (4, "", 1)
        assert PASSWORD not in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_library_and_the_config_file_read_addresses_too(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match=r"mysql://…"):
        open_memories("mysql://h/d")
    with pytest.raises(BadAddress):
        open_memories(Path(NOWHERE))
    config = Config({}, tmp_path / "config.toml")
    config.set("db", "postgresql://ann@h/d")
    assert str(Config({}, config.file)["db"]) == "postgresql://ann@h/d"
    config.file.write_text('db = "mysql://h"\n')
    with pytest.raises(StoreUnusable):
        Config({}, config.file)["db"]
    Config({}, config.file).set("db", "~/notes.db")
    with pytest.raises(BadInput, match="db"):
        config.set("db", f"postgresql://u:{PASSWORD}@x@h")


FILES_ONLY = [
    ["backup"], ["backup", "list"], ["backup", "verify"], ["backup", "restore", "latest", "--yes"],
    ["encrypt", "--keyring"], ["decrypt"], ["rekey", "--keyring"], ["doctor", "--repair"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", FILES_ONLY)
def test_what_is_of_files_says_what_holds_on_a_server_instead(
    mem: Run, own_home: Path, arguments: list[str]
) -> None:
    if arguments == ["backup"]:
        return  # it asks the server first
    done = mem(*arguments, "--db", NOWHERE)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("mem: postgresql://ann@127.0.0.1:1/notes")
    assert "operator" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["path"], ["path", "--json"], ["list"], ["list", "--json"], ["doctor"], ["doctor", "--json"],
        ["stats"], ["remember", "I drink tea"], ["recall", "tea"], ["config", "get", "db"],
        ["config", "list"],
        ["config", "list", "--json"], ["config", "get", "db", "--json"], ["forget", "--hard", "x", "--yes"],
        ["consolidate"], ["consolidate", "--install", "cron"], ["consolidate", "--install", "systemd"],
        ["consolidate", "--install", "launchd", "--json"], ["merge-store", ADDRESS], ["sync", "."],
        ["export"], ["hook", "start"], ["show", "x"],
    ],
)  # fmt: skip
def test_a_password_is_never_printed(mem: Run, own_home: Path, tmp_path: Path, arguments: list[str]) -> None:
    log = tmp_path / "log"
    environment = {**os.environ, "MEMCLI_LOG": str(log)}
    ways = [
        mem(*arguments, env={**environment, "MEMCLI_DB": NOWHERE}, cwd=tmp_path),
        mem("--db", NOWHERE, *arguments, env=environment, cwd=tmp_path),
    ]
    if "config" not in arguments and arguments[0] != "hook":
        ways.append(mem(*arguments, "--db", NOWHERE, env=environment, cwd=tmp_path))
    for done in ways:
        assert PASSWORD not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    assert not log.exists() or PASSWORD not in log.read_text()
    assert {path.name for path in tmp_path.iterdir()} <= {"log"}


def test_a_path_is_told_as_an_address_without_a_password(mem: Run) -> None:
    assert mem("path", "--db", ADDRESS).stdout == f"{SHOWN}\n"
    assert json.loads(mem("path", "--json", "--db", ADDRESS).stdout) == {"path": SHOWN, "exists": None}


def test_completing_an_id_says_nothing_of_an_address(mem: Run) -> None:
    words = "\t".join(["mem", "--db", NOWHERE, "show", ""])
    done = mem(env={**os.environ, "_MEM_COMPLETE": words})
    assert PASSWORD not in done.stdout + done.stderr


def test_a_schedule_names_the_address_and_leaves_the_password_to_pgpass(mem: Run) -> None:
    for done in (
        mem("consolidate", "--install", "cron", "--db", ADDRESS),
        mem("consolidate", "--install", "cron", env={**os.environ, "MEMCLI_DB": ADDRESS}),
    ):
        assert done.returncode == 0, done.stderr
        assert SHOWN in done.stdout
        assert "pgpass" in done.stderr
    plain = mem("consolidate", "--install", "cron", "--db", SHOWN)
    assert "pgpass" not in plain.stderr


@given(
    st.text(alphabet="ab:/@?%&=#[]1 ,.~\\é\x1b", max_size=40),
    st.sampled_from(["postgresql://", "postgres://"]),
)
def test_whatever_stands_before_an_at_sign_is_no_part_of_what_is_shown(text: str, scheme: str) -> None:
    try:
        place = read_location(f"{scheme}u:{PASSWORD}{text}@h/d")
    except MemcliError as error:
        assert PASSWORD not in str(error)
    else:
        assert PASSWORD not in f"{place} {place!r}"
