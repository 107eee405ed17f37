"""Source: one program's files, how to recognize and read them, and the records that they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from memcli.importers.files import File, files_of, read_each
from memcli.importers.records import Cleared, Only, Record, as_it_stands
from memcli.named_tuple import NamedTuple


class Source(NamedTuple):
    """One program's files, and how to recognize and read them.

    `guess` tells whether a file looks like the source's, and never raises because of its contents; `records`
    yields the records of one file; `wants` tells by their names which files of a folder or an archive are
    read; `lives_in` tells whether a folder, with all below it, belongs to the source; `suffix` is the one
    given to a file of the source that came without a name. `aside` lists other files in an export that hold
    nothing to keep, as pairs of a name pattern and the reason. `nothing` is the error for a path without any
    file of the source, unless it is empty. `read_path` is set if reading a path is more than reading its
    files one after the other.
    """

    name: str
    help: str
    guess: Callable[[Path], bool]
    records: Callable[[File], Iterator[Record]] = lambda file: iter(())
    suffix: str = ".json"
    wants: Callable[[str], bool] = lambda name: True
    lives_in: Callable[[Path], bool] = lambda folder: False
    aside: tuple[tuple[str, str], ...] = ()
    nothing: str = ""
    read_path: Callable[[Path, Only, Cleared], Iterator[Record]] | None = None

    def read(self, path: Path, only: Only = None, cleared: Cleared = as_it_stands) -> Iterator[Record]:
        """Yield the records of a path; of a folder, those of all files wanted there, or of the named ones.

        `cleared` removes memcli's own output from files that people write. Raises BadInput for a path that
        cannot be read at all.
        """
        if self.read_path:
            return self.read_path(path, only, cleared)
        return read_each(
            files_of(path, self.wants, only),
            lambda file: self.records(file._replace(cleared=cleared)),
            nothing=f"{path}: {self.nothing}" if self.nothing else "",
        )


def ending_in(*endings: str) -> Callable[[str], bool]:
    """Return a test whether a name ends in one of these, for `Source.wants`."""
    return lambda name: name.endswith(endings)
