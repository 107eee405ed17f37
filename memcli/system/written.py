"""Whether this process's call has written to a store what stays: asked where it then fails to say so."""

_is_written = False


def forget() -> None:
    """A call begins, in a process that may have carried out others."""
    global _is_written  # noqa: PLW0603 - of this process
    _is_written = False


def note() -> None:
    """Something was written to a store that stays whatever happens then."""
    global _is_written  # noqa: PLW0603 - of this process
    _is_written = True


def is_noted() -> bool:
    """Whether there was anything."""
    return _is_written
