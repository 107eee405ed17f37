"""The main program of the warm process (keeper), started by `memcli.warm.control`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from memcli.warm.installed import Installed
from memcli.warm.post import Post


def main() -> None:
    """Take over the post whose lock the starter holds for us, prepare, and serve."""
    lock, idle, folder, name, model = sys.argv[1:6]
    post = Post(folder, name, os.environ.pop("_MEM_KEEPER"), float(idle))
    os.umask(0o077)
    # Recorded before the program is imported, so that every later change is noticed.
    installed = Installed()
    from memcli import app
    from memcli.warm.child import Program
    from memcli.warm.keeper import Keeper
    from memcli.warm.preparation import Withdrawn, prepare

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        streams = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = nowhere
        try:
            holds = prepare(app.complete, model or None, lambda: post.is_held_by(int(lock)))
        except Withdrawn:
            os._exit(0)
        finally:
            sys.stdout, sys.stderr = streams
    Keeper(post, Program(app.complete, app.runs_cold), int(lock), installed, holds).serve()
    os._exit(0)


if __name__ == "__main__":
    main()
