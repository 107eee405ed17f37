"""`mem doctor`: is everything well?"""

from __future__ import annotations

import typer

from memcli import output
from memcli.commands import options


def command(json: options.Json = False, db: options.Db = None) -> None:
    """Check that the store is sound, and say what to do where it is not.

    Exits 4 if anything is not well.
    """
    from memcli.health import examine

    well = True
    with options.opened(db) as memories:
        for finding in examine(memories):
            well = well and finding.ok
            if json:
                output.to_stdout(output.json_line(finding._asdict()))
            else:
                verdict = "ok  " if finding.ok else "BAD "
                advice = "" if finding.ok else f"; {finding.remedy}"
                output.to_stdout(f"{verdict} {finding.name:<12} {output.one_line(finding.detail + advice)}")
    if not well:
        raise typer.Exit(4)
