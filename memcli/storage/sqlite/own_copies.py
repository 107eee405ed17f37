"""Own copies of the open store: make, list and drop them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.errors import BadInput, StoreDamaged
from memcli.messages import Command, message
from memcli.storage.sqlite.file.database_file import back_up
from memcli.storage.sqlite.file.errors import explained_errors, explained_os_errors
from memcli.storage.sqlite.file.opening import open_database
from memcli.storage.sqlite.ledger import SqliteLedger

if TYPE_CHECKING:
    from memcli.storage.known_copies import CopyKind, StoreCopy
    from memcli.storage.upkeep import Progress

# SQLite virtual machine instructions between two reports of a copy's progress: some milliseconds.
_INSTRUCTIONS = 100_000


class SqliteOwnCopies(SqliteLedger):
    """The part of `memcli.storage.Store` about its copies."""

    def back_up(self, at: datetime) -> Path:
        from memcli.storage.known_copies import CopyKind
        from memcli.storage.sqlite.file.copies import stamp

        return self.make_copy(CopyKind.BACKUP, stamp(at), at)

    def make_copy(self, kind: CopyKind, label: str, at: datetime, progress: Progress | None = None) -> Path:
        from memcli.storage.known_copies import record_home
        from memcli.storage.sqlite.file.copies import copy_path, making_copy, part_of, real_file
        from memcli.system.files import sync_folder

        record_home(self, real_file(self.path), at)
        target = copy_path(self.path, kind, label)
        part = self._part(part_of(target), kind, progress)
        with making_copy(self.path, patience=self._busy_timeout), part:
            part_of(target).replace(target)
            sync_folder(target.parent)
        return target

    def copy_to(
        self,
        path: Path,
        at: datetime,
        progress: Progress | None = None,
        *,
        kind: CopyKind | None = None,
    ) -> None:
        from memcli.storage.known_copies import PART_ELSEWHERE, CopyKind
        from memcli.storage.sqlite.file.copies import making_copy, part_of, real_file
        from memcli.system.files import put_where_nothing_is, sync_folder

        kind, target = kind or CopyKind.BACKUP, real_file(path)
        known = self._is_replaceable(target)
        # Hidden, with a name that nobody else gives a file.
        part = part_of(target.with_name(f".{target.name}{PART_ELSEWHERE}"))
        with ExitStack() as stack:
            if not self.hindrance:
                for each in (part, target):
                    self.note_copy(each, kind, at)
                    if each is part or not known:
                        stack.callback(self._forget_lost, each)
                stack.enter_context(making_copy(self.path, patience=self._busy_timeout))
            stack.enter_context(self._part(part, kind, progress))
            if known:
                part.replace(target)
            else:
                put_where_nothing_is(part, target)
            sync_folder(target.parent)

    def _forget_lost(self, path: Path) -> None:
        """Drop the record of a copy that was never completed."""
        if not path.exists():
            self.forget_copy(path)

    def _is_replaceable(self, target: Path) -> bool:
        """True if a copy of this store is there, to be replaced; raise BadInput for anything else."""
        with explained_os_errors(target):
            if not os.path.lexists(target):
                return False
            known = any(copy.path == target and copy.whole for copy in self.copies())
        if not (known and target.is_file()):
            raise BadInput(f"{target}: something is there already that is not a copy of this store")
        return True

    @contextmanager
    def _part(self, part: Path, kind: CopyKind, progress: Progress | None) -> Iterator[None]:
        """Yield with a verified copy at `part`, synced; what is left of it at the end is removed."""
        from memcli.storage.known_copies import CopyKind
        from memcli.storage.sqlite.file.copies import remove_copy
        from memcli.system.files import sync_file

        with explained_os_errors(part):
            try:
                remove_copy(part)
                self._tell(part, progress)
                back_up(self._db, part)
                self._db.set_progress_handler(None, 0)
                if kind is not CopyKind.DAMAGED:
                    self._verify(part)
                sync_file(part)
                yield
            finally:
                self._db.set_progress_handler(None, 0)
                remove_copy(part)

    def _verify(self, part: Path) -> None:
        """Raise StoreDamaged for a copy in which anything is not as memcli wrote it.

        It could not be restored, and might replace an older one that is sound.
        """
        from memcli.storage.sqlite.checks.check import check_content, faults_of_copy

        with explained_errors(part), closing(open_database(part)) as copy:
            fault = next(faults_of_copy(copy, part), None)
        if fault is None:
            return
        with self._explained():
            own = next((each for each in check_content(self._db) if each.damage), None)
        if own is None:
            raise StoreDamaged(
                f"{part}: the copy is not as the store, {fault.name}: {fault.detail}",
                left="no copy was made",
                advice="check the disk",
            )
        raise StoreDamaged(
            f"{self.path}: is damaged, {own.name}: {own.detail}",
            left="no copy was made, for nobody could go back to it",
            by_hand=message(
                Command("doctor --repair"), " mends the store, ", Command("--force backup"),
                " keeps a copy of it as it is, named as damaged",
            ),
        )  # fmt: skip

    def _tell(self, part: Path, progress: Progress | None) -> None:
        """Have `progress` called with how far the copy is, as SQLite writes it."""
        if progress is None:
            return
        total = self._rows("PRAGMA page_count")[0][0] * self._rows("PRAGMA page_size")[0][0]

        def told() -> int:
            with suppress(OSError):
                progress(min(part.stat().st_size, total), total)
            return 0

        self._db.set_progress_handler(told, _INSTRUCTIONS)

    def backups(self) -> dict[Path, datetime]:
        from memcli.storage.known_copies import CopyKind

        own = [copy for copy in self.copies() if copy.kind is CopyKind.BACKUP and not copy.elsewhere]
        return {copy.path: copy.made for copy in own if copy.made and copy.whole}

    def drop_copy(self, path: Path) -> None:
        from memcli.storage.sqlite.file.copies import remove_copy

        with explained_os_errors(path):
            remove_copy(path)
        self.forget_copy(path)

    def copies(self) -> list[StoreCopy]:
        from memcli.storage.known_copies import read_records
        from memcli.storage.sqlite.file.copies import find_copies

        with explained_os_errors(self.path):
            return find_copies(self.path, read_records(self))

    def note_copy(self, path: Path, kind: CopyKind, at: datetime) -> None:
        from memcli.storage.known_copies import record_copy
        from memcli.storage.sqlite.file.copies import real_file

        record_copy(self, real_file(path), kind, at)

    def forget_copy(self, path: Path) -> bool:
        from memcli.storage.known_copies import drop_record
        from memcli.storage.sqlite.file.copies import real_file

        return drop_record(self, real_file(path))
