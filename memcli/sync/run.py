"""Run of a sync with a folder: note local changes, send them, take in others', erase what they erased.

Each step may be interrupted anywhere: files appear whole or not at all, a segment is taken in whole or not
at all, and what was not recorded as done is done again, with the same result.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memcli.changes.arrivals import note_arrival
from memcli.doors import SYNC, Deed
from memcli.errors import BadInput, MemcliError, ModelUnusable, StoreBusy
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import Filter
from memcli.storage.encryption import own_salt
from memcli.storage.errands import SYNCING
from memcli.sync import replica
from memcli.sync.corrected_twice import corrected_twice
from memcli.sync.erasures import pending
from memcli.sync.erasures.own_files import note_stale, renew
from memcli.sync.erasures.remote_erasures import erase_pending
from memcli.sync.files.folder import File, Folder, Listing, unread
from memcli.sync.files.own_damage import look_over, mark_of
from memcli.sync.files.segments import CannotOpen, HalfWritten, Segment, Unreadable
from memcli.sync.inbound import SegmentImporter
from memcli.sync.local import note_changes
from memcli.sync.outbound import Audience, Cursor, end_of, portions
from memcli.sync.outlived import outlived
from memcli.sync.replica import FOLDERS
from memcli.sync.report import SyncOptions, SyncReport

# How many received texts are embedded at once; recalls and consolidation embed the rest.
READ_AT_ONCE = 512

Progress = Callable[[int], None]


def sync_folder(
    memories: Memories,
    folder: Folder,
    options: SyncOptions | None = None,
    *,
    progress: Progress = lambda done: None,
) -> SyncReport:
    """Sync a store with a folder; `progress` gets the number of records sent, then of those taken in.

    Raises Refused for an untrusted origin, BadInput if there is no folder, StoreBusy if another sync or an
    erasure of this store is running, StoreUnusable.
    """
    options = options or SyncOptions()
    memories.require(SYNC, Deed.CHANGE, "syncing")
    folder.check()
    if not (options.plain or folder.seals) and own_salt(memories.store) is not None:
        raise BadInput(
            f"{memories.store.location} is encrypted, and the change files would not be",
            by_hand="--encrypted --key-file FILE, or --plain all the same",
        )
    with sync_lock(memories, dry_run=options.dry_run):
        return _FolderSync(memories, folder, options, progress).run()


@contextmanager
def sync_lock(memories: Memories, *, dry_run: bool, patience: float | None = None) -> Iterator[None]:
    """Hold the lock of syncs of this store; with `dry_run` nothing that is written inside is kept.

    Raises StoreBusy.
    """
    busy = f"{memories.store.location}: another process is syncing"
    wait = memories.config["busy_timeout"] if patience is None else patience
    with memories.store.alone(SYNCING, busy=busy, patience=wait):
        if not dry_run:
            yield
            return
        with memories.store.discarding():
            yield


def drop_folder(memories: Memories, folder: Path) -> bool:
    """Forget a folder that is gone for good, and what was to be erased there; return True if it was known."""
    with sync_lock(memories, dry_run=False), memories.store.writing():
        known = replica.noted_value(memories, FOLDERS) or {}
        path = str(folder.resolve())
        gone = {name for name, each in known.items() if each["path"] in (path, str(folder))}
        # Several folders may have been at that path in turn; the one that is there now is not gone.
        there = {name for name in gone if any((folder / each).exists() for each in known[name]["own"])}
        if there < gone:
            gone -= there
        left = {name: each for name, each in known.items() if name not in gone}
        replica.note_value(memories, FOLDERS, left or None)
        note_stale(memories)
    return len(left) < len(known)


def mark_folders(memories: Memories) -> None:
    """Before carrying out others' erasures, mark the own files of each folder to be rewritten."""
    if not any(pending.read_pending(memories).values()):
        return
    known = replica.noted_value(memories, FOLDERS) or {}
    replica.note_value(memories, FOLDERS, {name: {**each, "stale": True} for name, each in known.items()})


