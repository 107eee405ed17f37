"""What encryption costs: the same command on a plain store and on the same store encrypted.

    python -m benchmarks.encryption [--rows 10000] [--runs 15] [--cache PATH]

Whole processes, plain and encrypted by turns so that noise hits both; the medians and their
ratio. The key is in a key file. It asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.speed.processes import MEM
from benchmarks.speed.rows import QUERY
from benchmarks.speed.texts import make_store

COMMANDS = (
    ["recall", QUERY, "--json"],
    ["recall", "--words", QUERY],
    ["list", "-n", "20"],
    ["log", "a line of a session", "--later"],
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--cache", type=Path, default=None)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mem-encryption-") as folder:
        home = Path(folder)
        cache = given.cache or home / "cache"
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MEMCLI_")},
            "HOME": folder, "MEMCLI_CONFIG": os.devnull, "MEMCLI_CACHE_DIR": str(cache),
            "MEMCLI_KEY_FILE": str(home / "key"),
        }  # fmt: skip
        plain, encrypted = home / "plain.db", home / "encrypted.db"
        make_store(plain, cache, given.rows)
        shutil.copyfile(plain, encrypted)
        began = time.perf_counter()
        subprocess.run([MEM, "--db", encrypted, "encrypt"], env=environment, check=True, capture_output=True)
        print(f"{given.rows:,} memories; encrypted in {time.perf_counter() - began:.1f} s")
        for command in COMMANDS:
            taken: dict[Path, list[float]] = {plain: [], encrypted: []}
            for _ in range(given.runs):
                for store, times in taken.items():
                    began = time.perf_counter()
                    call = [str(MEM), "--db", str(store), *command]
                    subprocess.run(call, env=environment, check=True, capture_output=True)
                    times.append(time.perf_counter() - began)
            before, after = (median(times) for times in taken.values())
            name = " ".join(word for word in command if word != QUERY)
            print(f"{name:<40} plain {before:.3f} s   encrypted {after:.3f} s   {after / before:.2f} ×")


if __name__ == "__main__":
    main()
