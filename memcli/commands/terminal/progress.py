"""Progress bars on stderr, on a terminal only, for counts and for bytes; and sizes for people."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

# Seconds before a bar appears: shorter work needs none, and importing rich takes a tenth of a second.
_AT_ONCE = 0.5
_UNIT = 1024
_UNITS = ("KiB", "MiB", "GiB", "TiB")


@contextmanager
def progress_bar(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show a progress bar while the block runs; yields a function to call with the number done.

    It appears with the first call after half a second.
    """
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    began = time.monotonic()
    with ExitStack() as shown:
        update: Callable[[int], None] | None = None

        def show(done: int) -> None:
            nonlocal update
            if update is None and time.monotonic() - began >= _AT_ONCE:
                update = _begin(shown, what, total)
            if update:
                update(done)

        yield show


@contextmanager
def copying_bar(what: str, size: int) -> Iterator[Callable[[int, int], None]]:
    """Show a bar while bytes are copied; yields a function to call with the bytes done and in all."""
    with progress_bar(f"{what} (MiB)", size >> 20) as shown:
        yield lambda done, total: shown(done >> 20)


def size_text(size: int) -> str:
    """Return a number of bytes with about three digits and a unit."""
    if size < _UNIT:
        return f"{size} B"
    scaled = float(size)
    for unit in _UNITS:
        scaled /= _UNIT
        if scaled < _UNIT or unit == _UNITS[-1]:
            break
    return f"{scaled:.{1 if scaled < 100 else 0}f} {unit}"


def _begin(shown: ExitStack, what: str, total: int | None) -> Callable[[int], None]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    bar = shown.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
    task = bar.add_task(what, total=total)
    return lambda done: bar.update(task, completed=done)
