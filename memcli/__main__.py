"""Entry point of `mem` and `python -m memcli`: a keeper runs the call if there is one, else this process."""

import os

from memcli.system import standard_numbers


def main() -> None:
    """Run the command line and exit."""
    # Before anything is opened. Python has already created its streams, or found them closed.
    standard_numbers.hold_closed()
    if os.name == "posix" and os.environ.get("MEMCLI_WARM") != "off":
        from memcli.warm import place

        folder = place.folder()
        if os.path.lexists(folder):
            from memcli.warm.client import hand_over

            hand_over(folder)
    try:
        from memcli.app import main as run_here
    except KeyboardInterrupt:  # later interrupts are handled by `app`
        try:
            os.write(2, b"mem: interrupted\n")
        finally:  # written or not
            os._exit(130)
    run_here()


if __name__ == "__main__":
    main()
