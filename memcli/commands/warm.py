"""`mem warm`: start, stop or show the warm process, which serves later calls faster."""

import os
import sys
from contextlib import suppress
from typing import Annotated, Any

import typer

from memcli import times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.consent import owner_only
from memcli.errors import BadInput, MemcliError
from memcli.text import printable

EXAMPLES = """
mem config set warm 10m       # from now on: the first call starts it, ten minutes without one end it
mem warm start                # now, whatever the setting says
mem warm start --idle 2h
mem warm status --json
mem warm stop
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def _warm() -> None:
    """Keep a warm process for the next calls: start it, stop it, show its status.

    It holds the imported program and the model, forks for each call, and keeps no memories.
    """


@app.command()
def start(
    idle: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Stop it after this long without a call. [default: `warm`, else 10m]"
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Start it, and wait until it is ready."""
    _check_system()
    owner_only("the warm process")
    from memcli.warm import control

    _tell_of_an_old_script()
    length = None if idle is None else times.parse_duration(idle).total_seconds()
    _print(control.start(length, _model_of_store()), as_json=json)


@app.command()
def stop() -> None:
    """Stop it; calls under way run to their end."""
    _check_system()
    owner_only("the warm process")
    from memcli.warm import control, standing

    stopped = control.stop()
    for found in stopped.ended:
        output.to_stderr(f"process {found.process} has ended")
    for found in stopped.busy:
        output.to_stderr(f"process {found.process} ends with the calls that it still has")
    if stopped.starting:
        output.to_stderr("the process that was starting ends before it is ready")
    if not any(stopped):
        output.to_stderr(standing.absence().line())
        raise typer.Exit(1)


@app.command()
def status(json: options.Json = False) -> None:
    """Show what it has done, how much memory it uses and when it ends; exits 1 if none is ready."""
    _check_system()
    from memcli.warm import control, standing

    _tell_of_an_old_script()
    found = [*control.keepers()]
    for each in found:
        _print(each, as_json=json)
    if any(each.ours and each.told for each in found):
        return
    output.to_stderr(standing.absence(silent=any(each.ours for each in found)).line())
    raise typer.Exit(1)


def _model_of_store() -> str:
    """Return the name of the model that calls on the usual store need; "" if it is unknown."""
    from memcli.memories import open_memories

    with suppress(MemcliError), open_memories(create=False) as memories:
        return memories.model.name()
    return ""


def _tell_of_an_old_script() -> None:
    """Say if the `mem` script in use bypasses the warm process, as that of an old editable install does."""
    by_door = (
        "memcli.__main__" in sys.modules
        or getattr(sys.modules["__main__"].__spec__, "name", "") == "memcli.__main__"
    )
    if not by_door:
        output.to_stderr(
            f"{sys.argv[0]} was made by an older install and runs every call cold; install memcli again "
            "(pip install -e ., in a checkout), and it hands its calls over"
        )


def _print(found: Any, *, as_json: bool) -> None:
    from memcli.warm import control

    told = found.told or {}
    memory = control.memory_of(found.process, told.pop("spare_memory", 0))
    if as_json:
        sizes = {"memory": memory[0], "own_memory": memory[1]} if memory else {}
        record = {"name": found.name, "pid": found.process, "ours": found.ours, "answers": bool(told)}
        output.to_stdout(printable.json_line({**record, **told, **sizes}))
        return
    if not told:
        output.to_stdout(f"process {found.process}  does not answer; `mem warm stop` ends it")
        return
    held = told["model"] or "no model"
    size = f", {memory[0] / 1e6:.0f} MB ({memory[1] / 1e6:.0f} of its own)" if memory else ""
    calls = f"{told['calls']:,} call{'s' * (told['calls'] != 1)}"
    left = max(0, round(told["idle_limit"] - told["idle"]))
    other = "" if found.ours else "  (for calls of another version, interpreter or model)"
    output.to_stdout(f"process {found.process}  {held}, {calls}{size}, ends in {left:,} s without one{other}")


def _check_system() -> None:
    if os.name != "posix":
        raise BadInput("calls run cold on Windows: no process can be forked for them there")
