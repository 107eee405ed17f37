"""What a link is to rest on is in force; of what is not it is said how it ended, and the way out."""

from __future__ import annotations

from tests.conftest import Run


def test_what_was_superseded_is_told_from_what_was_forgotten(mem: Run) -> None:
    old = mem("remember", "Ann works at Acme").stdout.strip()
    new = mem("correct", old, "Ann works at Helio").stdout.strip()
    done = mem("link", "Ann", "works_at", "Helio", "--from", old)
    assert done.returncode == 2 and f"is superseded, and {new} stands in its place" in done.stderr
    assert f"--from {new[-8:]} rests it on that" in done.stderr and "restore" not in done.stderr
    assert mem("link", "Ann", "works_at", "Helio", "--from", new[-8:]).returncode == 0
    mem("forget", new, "--reason", "moved")
    done = mem("link", "Ann", "likes", "Helio", "--from", new)
    assert f"is forgotten; `mem restore {new}` first" in done.stderr
