"""Starting the screen: what it needs is looked for first, and said in a line where it is not there."""

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
    """Show the screen until it is left; the exit status. Raises BadInput without Textual or a terminal.

    NotFound and StoreUnusable as any command that reads: before there is a screen.
    """
    if find_spec("textual") is None:
        raise BadInput(MISSING)
    check_terminal()
    desk = Desk(db, None if space is None else check_space(space), force=force)
    from memcli.keys import typed

    # Asked for now, while the terminal is still a line.
    with typed.kept_while_open():
        desk.check()
        return _run(desk)


def check_terminal() -> None:
    """Raise BadInput where nobody could see the screen, or type."""
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

    # From here on nobody can be asked anything but by the screen.
    use_terminal(None)
    app = Browser(desk)
    app.run()
    return app.return_code or 0
