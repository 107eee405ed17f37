"""Three machines that sync, with clocks a day wrong and kills in between: are they the same in the end?

    python -m benchmarks.machines [--seed 1] [--steps 80]

Linux with libfaketime. Each step is a real `mem` on one of three stores: a change, an erasure, a
restore, a sync; every third is killed at a random instant. At the end all sync until nobody has news.
What must hold: the same memories, links, blocks; no exit status but what the command promises;
nothing that was erased in any file; a last sync that says nothing is new, with exit 0.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

_CLOCKS = {"one": "+0", "two": "+1d", "three": "-1d"}
_FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
_WORDS = ("amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heron", "inlet", "jetty", "kelp")
_ROUNDS = 6
# How a command may end here: what it names may be gone, nothing may fit, what was forgotten is refused.
_FINE = (0, 1, 2, 3)


class Machines:
    """Three stores, their folder, and what was erased."""

    def __init__(self, home: Path, chance: random.Random) -> None:
        self._home, self._chance = home, chance
        self.folder = home / "folder"
        self.folder.mkdir()
        self.wrong: list[str] = []
        self.erased: list[str] = []
        self.ended: Counter[int] = Counter()

    def run(self, name: str, *words: str, kill: bool = False) -> subprocess.CompletedProcess[str]:
        """One command on a machine; with `kill` cut off at a random instant."""
        here = self._home / name
        here.mkdir(exist_ok=True)
        environment = {
            **os.environ, "HOME": str(here), "MEMCLI_DB": str(here / "memory.db"), "TMPDIR": str(here),
            "MEMCLI_CONFIG": str(here / "config.toml"), "LD_PRELOAD": _FAKETIME, "FAKETIME": _CLOCKS[name],
        }  # fmt: skip
        command = [sys.executable, "-m", "memcli", *words]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        ) as child:
            if kill:
                time.sleep(self._chance.uniform(0, 2.5))
                child.kill()
            out, err = child.communicate()
        self.ended[child.returncode] += 1
        if not kill and ("Traceback" in err or child.returncode not in (*_FINE, 4)):
            self.wrong.append(f"{name}: mem {' '.join(words)}: {child.returncode} {err[-300:]}")
        return subprocess.CompletedProcess(command, child.returncode, out, err)

    def step(self, number: int) -> None:
        """One thing on one machine."""
        chance, name = self._chance, self._chance.choice(list(_CLOCKS))
        text = f"the {chance.choice(_WORDS)} number {number} is by the {chance.choice(_WORDS)}"
        ids = self._ids(name)
        deeds: list[tuple[str, ...]] = [
            ("remember", text), ("block", "set", chance.choice(_WORDS[:3]), text), ("undo",),
            ("link", chance.choice(_WORDS), "lies_by", chance.choice(_WORDS)), ("backup",),
            ("backup", "restore", "latest", "--yes"), *[("sync", str(self.folder))] * 5,
        ]  # fmt: skip
        if ids:
            one = chance.choice(ids)
            deeds += [
                ("edit", one, "--importance", f"{chance.random():.2f}"), ("forget", one), ("restore", one),
                ("correct", one, f"{text}, corrected"),
            ]  # fmt: skip
            if chance.random() < 0.5:
                shown = self.run(name, "show", one, "--json")
                if not shown.returncode:
                    self.erased.append(str(json.loads(shown.stdout)["text"]))
                    deeds = [("forget", "--hard", "--yes", one)]
        self.run(name, *chance.choice(deeds), kill=chance.random() < 1 / 3)

    def _ids(self, name: str) -> list[str]:
        listed = self.run(name, "list", "--json", "--ended")
        return [json.loads(line)["id"] for line in listed.stdout.splitlines()] if listed.stdout else []

    def settle(self) -> None:
        """Sync until nobody has news, and look."""
        self._sync_until_nothing_is_new()
        held = {name: self._held(name) for name in _CLOCKS}
        self._compare(held)
        self._look_for_erased("\n".join(held["one"]))

    def _sync_until_nothing_is_new(self) -> None:
        last: dict[str, subprocess.CompletedProcess[str]] = {}
        for _ in range(_ROUNDS):
            for name in _CLOCKS:
                last[name] = self.run(name, "sync", str(self.folder))
        for name, done in last.items():
            if done.returncode or done.stdout.count("nothing new") < 2:
                self.wrong.append(f"{name}: the last sync: {done.returncode} {done.stdout} {done.stderr}")

    def _compare(self, held: dict[str, list[str]]) -> None:
        """Note where the machines do not hold the same."""
        if not held["one"]:
            self.wrong.append("nothing to compare")
        for name in ("two", "three"):
            if held[name] != held["one"]:
                differ = {*held[name]} ^ {*held["one"]}
                self.wrong.append(f"one and {name} differ: {sorted(differ)[:6]}")

    def _look_for_erased(self, alive: str) -> None:
        """Note which erased texts are in a file still; one that is `alive` was said again.

        So is one whose machine was killed before anything was erased.
        """
        for text in {each for each in self.erased if each not in alive}:
            for path in self._home.rglob("*"):
                if path.is_file() and text.encode() in path.read_bytes():
                    self.wrong.append(f"erased, and still in {path}: {text}")

    def _held(self, name: str) -> list[str]:
        exported = self.run(name, "export", "-o", "-").stdout
        found = []
        for line in map(json.loads, exported.splitlines()):
            if line.get("type") in (None, "memory") and "id" in line:
                kept = ("id", "text", "importance", "tags", "ended_as", "space", "trusted")
                found.append(json.dumps({each: line.get(each) for each in kept}, sort_keys=True))
            elif line.get("type") == "link":
                said = [line[each] for each in ("subject", "relation", "object")]
                found.append(json.dumps([*said, bool(line["ended_at"])]))
            elif line.get("type") == "state" and line["area"] == "block":
                found.append(json.dumps([line["key"], line["value"]], sort_keys=True))
        return sorted(found)


def main() -> None:
    """Run the steps, settle, print what is wrong; exit 1 where anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--keep", type=Path, help="keep the folders where anything was wrong")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memcli-machines-") as folder:
        machines = Machines(Path(folder), random.Random(given.seed))
        for number in range(given.steps):
            machines.step(number)
        machines.settle()
        if machines.wrong and given.keep:
            shutil.copytree(folder, given.keep, dirs_exist_ok=True)
    print("\n".join(machines.wrong))
    ended, wrong = dict(machines.ended), len(machines.wrong)
    print(f"seed {given.seed}: {given.steps} steps, commands ended as {ended}, wrong {wrong}")
    sys.exit(bool(machines.wrong))


if __name__ == "__main__":
    main()
