"""Printing what a check-up found, for `mem doctor` and `mem model status`."""

from __future__ import annotations

from collections.abc import Iterable

from memcli.commands.terminal import output
from memcli.storage import Finding
from memcli.text import printable


def print_findings(findings: Iterable[Finding], *, as_json: bool) -> bool:
    """One line a finding, with the remedy of what is not well; whether all is."""
    well = True
    for finding in findings:
        well = well and finding.ok
        if as_json:
            output.to_stdout(printable.json_line(finding._asdict()))
            continue
        verdict = "ok  " if finding.ok else "BAD "
        advice = f"; {finding.remedy}" if finding.remedy and not finding.ok else ""
        output.to_stdout(f"{verdict} {finding.name:<12} {printable.one_line(finding.detail + advice)}")
    return well
