"""A copy of the tree in which a source may be changed and tests run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]


def copied(folder: Path) -> Path:
    """A copy of what tests need, byte code checked by the source's hash: a mutant may keep size and time."""
    folder.mkdir(parents=True)
    for name in ("memcli", "tests", "benchmarks", "docs", "completions", "man"):
        shutil.copytree(TREE / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "labels"))
    for name in ("pyproject.toml", "constraints.txt", "README.md", "CHANGELOG.md"):
        shutil.copy(TREE / name, folder / name)
    compiling = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash"]
    subprocess.run([*compiling, "memcli", "tests"], cwd=folder, check=True)
    return folder


@contextmanager
def mutated(file: Path, source: str) -> Iterator[None]:
    """`file` says `source`, until the block is left."""
    original = file.read_text(encoding="utf-8")
    file.write_text(source, encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(original, encoding="utf-8")
