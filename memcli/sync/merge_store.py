"""Merge with another store, as a sync would, from a copy of its file; the other store is not changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from memcli.changes.arrivals import note_arrival
from memcli.doors import SYNC, Deed
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.scope import Scope
from memcli.storage.stores import scratch_copy
from memcli.sync.corrected_twice import corrected_twice
from memcli.sync.erasures.remote_erasures import erase_pending
from memcli.sync.inbound import SegmentImporter
from memcli.sync.local import note_changes
from memcli.sync.outbound import Audience, Cursor, portions
from memcli.sync.outlived import outlived
from memcli.sync.report import SyncReport
from memcli.sync.run import mark_folders, sync_lock


def merge_store(
    memories: Memories,
    other: Path,
    *,
    spaces: Sequence[str] | None = None,
    force: bool = False,
    dry_run: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> SyncReport:
    """Take in all that another store knows, as if both had synced; the other store stays as it is.

    Raises Refused for an untrusted origin, NotFound, BadInput for the store itself, StoreBusy,
    StoreUnusable.
    """
    memories.require(SYNC, Deed.CHANGE, "merging stores")
    here = memories.store.path
    if here and other.exists() and other.samefile(here):
        raise BadInput(f"{other}: that is this very store")
    if other.is_dir():
        raise BadInput(
            f"{other}: that is a folder, not a store",
            by_hand=message(Command(f"sync {other}"), " syncs through one"),
        )
    if other.exists() and not other.is_file():
        raise BadInput(f"{other}: a device, not a store")
    if other.is_file() and not other.stat().st_size:
        raise BadInput(f"{other}: the file is empty, not a store")
    report = SyncReport()
    with (
        sync_lock(memories, dry_run=dry_run),
        scratch_copy(other, busy_timeout=memories.config["busy_timeout"]) as store,
    ):
        theirs = Scope(store, memories.config, clock=memories.now, new_id=memories.new_id)
        report.note_damaged(note_changes(theirs), str(other))
        report.note_damaged(note_changes(memories))
        bound, own = store.model(), memories.store.model()
        same = bound is not None and (own is None or own.same_vectors(bound))
        taker = SegmentImporter(memories, "", Audience("", spaces), force=force)
        report.taken = taker.taken
        with memories.store.giving_way():
            for portion in portions(theirs, Cursor(), Audience("", spaces, vectors=same)):
                model = bound._asdict() if bound and same else None
                taker.take(portion.lines, other.name, model=model)
                report.told += len(portion.lines)
                progress(report.told)
        taker.taken.corrected = list(corrected_twice(memories.store, taker.replaced))
        report.told = 0
        if dry_run:
            return report
        mark_folders(memories)
        report.erased = erase_pending(memories)
        report.outlived = list(outlived(memories, report.successors))
        note_changes(memories)
        if report.taken or report.erased.number:
            note_arrival(memories.store, "merge", str(other), memories.now(), spaces)
    return report
