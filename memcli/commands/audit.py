"""`mem audit`: find duplicates, contradictions, secrets and other problems in the memories."""

import gc
from collections import Counter
from typing import Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.progress import progress_bar
from memcli.commands.terminal.store import opened_memories
from memcli.model import KNOWLEDGE
from memcli.prompt import formats
from memcli.text import printable
from memcli.text.checks import check_choice
from memcli.upkeep.audit import AUDIT_CHECKS, audit_memories, fix_issue

EXAMPLES = """
mem audit
mem audit --check contradictions -n 5
mem audit --check missing-vectors --fix   # exit 1: nothing to say
"""


def command(
    check: Annotated[
        list[str] | None,
        typer.Option(metavar="CHECK", help=f"Only this check (repeatable): {', '.join(AUDIT_CHECKS)}."),
    ] = None,
    mend: Annotated[bool, typer.Option("--fix", help="Fix what can be fixed without loss.")] = False,
    limit: Annotated[
        int,
        typer.Option("-n", "--limit", min=0, metavar="N", help="At most this many per check; 0 for all."),
    ] = 20,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Audit the memories: duplicates, contradictions, secrets, never used.

    Each finding comes with the command that fixes it; contradictions are
    listed newest first. Exits 1 if there is nothing to report.
    """
    for each in check or ():
        check_choice("check", each, tuple(AUDIT_CHECKS))
    # There are hundreds of thousands of records without reference cycles, and looking for cycles would take a
    # sixth of the time.
    gc.disable()
    with opened_memories(db, space) as memories:
        total = sum(number for *_, number in memories.store.count(memories.within(kinds=KNOWLEDGE)))
        with progress_bar("auditing", total) as progress:
            issues = list(audit_memories(memories, tuple(check or ()), progress))
        whole = memories.as_one_change(memories.new_id(memories.now()), memories.origin)
        shown = Counter[str]()
        for told in issues:
            issue = told._replace(remedy=output.printed(told.remedy))
            done = fix_issue(whole, issue) if mend else None
            shown[issue.check] += 1
            if limit and shown[issue.check] > limit:
                continue
            if json:
                output.to_stdout(printable.json_line({**issue._asdict(), "fixed": done}))
                continue
            detail = printable.one_line(issue.detail)
            output.to_stdout(formats.AUDITED.format(check=issue.check, rest=detail))
            way = formats.MENDED.format(rest=done) if done else formats.TO_MEND.format(rest=issue.remedy)
            output.to_stdout(way)
    for each, found in shown.items():
        if limit and found > limit:
            output.to_stderr(f"{each}: {found - limit:,} more; --limit 0 shows all")
    if not issues:
        raise typer.Exit(1)
