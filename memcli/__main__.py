"""The way in, of `mem` and `python -m memcli`: a keeper does the call where one is, else it runs here."""

import os

from memcli.system import standard_numbers


def main() -> None:
    """Carry out the command line and exit."""
    # Before anything is opened. The streams of Python are there, or not, by now.
    standard_numbers.hold_closed()
    if os.name == "posix" and os.environ.get("MEMCLI_WARM") != "off":
        from memcli.warm import place

        folder = place.folder()
        if os.path.lexists(folder):
            from memcli.warm.client import hand_over

            hand_over(folder)
    try:
        from memcli.app import main as run_here
    except KeyboardInterrupt:  # what comes later is `app`'s to tell
        try:
            os.write(2, b"mem: interrupted\n")
        finally:  # written or not
            os._exit(130)
    run_here()


if __name__ == "__main__":
    main()
