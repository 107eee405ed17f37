"""Findings of a check-up, printed for `mem doctor` and `mem model status`."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing

from memcli.commands.terminal import output
from memcli.messages import Command, message
from memcli.storage.reports import Finding, Repair
from memcli.text import printable


def print_findings(findings: Generator[Finding], *, as_json: bool) -> bool:
    """Print one line for each finding, with the remedy for each problem; return True if there is none."""
    well = True
    # If the reader of stdout is gone, the generator is closed here, while the store is still open.
    with closing(findings):
        for finding in findings:
            well = well and finding.ok
            if as_json:
                output.to_stdout(printable.json_line(finding._asdict()))
                continue
            verdict = "ok  " if finding.ok else "BAD "
            advice = f"; {finding.remedy}" if finding.remedy and not finding.ok else ""
            output.to_stdout(f"{verdict} {finding.name:<12} {printable.one_line(finding.detail + advice)}")
    return well


def print_repair(repair: Repair, *, as_json: bool) -> None:
    """Print one line for each row that was damaged, and for the files."""
    if as_json:
        record = {**repair._asdict(), "set_aside": str(repair.set_aside) if repair.set_aside else None}
        output.to_stdout(printable.json_line({"repair": record}))
        return
    for verdict, rows, what in (
        ("mended", repair.mended, "as it was written, which its digest proves"),
        ("mended", repair.recovered, "was gone; as its history tells it"),
        ("accepted", repair.accepted, "taken as it was found"),
        ("doubtful", repair.doubtful, "left as it was found: nothing proves what it said"),
        ("lost", repair.lost, "not readable any more"),
        ("removed", repair.removed, "it was not memcli's"),
    ):
        for row in rows:
            output.to_stdout(f"{verdict:<9} {printable.one_line(row)}: {what}")
    if repair.salvaged:
        output.to_stdout("salvaged  a new file has taken the place of the damaged one")
    if repair.rebuilt:
        output.to_stdout("rebuilt   words, tags, names of links, indexes")
    if repair.doubtful:
        output.to_stderr(
            message(
                Command("show ID"),
                " shows what is doubtful; correct or forget it, or take all of it as it is: ",
                Command("doctor", "--repair --accept", bare=True),
            )
        )
    if repair.set_aside:
        output.to_stderr(
            f"the damaged file is kept as {repair.set_aside}; look at the new state, then remove it"
        )
