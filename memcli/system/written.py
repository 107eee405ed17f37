"""Written: a note whether the current call has written to a store, asked if it then fails to report it."""

_is_written = False


def forget() -> None:
    """Reset the note at the beginning of a call, in a process that may have run other calls."""
    global _is_written  # noqa: PLW0603 - of this process
    _is_written = False


def note() -> None:
    """Note that something was written to a store, and stays written whatever happens next."""
    global _is_written  # noqa: PLW0603 - of this process
    _is_written = True


def is_noted() -> bool:
    """True if anything was written."""
    return _is_written
