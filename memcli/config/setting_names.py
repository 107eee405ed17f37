"""Settings by the type of their values, for type checkers. Written from `SETTINGS`."""

from typing import Literal

BoolName = Literal[
    "keep_confident",
    "hook_log",
    "llm_mix",
]

FloatName = Literal[
    "min_score",
    "min_sure",
    "judge_kind",
    "judge_unlasting",
    "judge_same",
    "judge_update",
    "judge_promise",
    "judge_due",
    "judge_other",
    "judge_replaced",
    "judge_distil",
    "inferred_floor",
    "transient_ttl",
    "busy_timeout",
    "turn_ttl",
    "fold_at",
    "task_ttl",
    "prune_after",
    "purge_after",
    "fade_floor",
    "idle_after",
    "recall_log_ttl",
    "checkpoint_ttl",
    "hook_deadline",
    "policy_log_ttl",
    "policy_likeness",
    "warm",
    "llm_timeout",
]

IntName = Literal[
    "limit",
    "context_budget",
    "max_text",
    "session_writes",
    "turn_writes",
    "session_budget",
    "fold_keep",
    "session_limit",
    "output_limit",
    "task_notes",
    "backup_days",
    "block_max_chars",
    "block_versions",
    "checkpoint_versions",
    "checkpoint_output",
    "max_files",
    "llm_context",
]

LocationName = Literal["db"]

PathName = Literal["cache_dir"]

PathOrNoneName = Literal["key_file"]

StrName = Literal[
    "space",
    "model",
    "origin",
    "untrusted_origins",
    "half_lives",
    "folded_turns",
    "recall_log",
    "policy_log",
]

StrOrNoneName = Literal[
    "key_command",
    "session",
    "task",
    "rerank",
    "llm",
    "llm_model",
    "llm_key_variable",
]
