"""`mem completions`: completion scripts."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from memcli import output


def command(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(metavar="bash|zsh|fish")],
) -> None:
    """Print the completion script of a shell.

    bash: source it from ~/.bashrc. zsh: save it as _mem on the fpath. fish:
    save it as ~/.config/fish/completions/mem.fish.
    """
    # Typer offers its scripts only under options of its own, which would load them at every start.
    from typer._completion_shared import get_completion_script

    for program in ("mem", "memcli"):
        variable = f"_{program.upper()}_COMPLETE"
        output.to_stdout(get_completion_script(prog_name=program, complete_var=variable, shell=shell))
