"""What `pytest --store postgres` leaves out, each with the reason why it cannot hold on a server.

A key is how an id begins: a folder, a file, a test.
"""

from __future__ import annotations

_FILES = "it looks at the store's file, its log, or what stands beside it"
_COPIES = "backups, snapshots and what is restored of them are of a file: a database's are its operator's"
_ENCRYPTION = "a file is encrypted by memcli, a server's disks by its operator"
_ROW = "it changes rows behind memcli's back, in SQLite's own words"

_ERASED, _PROVEN = "tests/changes/test_erased_and_no_more.py::", "tests/changes/test_proven_erasure.py::"
_FORGETTING = "tests/changes/test_forgetting.py::"

REASONS: dict[str, str] = {
    "tests/changes/test_undo_walls.py::test_a_rollback_of_one_space": _COPIES,
    "tests/changes/test_unfinished_erasure.py::test_cut_off_at_any_step": _COPIES,
    f"{_ERASED}test_what_a_first_look_finds": _FILES,
    f"{_ERASED}test_a_store_that_still_says_it": _FILES,
    f"{_ERASED}test_a_copy": _COPIES,
    f"{_ERASED}test_what_is_being_restored": _COPIES,
    "tests/changes/test_forgetting_spaces.py::test_a_space_is_forgotten_by_hand": _FILES,
    f"{_PROVEN}test_a_busy_copy": _COPIES,
    f"{_PROVEN}test_what_is_proven": _COPIES,
    f"{_PROVEN}test_a_copy": _COPIES,
    f"{_PROVEN}test_what_a_killed_writer": _COPIES,
    f"{_PROVEN}test_what_cannot_be_read": _COPIES,
    f"{_PROVEN}test_words_that_only_a_copy": _COPIES,
    f"{_PROVEN}test_a_word_of_what_was_purged": _COPIES,
    f"{_PROVEN}test_a_store_that_may_only_be_read": _COPIES,
    f"{_PROVEN}test_copies_made_by_another_name": _COPIES,
    f"{_FORGETTING}test_nothing_is_left_in_any_file": _FILES,
    f"{_FORGETTING}test_an_older_state_kept_open": _FILES,
    f"{_FORGETTING}test_a_lie_in_the_receipt": _FILES,
    f"{_FORGETTING}test_backups_are_erased_too": _ROW,
    "tests/changes/test_watching.py::test_a_store_that_is_put_in_the_place": _FILES,
    "tests/changes/test_watching.py::test_there_is_nothing_to_watch": _FILES,
    "tests/commands/test_cli.py::test_a_store_bound_to_another_model": _ROW,
    "tests/commands/test_encryption.py": _ENCRYPTION,
    "tests/test_no_plaintext.py": _ENCRYPTION,
    "tests/upkeep/test_backups.py": _COPIES,
    "tests/upkeep/test_snapshots.py": _COPIES,
    "tests/storage/test_": "each names its engines itself",
}


def reason_against(test: str) -> str | None:
    """Why a test, by its id, cannot hold; None where it can."""
    return next((reason for head, reason in REASONS.items() if test.startswith(head)), None)
