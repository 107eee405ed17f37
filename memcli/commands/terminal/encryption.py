"""Encryption options and output, shared by `mem encrypt`, `mem rekey` and `mem decrypt`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memcli.commands.terminal import output
from memcli.messages import Command, message
from memcli.text import printable
from memcli.text.counting import counted
from memcli.upkeep.encryption import Encrypted

ON_SERVER = (
    "what a server keeps is encrypted by its operator (the disk); the way there by ?sslmode=verify-full"
)
KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key-file", metavar="FILE", help="The file with the key, readable by you alone; created if missing."
    ),
]
KeyCommand = Annotated[
    str | None,
    typer.Option("--key-command", metavar="CMD", help="A command that prints the key, or a passphrase."),
]
Passphrase = Annotated[
    bool, typer.Option("--passphrase", help="Ask for a passphrase, now and with each command.")
]
Keyring = Annotated[
    bool, typer.Option("--keyring", help="Keep the key in the OS keyring; by itself, a new random key.")
]


def print_encrypted(done: Encrypted, deed: str, *, json: bool) -> None:
    """Print what was done to the store and its copies, and on stderr what is left. Exits 4 if anything is."""
    copies, left, kept = done.converted
    if json:
        record = {
            "store": str(done.location),
            "changed": done.changed,
            "key": done.key,
            "copies": [str(copy) for copy in copies],
            "left": [{"copy": str(copy), "why": why} for copy, why in left],
            "not_overwritten": [{"file": str(file), "why": why} for file, why in kept],
        }
        output.to_stdout(printable.json_line(record))
    else:
        with_them = (
            f"{', and ' if done.changed else '; converted: '}{counted(len(copies), 'copy', 'copies')} of it"
        )
        with_them = with_them if copies else ""
        key = f"; its key: {done.key}" if done.key else ""
        output.to_stdout(printable.one_line(f"{done.location}: {deed}{with_them}{key}"))
    for line in done.remembered:
        output.to_stderr(line)
    not_done = f"not {deed}, it stays" if done.changed else "stays"
    for copy, why in left:
        way_out = message(
            "once it can be read ",
            Command("encrypt"),
            " converts it, with --key-file OLD if it has an old key",
        )
        output.to_stderr(
            message(f"{copy}: {not_done} as it was: {why}", *(("; ", way_out) if done.encrypts else ()))
        )
    for file, why in kept:
        output.to_stderr(f"{file}: what it was before may still be found: {why}")
    if left or kept:
        raise typer.Exit(4)
