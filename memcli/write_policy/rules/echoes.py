"""What memcli itself has printed is not remembered once more."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from memcli.prompt.echoes import ECHOED, without_echoes
from memcli.write_policy.decision import Case
from memcli.write_policy.grounds import Grounds


def echo(case: Case, grounds: Grounds) -> Case:
    """Leave recalled pieces out; refuse a text that is nothing else."""
    space, reader = case.memory.space, grounds.reader
    heard = without_echoes(
        case.memory.text,
        partial(reader.text_of, space),
        partial(reader.is_turn, space),
        partial(reader.blocks, space),
    )
    if not heard.echoes:
        return case
    if not heard.text:
        return grounds.decided(case, "refuse", "echo", ECHOED)
    if grounds.options.force:
        return case.overriding("echo", f"{heard.echoes} recalled pieces in it (echo)")
    kept = replace(case, memory=replace(case.memory, text=heard.text))
    return kept.noting(f"{heard.echoes} recalled pieces in it were left out (echo)")