class _FolderSync:
    """One sync with a folder, step by step; `run` is called once."""

    def __init__(self, memories: Memories, folder: Folder, options: SyncOptions, progress: Progress) -> None:
        self._memories, self._folder, self._options, self._progress = memories, folder, options, progress
        self._report = SyncReport()

    def run(self) -> SyncReport:
        """Note, send, take in, erase; return the report."""
        report = self._report
        with self._memories.store.giving_way():
            self._replica = report.replica = replica.replica_id(self._memories)
            listing = self._folder.listing()
            self._find_folder(listing)
            listing = self._without_damaged(listing)
            self._audience = Audience(self._id, self._options.spaces, self._options.vectors)
            report.note_damaged(note_changes(self._memories))
            self._tell(listing)
            self._mark_own(listing)
            listing = self._folder.listing()
            self._take(listing)
            self._erase()
            report.outlived = list(outlived(self._memories, report.successors))
        report.left += [each for each in listing.foreign if (self._folder.path / each[0]).exists()]
        report.others = len({each.replica for each in listing.files} - {self._replica})
        if not self._options.dry_run:
            note_stale(self._memories)
            if report.taken or report.erased.number:
                path, now = str(self._folder.path), self._memories.now()
                note_arrival(self._memories.store, "sync", path, now, self._options.spaces)
            self._read_meaning()
        return report

    # Identifying the folder, and how far it was read and written

    def _find_folder(self, listing: Listing) -> None:
        """Recognise a folder by its path, or by what was written to it, wherever it is mounted now."""
        path, there = str(self._folder.path.resolve()), {each.id for each in listing.files}
        known: dict[str, dict[str, Any]] = replica.noted_value(self._memories, FOLDERS) or {}
        # Own files that this store does not know of: written after the backup that it was restored from.
        unknown = {each.id for each in listing.of(self._replica)}.difference(
            *(each["own"] for each in known.values())
        )
        for name in sorted(known, key=lambda each: (known[each]["path"] != path, each)):
            own = set(known[name]["own"])
            read = {each for view in known[name]["views"].values() for each in view["read"]}
            # If all that was read there is gone, it is another folder, or was emptied.
            empty = not own and known[name]["path"] == path and bool(there or not read)
            # It holds files that were read before, of other replicas: names are never reused.
            known_by_read = not own and bool(read & there)
            if (own and own <= there) or empty or known_by_read:
                self._id, self._known = name, known[name]
                break
            if known[name]["path"] == path and (own & there or unknown):
                self._report.notes.append(
                    f"{len(own - there)} change files of this store are gone: all is written again"
                )
                self._id, self._known = name, {**known[name], "own": sorted(own & there), "views": {}}
                break
        else:
            if any(each["path"] == path for each in known.values()):
                self._report.notes.append(
                    f"{self._folder.path}: the change files that were here are gone: all is written again"
                )
            self._id = self._memories.new_id(self._memories.now())
            self._known = {"path": path, "own": [], "views": {}}
        self._known["path"] = path

    def _without_damaged(self, listing: Listing) -> Listing:
        """Remove own files that are damaged; their content is sent again."""
        looked = look_over(
            self._folder, self._own(listing), self._known.get("marks", {}), self._known.get("turn", "")
        )
        self._report.unread += looked.unreadable
        self._known |= {"marks": looked.marks, "turn": looked.turn}
        if not looked.damaged:
            return listing
        damaged = {each.id for each in looked.damaged}
        self._report.notes.append(f"damaged change files of this store: {len(damaged)}; all is written again")
        self._known["own"] = sorted(set(self._known["own"]) - damaged)
        for view in self._known["views"].values():
            view.pop("cursor", None)
        if not self._options.dry_run:
            # Recorded only after all is sent: after a kill they count as missing files, and are sent again.
            self._folder.remove(looked.damaged)
        return listing._replace(files=[each for each in listing.files if each.id not in damaged])

    def _mark_own(self, before: Listing) -> None:
        """Record the marks of own files written since a listing; drop the marks of files that are gone."""
        marks, old = self._known["marks"], {each.id for each in before.files}
        own = {each.id: each for each in self._own(self._folder.listing())}
        self._known["marks"] = {name: mark for name, mark in marks.items() if name in own}
        with suppress(Unreadable):
            self._known["marks"] |= {name: mark_of(own[name]) for name in own.keys() - old}

    @property
    def _view(self) -> dict[str, Any]:
        views = self._known["views"]
        view: dict[str, Any] = views.setdefault(replica.view("all", self._options.spaces), {"read": {}})
        return view

    def _save(self) -> None:
        known = replica.noted_value(self._memories, FOLDERS) or {}
        replica.note_value(self._memories, FOLDERS, {**known, self._id: self._known})

    # Sending

    def _tell(self, listing: Listing) -> None:
        """Write what is new for this folder; if it includes an erasure, rewrite all own files."""
        own = self._own(listing)
        until = end_of(self._memories)
        if self._view.get("cursor", (0,))[0] > until.revision:
            # The clocks were lost, as in a salvaged store: send everything again.
            del self._view["cursor"]
        cursor = Cursor(*self._view.get("cursor", ()))._replace(rewritten=self._view.get("rewritten", 0))
        # Above the numbers of a killed sync's unrecorded files, too: later files have higher numbers.
        number = max((each.number for each in (*own, *listing.of(self._replica))), default=0) + 1
        # If the folder lost our files, it may have lost those of others: records that came from it go, too.
        audience = self._audience if "cursor" in self._view else self._audience._replace(via="")
        of_erasure = bool(self._known.get("stale"))
        model = self._memories.store.model() if audience.vectors else None
        for portion in portions(self._memories, cursor, audience):
            of_erasure |= portion.of_erasure
            if not portion.lines:
                continue
            self._report.told += len(portion.lines)
            self._report.files += 1
            if not self._options.dry_run:
                told = Segment(self._replica, (), portion.lines, model._asdict() if model else None)
                own.append(self._folder.write(told, number))
                number += 1
            self._progress(self._report.told)
        all_read = True
        plain = [each for each in own if not each.is_sealed] if self._folder.seals else []
        if (of_erasure or plain) and not self._options.dry_run:
            own, all_read = self._renew_own(listing, own, number, of_erasure=of_erasure)
            self._report.sealed += len(plain)
        with self._memories.store.writing():
            self._known["own"] = sorted(each.id for each in own)
            self._known.pop("stale", None)
            if of_erasure and self._report.still_held:
                self._known |= {"stale": True, "why": "; ".join(self._report.still_held)}
            self._view.update(cursor=[until.revision, until.event], rewritten=until.rewritten)
            if not all_read:
                del self._view["cursor"]
                self._report.notes.append("a change file of this store was damaged: all is written again")
            self._save()
        if not all_read:
            self._tell(self._folder.listing())

    def _renew_own(
        self, listing: Listing, own: list[File], number: int, *, of_erasure: bool
    ) -> tuple[list[File], bool]:
        """Rewrite own files without what was erased; return the files, and whether all could be read."""
        before = {each.id for each in own}
        replicas = {self._replica, *(each.replica for each in own)}
        renewed, all_read = renew(self._memories, self._folder, own, number, self._replica)
        self._report.renewed |= of_erasure and before != {each.id for each in renewed}
        self._report.still_held = self._folder.remove_copies(replicas, renewed)
        unseen = {each.id for each in listing.of(self._replica)} - before
        self._report.still_held += [f"{name}: not read here yet" for name in sorted(unseen)]
        return renewed, all_read

    def _own(self, listing: Listing) -> list[File]:
        """Return the files that this store wrote and knows of; unknown ones under its id are read first."""
        known = set(self._known["own"])
        return [each for each in listing.files if each.id in known]

    # Taking in

    def _take(self, listing: Listing) -> None:
        read: dict[str, int] = self._view["read"]
        there = {each.id for each in listing.files}
        again = {name for name, left_out in read.items() if left_out and self._options.force}
        taker = SegmentImporter(self._memories, self._id, self._audience, force=self._options.force)
        own = set(self._known["own"])
        for file in unread(listing, read.keys() - again, own):
            try:
                segment = self._folder.read(file)
            except HalfWritten as error:
                self._report.unread.append((file.id, message(error.what, "; ", self._way_out(file))))
                continue
            except MemcliError as error:
                self._report.unread.append((file.id, str(error)))
                self._report.locked += isinstance(error, CannotOpen)
                continue
            # Records of the replaced segment that were left out may be acceptable now, or gone.
            left_out = any(read.get(each) for each in segment.replaces)
            if self._is_known(segment, read.keys() | own) and not left_out and file.id not in again:
                read[file.id] = 0
                continue
            self._take_segment(taker, file, segment, read)
            self._progress(sum((*taker.taken.added.values(), *taker.taken.changed.values())))
        self._report.taken = taker.taken
        taker.taken.corrected = list(corrected_twice(self._memories.store, taker.replaced))
        stale = read.keys() - there
        if stale or read != self._view["read"]:
            for name in stale:
                del read[name]
        came = {each.id for each in listing.of(self._replica) if each.id in read} - own
        with self._memories.store.writing():
            # Files written under this replica's id before a restore are its own again. They may hold what was
            # erased since, so they are rewritten as after an erasure.
            self._known["own"] = sorted(own | came)
            if came:
                self._known["stale"] = True
            self._save()
        if kept_out := sum(read.values()) - taker.taken.left_out:
            self._report.notes.append(
                message(
                    f"{kept_out:,} records that were refused before stay out (",
                    Command(f"sync --force {shlex.quote(str(self._folder.path))}"),
                    " takes them in)",
                )
            )

    def _way_out(self, file: File) -> str:
        """Return advice on a file that is incomplete now."""
        if file.replica == self._replica:
            return "of this store, from before it was put back or killed: if it stays so, rm it"
        return "it comes in when it is, or is written anew by the next sync of the machine that wrote it"

    def _take_segment(
        self, taker: SegmentImporter, file: File, segment: Segment, read: dict[str, int]
    ) -> None:
        left_out = taker.taken.left_out

        def within() -> None:
            read[file.id] = taker.taken.left_out - left_out
            self._save()

        try:
            taker.take(segment.lines, file.id, within, segment.model)
        except BaseException:
            read.pop(file.id, None)
            raise

    @staticmethod
    def _is_known(segment: Segment, read: set[str]) -> bool:
        """True if it replaces a segment that was read: what is new in it is in another segment, too."""
        return any(each in read for each in segment.replaces)

    # Erasing

    def _erase(self) -> None:
        if self._options.dry_run:
            self._report.would_erase = len(pending.read_pending(self._memories)["memories"])
            return
        mark_folders(self._memories)
        self._known |= {
            "stale": (replica.noted_value(self._memories, FOLDERS) or {})[self._id].get("stale", False)
        }
        self._report.erased = erase_pending(self._memories)
        if self._report.erased or self._report.taken.events or self._known["stale"]:
            note_changes(self._memories)
            self._tell(self._folder.listing())

    def _read_meaning(self) -> None:
        """Embed some of the received texts, if a model is available."""
        from memcli.embedding.gaps import fill_gaps

        if not self._report.taken:
            return
        wanting = self._memories.store.wanting(Filter(spaces=None, live=False), READ_AT_ONCE)
        with suppress(ModelUnusable, StoreBusy):
            fill_gaps(
                self._memories.store, self._memories.model, wanting, windows=float(READ_AT_ONCE), rests=0
            )
