"""Files of settings: read, edited, backed up beside themselves, and replaced in one step."""

from __future__ import annotations

import glob
import itertools
import json
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from memcli.errors import BadInput
from memcli.named_tuple import NamedTuple

BACKUP = ".memcli-backup"
_MOST = 16 * 1024 * 1024


class FileChange(NamedTuple):
    """The text of a file before and after; None for no file.

    `ours`: the file is memcli's alone, so no backup of it is kept. When a file is removed, so are the folders
    that this leaves empty, up to but not including `root`.
    """

    path: Path
    before: str | None
    after: str | None
    root: Path
    ours: bool = False

    @property
    def changes(self) -> bool:
        """True if anything is different."""
        return self.before != self.after

    def diff(self) -> str:
        """Return the change as a unified diff."""
        from difflib import unified_diff

        old, new = ((each or "").splitlines(keepends=True) for each in (self.before, self.after))
        lines = unified_diff(old, new, str(self.path), str(self.path))
        return "".join(each if each.endswith("\n") else each + "\n" for each in lines)

    def check(self) -> None:
        """Raise BadInput if the change cannot be applied because the file is read-only."""
        if self.changes and self.before is not None and not self.path.stat().st_mode & 0o222:
            # Also for root, who could write it: the file is read-only on purpose.
            raise BadInput(
                f"{self.path}: is read-only (chmod u+w makes it writable)", left="nothing was changed"
            )

    def apply(self) -> Path | None:
        """Write the file. Returns the path of its backup, None if none was needed.

        Raises BadInput; then nothing is changed.
        """
        from memcli.system.files import write_private
        from memcli.system.places import make_private_folder

        if not self.changes:
            return None
        self.check()
        try:
            mode = stat.S_IMODE(self.path.stat().st_mode) if self.before is not None else 0o600
            kept, redundant = None, None
            if self.before is not None and not self.ours:
                redundant = next((each for each in backups(self.path) if _says(each, self.after)), None)
            if self.before is not None and not self.ours and redundant is None:
                kept = _backup_path(self.path, self.before)
                write_private(kept, self.before.encode(), mode=mode)
            if self.after is None:
                self.path.unlink()
                self._drop_empty_folders()
            else:
                make_private_folder(self.path.parent)
                self._write(self.after.encode(), mode)
            if redundant is not None:
                redundant.unlink()
        except OSError as error:
            raise BadInput(f"{self.path}: cannot be written ({error.strerror or error})") from error
        return kept

    def _write(self, content: bytes, mode: int) -> None:
        from memcli.system.files import sync_file, write_private

        if self.before is not None and self.path.stat().st_nlink > 1:
            # A hard link: write in place, so that its other names keep the same file. The backup exists by
            # now.
            self.path.write_bytes(content)
            sync_file(self.path)
        else:
            write_private(self.path, content, mode=mode)
            self.path.chmod(mode)

    def _drop_empty_folders(self) -> None:
        root = self.root.resolve()
        for folder in self.path.parents:
            if folder.is_symlink() or not folder.resolve().is_relative_to(root) or folder.resolve() == root:
                return
            try:
                folder.rmdir()
            except OSError:  # something is in it
                return


def planned_change(
    path: Path, root: Path, edit: Callable[[str], str], *, drop_empty: bool = False
) -> FileChange:
    """Return the change that `edit` makes to a file's text; with `drop_empty` an empty result removes it.

    Raises BadInput, naming the file, if it cannot be read, or `edit` raises it.
    """
    before = read(path)
    try:
        after: str | None = edit(before or "")
    except BadInput as error:
        raise BadInput(f"{path}: {error}", left="nothing was changed", advice="mend it first") from error
    if before is None and not (after or "").strip():
        after = None
    # A file that was empty before our edit is the owner's, and stays.
    if drop_empty and after is not None and after != before and _is_empty(after):
        after = None
    return FileChange(path, before, after, root)


def settings_root(moved_by: tuple[str, str] | None) -> Path:
    """Return the folder above an agent's settings: the home folder, or the one that a variable names."""
    moved = os.environ.get(moved_by[0]) if moved_by else None
    return Path(moved).expanduser() if moved else Path.home()


def read(path: Path) -> str | None:
    """Return the text of a file; None if there is none. Raises BadInput."""
    try:
        if not path.exists():
            if path.is_symlink():
                raise BadInput(
                    f"{path}: a link that leads nowhere ({path.readlink()})", left="nothing was changed"
                )
            return None
        if not path.is_file() or path.stat().st_size > _MOST:
            raise BadInput(f"{path}: is not a settings file", left="nothing was changed")
        # Read as bytes, so that its line ends stay as they are.
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8", left="nothing was changed") from error
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})", left="nothing was changed") from error


def reverting_change(
    path: Path, root: Path, edit: Callable[[str], str], take_back: Callable[[str], str]
) -> FileChange:
    """Return the change that undoes an `edit`; a file that is left empty is removed.

    If nothing else has changed since the edit, this restores the backup byte for byte; if there was no file
    before the edit, it is removed and no backup is made.
    """
    change = planned_change(path, root, take_back, drop_empty=True)
    for kept in backups(path) if change.changes else ():
        with suppress(BadInput, OSError, UnicodeDecodeError):
            was = kept.read_bytes().decode("utf-8")
            if take_back(was) == was and edit(was) == change.before:
                return FileChange(path, change.before, was, root)
    return change._replace(ours=change.after is None and _made_by(edit, change.before))


def backups(path: Path) -> list[Path]:
    """Return the backups of a file, which are beside it; the oldest first."""
    first = path.resolve().with_name(path.name + BACKUP)
    later = first.parent.glob(f"{glob.escape(first.name)}-*")
    return [each for each in (first, *sorted(later)) if each.is_file()]


def _backup_path(path: Path, text: str) -> Path:
    """Return where to back up a file of this text, without overwriting any other file."""
    first = path.resolve().with_name(path.name + BACKUP)
    later = (first.with_name(f"{first.name}-{number}") for number in itertools.count(2))
    places = itertools.chain([first], later)
    return next(place for place in places if not place.exists() or _says(place, text))


def _says(path: Path, text: str | None) -> bool:
    return text is not None and path.is_file() and path.read_bytes() == text.encode()


def _made_by(edit: Callable[[str], str], text: str | None) -> bool:
    """True if a text is all that an edit makes of an empty file."""
    with suppress(BadInput):
        return edit("") == text
    return False


def _is_empty(text: str) -> bool:
    try:
        said = json.loads(text)
    except ValueError:
        return not text.strip()
    return said == {} or set(said) <= {"version"}
