"""Plans: a run's proposals in a file that the owner may read, thin out, and have carried out later.

An LLM's answers are in the file, so that carrying it out asks no LLM. Each line has a checksum of its own:
lines may be removed, but not changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memcli import times
from memcli.consolidation.proposals import Proposal, proposal_from_record
from memcli.consolidation.report import RunReport
from memcli.errors import BadInput
from memcli.scope import Scope
from memcli.system.files import write_private
from memcli.text.checks import check_space
from memcli.text.shapes import read_json

_FORMAT = "memcli-plan/2"
_ANEW = "make it anew with --plan"
# Hexadecimal digits of a line's checksum: against accidents, not against the owner.
_CHECK = 16


def save_plan(report: RunReport, path: Path) -> None:
    """Write a dry run's proposals as JSON Lines, readable by the owner only: it quotes memories."""
    head = {"format": _FORMAT, "space": report.space, "at": times.to_iso(report.at)}
    lines = [_checked(line) for line in (head, *(each.proposal.to_record() for each in report.outcomes))]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    try:
        write_private(path, text.encode())
    except OSError as error:
        raise BadInput(
            f"{path}: cannot be written ({error.strerror})", by_hand="name another file"
        ) from error


def load_plan(path: Path) -> tuple[str, Sequence[Proposal]]:
    """Return a plan's space and proposals; raise BadInput for anything that is no plan, or was changed."""
    try:
        lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        records = [read_json(line) for line in lines]
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from error
    except (BadInput, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: is not a plan, or was cut off; {_ANEW}") from error
    head = records[0] if records else None
    known = head.get("format") if isinstance(head, dict) else None
    if not isinstance(known, str) or not known.startswith("memcli-plan/"):
        raise BadInput(f"{path}: not a plan; {_ANEW}")
    if known != _FORMAT:
        raise BadInput(f"{path}: a plan of another version of memcli ({known[:40]!r}); {_ANEW}")
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict) or record != _checked(record):
            raise BadInput(f"{path}, line {number}: changed since it was planned; {_ANEW}")
    return check_space(_space_of(head, path)), [
        _proposal(record, f"{path}, line {number}") for number, record in enumerate(records[1:], start=2)
    ]


def _space_of(head: Any, path: Path) -> str:
    space = head.get("space")
    if not isinstance(space, str):
        raise BadInput(f"{path}, line 1: names no space; {_ANEW}")
    return space


def _proposal(record: dict[str, Any], where: str) -> Proposal:
    try:
        return proposal_from_record(record)
    except BadInput as error:
        raise BadInput(f"{where}: not a proposal ({error}); {_ANEW}") from error


def check_plan_is_ours(scope: Scope, path: Path, proposals: Sequence[Proposal]) -> None:
    """Raise BadInput for a plan of another store, none of whose memories are known here."""
    named = [memory for each in proposals for memory in each.memories]
    gone = not scope.store.get(named) and not any(next(scope.store.history(each), None) for each in named)
    if named and gone:
        raise BadInput(f"{path}: is a plan for another store: nothing that it names was ever in this one")


def _checked(record: Mapping[str, Any]) -> dict[str, Any]:
    plain = {name: value for name, value in record.items() if name != "check"}
    text = json.dumps(plain, ensure_ascii=True, sort_keys=True)
    return {**plain, "check": hashlib.sha256(text.encode()).hexdigest()[:_CHECK]}
