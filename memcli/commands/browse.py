"""`mem browse`: browse memories on a full screen."""

import typer

from memcli.commands.terminal import options
from memcli.commands.terminal.store import is_forced

EXAMPLES = """
mem browse                # exit 2 where there is no terminal, as in a pipe
mem browse --space farm   # exit 2 there, too
"""


def command(
    context: typer.Context,
    space: options.Space = None,
    db: options.Db = None,
) -> None:
    """Browse memories on a full screen: recall as you type, confirm, correct, forget, undo.

    Needs the extra memcli[browse] and a terminal. F1 shows the keys; q leaves.
    """
    from memcli.views.browse.start import browse

    if status := browse(db, space, force=is_forced(context)):
        raise typer.Exit(status)
