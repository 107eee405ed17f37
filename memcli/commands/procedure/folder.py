"""`mem procedure export` and `import`: write and read a folder of procedures, as people edit them."""

from pathlib import Path
from typing import Annotated

import typer

from memcli.commands.procedure.look import print_written
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.messages import Command, message
from memcli.text import printable


def export_folder(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Write every procedure in force into a folder, one file each; skills as their SKILL.md folders."""
    from memcli.tiers.procedures.folder import export_procedures

    with opened_memories(db, space) as memories:
        exported = export_procedures(memories, folder)
    if exported.untrusted:
        names = ", ".join(map(printable.one_line, exported.untrusted))
        output.to_stderr(
            message(f"left out, untrusted: {names}; look at it, then ", Command("edit ID --trusted"))
        )
    if json:
        record = {
            "written": [str(path) for path in exported.written], "unchanged": len(exported.unchanged),
            "untrusted": exported.untrusted,
        }  # fmt: skip
        output.to_stdout(printable.json_line(record))
        return
    for path in exported.written:
        output.to_stdout(str(path))
    output.to_stderr(f"{len(exported.written)} written, {len(exported.unchanged)} unchanged")


def import_folder(
    folder: Annotated[Path, typer.Argument(metavar="DIR|FILE")],
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Import a folder of procedures or skills, or one file; exits 2 if anything was refused."""
    from memcli.tiers.procedures.folder import LeftOut, import_procedures

    new = same = refused = 0
    with opened_memories(db, space, create=True) as memories:
        for file, written in import_procedures(memories, folder):
            if isinstance(written, LeftOut):
                named = folder.is_file()
                refused += named or written.refused
                output.to_stderr(f"{folder if named else folder / file}: {written.why}")
                continue
            if written.remark:
                output.to_stderr(f"{file}: {written.remark}")
            new, same = new + written.new, same + (not written.new)
            if written.new:
                print_written(written.memory, json)
    output.to_stderr(f"{new} new or changed, {same} unchanged, {refused} refused")
    if refused:
        raise typer.Exit(2)
