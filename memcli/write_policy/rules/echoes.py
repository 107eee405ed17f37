"""Echo rule: do not store again what memcli itself has printed."""

from __future__ import annotations

from dataclasses import replace

from memcli.prompt.traces import may_echo
from memcli.write_policy.decision import Case
from memcli.write_policy.rule_context import RuleContext


def refuse_echo(case: Case, grounds: RuleContext) -> Case:
    """Remove recalled pieces from the text; refuse a text that consists of nothing else."""
    memory = case.memory
    if not may_echo(memory.text):
        return case
    from memcli.prompt.echoes import ECHOED, without_echoes

    rest, echoes = without_echoes(memory.text, grounds.reader.originals(memory.space))
    if not echoes:
        return case
    if not rest:
        return grounds.decided(case, "refuse", "echo", ECHOED)
    if grounds.options.force:
        return case.overriding("echo", f"{echoes} recalled pieces in it (echo)")
    return replace(case, memory=replace(memory, text=rest)).noting(
        f"{echoes} recalled pieces in it were left out (echo)"
    )
