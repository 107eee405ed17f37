"""What was kept by force is shown all the same, and the command given works."""

from __future__ import annotations

import json
import shlex

from tests.conftest import Run

SECRET = "the wifi password is Fr0sch-teich!9"


def test_secrets_that_were_forced_are_audited_ended_ones_too(mem: Run) -> None:
    kept = mem("remember", "--force", SECRET).stdout.strip()
    ended = mem("remember", "--force", "my pin is 4711, never told").stdout.strip()
    mem("forget", ended)
    mem("block", "set", "b", "nothing secret")
    found = [json.loads(line) for line in mem("audit", "--check", "secrets", "--json").stdout.splitlines()]
    assert [each["ids"] for each in found] == [[kept], [ended]]
    assert [each["detail"].partition(")")[2] for each in found] == [
        ", kept by force",
        ", kept by force, ended",
    ]
    for each in found:
        command = shlex.split(each["remedy"].partition(" (")[0])
        assert command[:3] == ["mem", "forget", "--hard"] and mem(*command[1:]).returncode == 0
    assert mem("audit", "--check", "secrets").stdout == ""
