"""After an erasure: rewrite the change files that this store wrote, in the folders that can be reached."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memcli.changes.forgetting.receipt import ERASED
from memcli.changes.forgetting.unfinished import closed_copies, stale_change_files, stale_lines
from memcli.errors import StoreBusy, StoreUnusable
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.storage.encryption import own_salt
from memcli.sync import replica
from memcli.sync.erasures.own_files import note_stale, renew
from memcli.sync.erasures.remote_erasures import erase_pending
from memcli.sync.files.folder import Folder, is_sealed
from memcli.sync.replica import FOLDERS
from memcli.sync.run import sync_lock


def renew_folders(memories: Memories) -> dict[str, str]:
    """Rewrite own change files without what was erased; return by folder `erased`, or why not.

    What could not be done now, the next sync with that folder does.
    """
    replica.settle_restored(memories)
    known: dict[str, dict[str, Any]] = replica.noted_value(memories, FOLDERS) or {}
    verdicts: dict[str, str] = {}
    for name, noted in known.items():
        if noted["own"] or _has_files(memories, noted):
            # Two folders may have been known at one path; each has to be clean.
            if verdicts.get(path := noted["path"], ERASED) == ERASED:
                verdicts[path] = _renewed(memories, name, noted)
            else:
                _renewed(memories, name, noted)
        elif noted.get("stale"):
            _note(memories, name, {**noted, "stale": False})
    note_stale(memories)
    return verdicts


def try_again(memories: Memories) -> list[str]:
    """Retry what an erasure left in change files, and in copies that could not be searched.

    Returns a line for each place that may still hold erased content. Raises StoreUnusable if this could not
    be tried.
    """
    if closed_copies(memories):
        with sync_lock(memories, dry_run=False, patience=0):
            erase_pending(memories)
    # Records that were erased from copies have to be erased from change files, too.
    if stale_change_files(memories):
        renew_folders(memories)
    return [*stale_lines(stale_change_files(memories)), *closed_copies(memories)]


def folders_to_tell(memories: Memories) -> dict[str, Command]:
    """Return, by folder, the sync command by which other machines learn of an erasure."""
    known: dict[str, dict[str, Any]] = replica.noted_value(memories, FOLDERS) or {}
    return {
        noted["path"]: _sync_command(memories, noted)
        for noted in sorted(known.values(), key=lambda each: each["path"])
    }


def _sync_command(memories: Memories, noted: Mapping[str, Any]) -> Command:
    """Return the command for a sync with a folder, encrypted if this store's files there are."""
    how = ""
    if any(is_sealed(name) for name in noted["own"]):
        how = " --encrypted --key-file FILE"
    elif own_salt(memories.store) is not None:
        how = " --plain"
    return Command(f"sync {shlex.quote(noted['path'])}{how}")


def _renewed(memories: Memories, name: str, noted: dict[str, Any]) -> str:
    """Rewrite the files of one folder; return the result, and record it if something is left."""
    try:
        with sync_lock(memories, dry_run=False, patience=0):
            verdict = _renew(memories, name, noted)
    except StoreBusy:
        verdict = "a sync is at work there"
    except StoreUnusable as error:
        verdict = str(error)
    if verdict != ERASED:
        now_noted = (replica.noted_value(memories, FOLDERS) or {}).get(name, noted)
        _note(memories, name, {**now_noted, "stale": True, "why": verdict})
    return verdict


def _renew(memories: Memories, name: str, noted: dict[str, Any]) -> str:
    folder = Folder(Path(noted["path"]))
    if not folder.path.is_dir():
        return "it is not there now"
    listing = folder.listing()
    own = [each for each in listing.files if each.id in set(noted["own"])]
    if any(each.is_sealed for each in own):
        return message("its files are encrypted; ", _sync_command(memories, noted), " erases it there")
    others = (replica.noted_value(memories, FOLDERS) or {}).items()
    elsewhere = {own_id for key, each in others if key != name for own_id in each["own"]}
    if noted["own"] and not own and any(each.id in elsewhere for each in listing.files):
        return "what this store wrote there before is not there now: another disk, or it was emptied"
    writer = replica.replica_id(memories)
    number = max((each.number for each in listing.files), default=0) + 1
    kept, all_read = renew(memories, folder, own, number, writer)
    left = folder.remove_copies({writer, *(each.replica for each in own)}, kept)
    # Files under this replica's id that it does not know of, as after restoring a backup, may hold news.
    unread = {each.id for each in listing.of(writer)} - elsewhere - set(noted["own"])
    if unread:
        left.append(
            message(
                f"{len(unread)} that were not read here yet, which ", _sync_command(memories, noted), " does"
            )
        )
    # Files that vanished stay recorded as own, so that the next sync sees that it has to send all again.
    vanished = set(noted["own"]) - {each.id for each in own}
    fresh = {**noted, "own": sorted(vanished.union(each.id for each in kept))}
    if not all_read:
        # The content of damaged files is sent again from the beginning.
        fresh["views"] = {}
    fresh.pop("stale", None)
    _note(memories, name, fresh)
    return f"not erased from {'; '.join(left)}" if left else ERASED


def _has_files(memories: Memories, noted: dict[str, Any]) -> bool:
    return (Path(noted["path"]) / replica.replica_id(memories)).is_dir()


def _note(memories: Memories, name: str, noted: dict[str, Any]) -> None:
    with memories.store.writing():
        known = replica.noted_value(memories, FOLDERS) or {}
        replica.note_value(memories, FOLDERS, {**known, name: noted})
