"""Erasure everywhere: from the store, its copies and this store's change files, with the receipt."""

from __future__ import annotations

from dataclasses import replace

from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.receipt import ERASED, ErasureReceipt
from memcli.changes.forgetting.targets import Targets
from memcli.changes.forgetting.unfinished import stale_change_files, stale_lines
from memcli.errors import StoreUnusable
from memcli.memories import Memories
from memcli.sync.erasures.after_erasure import folders_to_tell, renew_folders


def erase_everywhere(
    memories: Memories,
    targets: Targets,
    reason: str | None = None,
    *,
    space: str | None = None,
    held: bool = False,
) -> ErasureReceipt:
    """Erase the targets from the store and its copies, and from this store's change files of a sync.

    `memcli.changes.forgetting.hard.erase` describes what goes, also with `space` and `held`, and what is
    raised. The change files are rewritten now or by the next sync: until then the erasure is unfinished, as
    the receipt says. Other machines learn of it from the next sync here.
    """
    receipt = erase(memories, targets, reason, space=space, held=held)
    try:
        change_files = renew_folders(memories)
    except StoreUnusable as error:
        # The rows are gone: an error about the disk alone would not say so.
        change_files = dict.fromkeys(stale_change_files(memories), error.in_passing())
    left = {folder: verdict for folder, verdict in change_files.items() if verdict != ERASED}
    return replace(
        receipt,
        unfinished=[*receipt.unfinished, *stale_lines(left)],
        change_files=change_files,
        told_at_next_sync=folders_to_tell(memories),
    )
