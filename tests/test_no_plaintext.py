"""Of an encrypted store nothing is in the clear in any file: no text, word or vector; temporary ones too."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memcli.keys.key_file import read_key_file
from memcli.storage.encryption import store_salt
from memcli.storage.sqlite.file import opening
from tests.conftest import Run

# Signs that stand in JSON as they are, that are escaped, and that are no ASCII.
TEXTS = (
    "Zorbanella sleeps on the radiator",
    'Quuxforth said "never" to the plan of the café',
    "The Brontoglyph password policy is kept by Marlunde",
    "Deploys of Vexatorium happen on Thursdays at nine",
)
WORDS = ("zorbanella", "quuxforth", "brontoglyph", "vexatorium", "marlunde")


def forms() -> list[bytes]:
    """What must not be found: each text and word as stored, as JSON, and in capitals."""
    texts = [*TEXTS, *(text[8:30] for text in TEXTS), *WORDS, *(word.title() for word in WORDS)]
    return [form.encode() for text in texts for form in {text, json.dumps(text)[1:-1]}]


class Watch:
    """Looks into every file of some folders, again and again until it is told to stop."""

    def __init__(self, roots: list[Path], needles: Callable[[], list[bytes]]) -> None:
        self.found: set[tuple[str, bytes]] = set()
        self._roots, self._needles, self._stop = roots, needles, threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.look()

    def look(self) -> None:
        for file in (file for root in self._roots for file in root.rglob("*")):
            try:
                content = file.read_bytes() if file.is_file() and not file.is_symlink() else b""
            except OSError:
                continue
            self.found.update((str(file), needle) for needle in self._needles() if needle in content)

    def _run(self) -> None:
        while not self._stop.wait(0.02):
            self.look()


@pytest.fixture
def places(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    (temporary := tmp_path / "temporary").mkdir()
    for name in ("TMPDIR", "SQLITE_TMPDIR"):
        monkeypatch.setenv(name, str(temporary))
    monkeypatch.setenv("MEMCLI_KEY_FILE", str(own_home / "key"))
    monkeypatch.setenv("MEMCLI_LOG", str(own_home / "log"))
    return [own_home, temporary]


def busy_life(mem: Run, home: Path) -> None:
    """Every command that writes, or might write a file."""
    ids = []
    for text in TEXTS:
        done = mem("remember", text, "--tag", "secret", "--force")
        assert done.returncode == 0, done.stderr
        ids.append(done.stdout.split()[0])
    calls = [
        ["recall", "where does Zorbanella sleep"],
        ["recall", "--json", "--explain", TEXTS[1]],
        ["context"],
        ["list", "--as-of", "2030-01-01"],
        ["correct", ids[0], TEXTS[0] + " at night"],
        ["edit", ids[1], "--tag", "other"],
        ["log", TEXTS[2], "--session", "s"],
        ["log", "and " + TEXTS[3], "--session", "s"],
        ["session", "end", "s"],
        ["task", "start", TEXTS[2]],
        ["task", "note", TEXTS[3]],
        ["task", "show"],
        ["checkpoint", "save", "c", json.dumps({"state": TEXTS[1]})],
        ["checkpoint", "run", "c", "step", "--", "echo", TEXTS[3]],
        ["block", "set", "human", TEXTS[1]],
        ["link", "Quuxforth", "works_at", "Vexatorium"],
        ["rule", "never", "Marlunde"],
        ["consolidate", "--dry-run"],
        ["consolidate"],
        ["audit"],
        ["reindex"],
        ["undo"],
        ["export"],
        ["export", "--encrypted", "-o", str(home / "export.age")],
        ["import", str(home / "export.age")],
        ["doctor"],
        ["stats"],
        ["forget", "--hard", "--yes", ids[3]],
        ["backup"],
        ["snapshot", "create", "now"],
    ]
    for call in calls:
        done = mem(*call)
        assert "Traceback" not in done.stderr, (call, done.stderr)
        assert done.returncode != 4, (call, done.stderr)


def vectors(path: Path) -> list[bytes]:
    """Slices of the vectors of an encrypted store, as they would stand in a plain one."""
    salt = store_salt(path)
    assert salt
    opening.learn_key(salt, read_key_file(Path(os.environ["MEMCLI_KEY_FILE"])).key(salt))
    connection = opening.open_database(path)
    rows = [row[0] for row in connection.execute("SELECT vector FROM vectors")]
    connection.close()
    assert rows
    assert len(np.frombuffer(rows[0], "<f4")) == 384
    return [row[start : start + 48] for row in rows for start in (0, 768)]


def test_nothing_is_in_the_clear_after_a_busy_life(mem: Run, own_home: Path, places: list[Path]) -> None:
    assert mem("encrypt").returncode == 0
    with Watch(places, forms) as watch:
        busy_life(mem, own_home)
    assert watch.found == set()
    store = Path(os.environ["MEMCLI_DB"])
    with Watch(places, lambda: vectors(store)) as watch:
        mem("recall", "Thursdays")
    assert watch.found == set()


def test_what_was_in_the_clear_before_is_gone_once_it_is_encrypted(
    mem: Run, own_home: Path, places: list[Path]
) -> None:
    for text in TEXTS:
        assert mem("remember", text, "--force").returncode == 0
    assert mem("consolidate").returncode == 0
    with Watch(places, forms) as watch:
        pass
    assert watch.found, "the search would find nothing anywhere"
    assert mem("encrypt").returncode == 0
    with Watch(places, forms) as watch:
        pass
    assert watch.found == set()
    assert "Zorbanella" in mem("recall", "where does Zorbanella sleep").stdout


def test_a_store_that_may_only_be_read_is_read_from_an_encrypted_copy(
    mem: Run, own_home: Path, places: list[Path]
) -> None:
    assert mem("remember", TEXTS[0]).returncode == 0
    assert mem("encrypt").returncode == 0
    store = Path(os.environ["MEMCLI_DB"])
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    store.chmod(0o400)
    with Watch(places, forms) as watch:
        assert "Zorbanella" in mem("list").stdout
    assert watch.found == set()


def test_no_key_stands_in_what_a_process_shows(mem: Run, own_home: Path, places: list[Path]) -> None:
    mem("encrypt")
    mem("remember", TEXTS[0])
    key = (own_home / "key").read_text().strip()
    shown = []
    for call in (["list"], ["doctor"], ["config", "list"], ["path", "--json"], ["history"], ["export"]):
        done = mem(*call)
        shown += [done.stdout, done.stderr]
    broken = Path(os.environ["MEMCLI_DB"])
    content = bytearray(broken.read_bytes())
    content[100] ^= 1
    broken.write_bytes(content)
    done = subprocess.run(["mem", "list"], capture_output=True, text=True)
    assert done.returncode == 4
    assert len(done.stderr.splitlines()) == 1
    assert not any(key in text for text in [*shown, done.stderr, done.stdout])
