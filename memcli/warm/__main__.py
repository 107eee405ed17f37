"""The main program of the warm process (keeper), started by `memcli.warm.control`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from memcli.warm.endpoint import Endpoint
from memcli.warm.installed import Installed


def main() -> None:
    """Take over the endpoint whose lock the starter holds for us, prepare, and serve."""
    lock, idle, folder, name, model = sys.argv[1:6]
    endpoint = Endpoint(folder, name, os.environ.pop("_MEM_KEEPER"), float(idle))
    os.umask(0o077)
    # Recorded before the program is imported, so that every later change is noticed.
    installed = Installed()
    from memcli import app
    from memcli.warm.child import Program
    from memcli.warm.keeper import Keeper
    from memcli.warm.preparation import StartCancelled, prepare

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        streams = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = nowhere
        try:
            holds = prepare(app.complete, model or None, lambda: endpoint.is_held_by(int(lock)))
        except StartCancelled:
            os._exit(0)
        finally:
            sys.stdout, sys.stderr = streams
    Keeper(endpoint, Program(app.complete, app.runs_cold), int(lock), installed, holds).serve()
    os._exit(0)


if __name__ == "__main__":
    main()
