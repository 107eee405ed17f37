"""Start of the browse screen, after checking that Textual, a terminal and a store are available."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

from memcli.config.location import Location
from memcli.errors import BadInput
from memcli.text.checks import check_space
from memcli.views.browse.desk import Desk

MISSING = "the screen needs Textual, which is not installed: pip install 'memcli[browse]'"


def browse(db: Location | None, space: str | None, *, force: bool = False) -> int:
    """Show the screen until it is left; return the exit status.

    Raises BadInput without Textual or a terminal, and NotFound and StoreUnusable like any reading command,
    all before the screen appears.
    """
    if find_spec("textual") is None:
        raise BadInput(MISSING)
    check_terminal()
    desk = Desk(db, None if space is None else check_space(space), force=force)
    from memcli.keys import typed

    # A passphrase must be asked for now, before the full screen takes the terminal.
    with typed.kept_while_open():
        desk.check()
        return _run(desk)


def check_terminal() -> None:
    """Raise BadInput if there is no terminal to show the screen and type on."""
    if not all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise BadInput("a screen needs a terminal; `mem list` and `mem recall` print to anything")
    term = os.environ.get("TERM", "")
    if os.name == "posix" and term in ("", "dumb", "unknown"):
        raise BadInput(
            f"TERM={term} cannot show a full screen; `mem list` and `mem recall` print to anything"
        )


def _run(desk: Desk) -> int:
    from memcli.system.terminal import use_terminal
    from memcli.views.browse.app import Browser

    # From here on, prompts on the terminal would disturb the screen.
    use_terminal(None)
    app = Browser(desk)
    app.run()
    return app.return_code or 0
