"""A plan: what a run would do, in a file that its owner may read, thin out, and have carried out later."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from memcli import times
from memcli.consolidation.proposals import Proposal, from_record
from memcli.consolidation.run import Report
from memcli.errors import BadInput

_FORMAT = "memcli-plan/1"


def save(report: Report, path: Path) -> None:
    """Write a dry run's proposals as JSON Lines, for the owner's eyes only: it quotes memories."""
    head = {"format": _FORMAT, "space": report.space, "at": times.to_text(report.at)}
    lines = [head, *(outcome.proposal.to_record() for outcome in report.outcomes)]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        handle = os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        fresh.replace(path)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror})") from error


def load(path: Path) -> tuple[str, Sequence[Proposal]]:
    """A plan's space and proposals; raises BadInput for anything that is no plan."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise BadInput(f"{path}: no plan; make one with --plan") from error
    head = lines[0] if lines else None
    if not isinstance(head, dict) or head.get("format") != _FORMAT or not isinstance(head.get("space"), str):
        raise BadInput(f"{path}: no plan of this version; make one with --plan")
    return head["space"], [from_record(line) for line in lines[1:]]
