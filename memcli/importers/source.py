"""One program's files: how they are told from others, which are read, and the records that they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from memcli.importers.files import File, files_of, read_each
from memcli.importers.records import Cleared, Only, Record, as_it_stands
from memcli.named_tuple import NamedTuple


class Source(NamedTuple):
    """One program's files. `guess` says whether a file looks like them, and never raises for what it holds;
    `records` yields what one of them holds; `wants` says which files of a folder or an archive are read, by
    their names; `lives_in` whether a folder, with all below it, is theirs; `suffix` is that of a file of
    theirs that came without a name.

    `aside` is what else lies in an export of theirs and holds nothing that is kept: why, by what names match.
    `nothing` is said of a path without any file of theirs, unless it is empty. `read_path` is there where a
    path is more than the records of its files one after the other.
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
        """The records of a path; of a folder those of all files wanted there, or of some by their names.

        From what people write `cleared` takes what memcli printed. Raises BadInput for a path that cannot be
        read at all.
        """
        if self.read_path:
            return self.read_path(path, only, cleared)
        return read_each(
            files_of(path, self.wants, only),
            lambda file: self.records(file._replace(cleared=cleared)),
            nothing=f"{path}: {self.nothing}" if self.nothing else "",
        )


def ending_in(*endings: str) -> Callable[[str], bool]:
    """Of a name whether it ends in one of these: `Source.wants`."""
    return lambda name: name.endswith(endings)
