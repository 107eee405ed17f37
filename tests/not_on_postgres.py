"""What `pytest --store postgres` leaves out, each with the reason why it cannot hold on a server.

A key is how an id begins: a folder, a file, a test.
"""

from __future__ import annotations

_FILES = "it looks at the store's file, its log, or what stands beside it"
_COPIES = "backups, snapshots and what is restored of them are of a file: a database's are its operator's"
_ENCRYPTION = "a file is encrypted by memcli, a server's disks by its operator"
_MADE = "a test's database holds a store from the start"
_ROW = "it changes rows behind memcli's back, in SQLite's own words"

_ERASED, _PROVEN = "tests/changes/test_erased_and_no_more.py::", "tests/changes/test_proven_erasure.py::"
_SERVED = "tests/agents/test_mcp_wire.py::"
_OWNERS = "tests/test_doors.py::test_of_what_is_its_owners_an_agent_gets_what_the_table_says"
_ITS_OWN = "tests/test_doors.py::test_of_its_own_an_agent_gets_what_the_table_says"
_MAY = "tests/test_doors.py::test_its_owner_may_do_everything"
_FORGETTING = "tests/changes/test_forgetting.py::"

REASONS: dict[str, str] = {
    "tests/agents/test_hooks.py::test_a_store_that_others_hold": _FILES,
    "tests/agents/test_llm_plugin.py::test_a_fragment_of_no_store": _MADE,
    "tests/agents/test_llm_plugin.py::test_a_store_that_cannot_be_used": _FILES,
    "tests/agents/test_mcp.py::test_between_calls_the_file": _ENCRYPTION,
    f"{_SERVED}test_it_serves_its_lists_whatever_is_wrong_and_says_at_a_call_what_is[damaged]": _FILES,
    "tests/changes/test_undo_behind_arrivals.py::": _COPIES,
    "tests/changes/test_undo_walls.py::test_a_rollback_of_one_space": _COPIES,
    "tests/changes/test_undo_walls.py::test_what_cannot_be_read_any_more": _COPIES,
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
    "tests/commands/test_bad_options.py::test_a_dry_run_leaves_the_store_as_it_is": _FILES,
    "tests/commands/test_bad_options.py::test_a_dry_run_makes_no_store[consolidate": _MADE,
    "tests/commands/test_cli.py::test_a_store_bound_to_another_model": _ROW,
    "tests/commands/test_cli.py::test_doctor_says_what_is_wrong": _ROW,
    "tests/commands/test_colour_codes.py::test_no_door_lets": _FILES,
    "tests/commands/test_encryption.py": _ENCRYPTION,
    **dict.fromkeys((f"{_OWNERS}[{name}-" for name in ("copies", "sync")), _COPIES),
    **dict.fromkeys((f"{_ITS_OWN}[{name}-" for name in ("copies", "sync")), _COPIES),
    **dict.fromkeys((f"{_MAY}[{name}-" for name in ("copies", "sync", "encryption")), _COPIES),
    "tests/test_doors.py::test_an_agent_undoes_nothing_that_waits_for_its_owner_and_no_rollback": _COPIES,
    "tests/test_doors.py::test_a_damaged_store_is_mended": _FILES,
    "tests/test_no_plaintext.py": _ENCRYPTION,
    "tests/consolidation/test_consolidation_cli.py::test_without_a_store": _MADE,
    "tests/consolidation/test_steps.py::test_a_backup_is_made": _COPIES,
    "tests/consolidation/test_steps.py::test_of_what_lies_beside": _COPIES,
    "tests/tiers/test_checkpoint_run.py::test_two_processes_never_both": _FILES,
    "tests/tiers/test_checkpoint_run.py::test_a_command_that_outlives": (
        "a server's lock of a step ends with `mem checkpoint run`, not with the program that it started"
    ),
    "tests/tiers/test_policies_cli.py::test_a_store_that_is_not_there": _MADE,
    "tests/tiers/test_procedure_folder.py::test_files_go_with_the_last_version": _COPIES,
    "tests/upkeep/test_backups.py": _COPIES,
    "tests/upkeep/test_change_model.py::test_a_text_that_changes_while": (
        "a server keeps numbers of vectors in 16 bits, which is less than it measures"
    ),
    "tests/upkeep/test_import_checks.py::test_a_secret_is_in_no_byte": _FILES,
    "tests/upkeep/test_snapshots.py": _COPIES,
    "tests/views/test_datasette.py::test_every_table": _FILES,
    "tests/views/test_pictures.py::test_no_name_breaks": "a server keeps no NUL in a text, and says so",
    "tests/views/test_page_command.py::test_the_file_is_private": _FILES,
    "tests/storage/test_": "each names its engines itself",
}


def reason_against(test: str) -> str | None:
    """Why a test, by its id, cannot hold; None where it can."""
    return next((reason for head, reason in REASONS.items() if test.startswith(head)), None)
