"""`mem list --ended` says of each line what has ended, in a pipe as in a table."""

from __future__ import annotations

from tests.conftest import Run


def test_what_was_forgotten_or_merged_is_marked(mem: Run) -> None:
    first = mem("remember", "The boat lies in Linz").stdout.strip()
    mem("remember", "Otto waters the figs")
    assert mem("forget", first).returncode == 0
    lines = mem("list", "--ended").stdout.splitlines()
    assert sorted(line.split(None, 3)[3] for line in lines) == [
        "The boat lies in Linz  (ended)", "Otto waters the figs",
    ][::-1]  # fmt: skip
    # What was printed is known again.
    assert mem("remember", next(line for line in lines if "Linz" in line)).returncode == 3
