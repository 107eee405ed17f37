"""Settings: the table of every setting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memcli.config.readers import (
    HALF_LIVES,
    count,
    fading,
    flag,
    fraction,
    length,
    limit,
    one_of,
    path,
    place,
    seconds,
    space,
    text,
    warmth,
)
from memcli.errors import BadAddress, BadInput
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple

DEFAULT_MODEL = "all-MiniLM-L6-v2"


class Setting(NamedTuple):
    """One setting: how its text is read, its default (None: not set), and a line for people."""

    read: Callable[[str], Any]
    default: Any
    help: str


def find_setting(name: str) -> Setting:
    """Return the setting of that name; BadInput if there is none."""
    try:
        return SETTINGS[name.replace("-", "_")]
    except KeyError:
        from difflib import get_close_matches

        near = get_close_matches(name.replace("-", "_"), SETTINGS, n=1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        raise BadInput(
            f"no setting {name!r:.60}", advice=meant, by_hand=message(Command("config list"), " shows them")
        ) from None


def environment_variable(name: str) -> str:
    """Return the environment variable of a setting: `min_score` is `MEMCLI_MIN_SCORE`."""
    return f"MEMCLI_{name.upper()}"


def written(setting: Setting, value: Any) -> str:
    """Return a value as its owner writes it, a duration as `7d` and not 604800.0; "" if it is not set.

    `read_text` reads the same value back.
    """
    if value is None:
        return ""
    if setting.read is flag:
        return "on" if value else "off"
    if setting.read is warmth and not value:
        return "off"
    return length(value) if setting.read in (seconds, warmth) else str(value)


def read_text(setting: Setting, text: str, where: str) -> Any:
    """Return a setting's value from its text; BadInput, naming the place, for an invalid one.

    Raises StoreUnusable for the address of a store that memcli does not support.
    """
    try:
        text.encode()
        if "\0" in text:
            raise ValueError("must hold no NUL")
        return setting.read(text)
    except UnicodeEncodeError as error:
        raise BadInput(f"{where}: {text!r:.60} is not valid UTF-8") from error
    except BadAddress as error:
        raise BadAddress(f"{where}: {error}") from None
    except (ValueError, BadInput) as error:
        raise BadInput(f"{where}: {text!r:.80} is not a valid value ({error})") from error


SETTINGS: dict[str, Setting] = {
    "db": Setting(place, None, "the store: its file, or the address of a PostgreSQL database"),
    "key_command": Setting(
        text, None, "a command that prints the key or passphrase of an encrypted store; for cron"
    ),
    "key_file": Setting(
        path, None, "the file with the key of an encrypted store; only you may have access to it"
    ),
    "cache_dir": Setting(path, None, "where compiled models are kept; can be rebuilt at any time"),
    "space": Setting(space, "default", "the space that commands work in"),
    "session": Setting(text, None, "the session that new memories belong to"),
    "task": Setting(text, None, "the task at hand, if it is not to be that of the space"),
    "model": Setting(text, DEFAULT_MODEL, "embedding model: a name in a local cache, or a folder"),
    "rerank": Setting(
        text, None, "cross-encoder that reorders recall's first 30: a name in a local cache, or a folder"
    ),
    "limit": Setting(count, 10, "how many results recall gives"),
    "min_score": Setting(fraction, 0.2, "recall's floor: a lower score is not relevant"),
    "min_sure": Setting(
        fraction,
        0.5,
        "recall's sure line: a less sure answer is marked weak, and has five hits at most",
    ),
    "context_budget": Setting(
        limit,
        1500,
        "tokens that a pipe gets from recall and `mem context` unless --budget is given; 0: no limit",
    ),
    "max_text": Setting(count, 64 * 1024, "size limit of one memory, in bytes of UTF-8"),
    "origin": Setting(text, "cli", "where new memories come from; `mcp:NAME` for an agent"),
    "untrusted_origins": Setting(
        text,
        "mcp:*,agent:*,import:http*",
        "origins whose memories are untrusted: patterns, separated by commas",
    ),
    "judge_kind": Setting(
        fraction, 0.5, "from this probability on, a statement gets the kind judged; else it is a fact"
    ),
    "judge_unlasting": Setting(
        fraction, 0.8, "from this probability on, a statement counts as passing, undecided or trivial"
    ),
    "judge_same": Setting(fraction, 0.85, "from this probability on, a statement repeats what is known"),
    "judge_update": Setting(
        fraction, 0.47, "from this probability on, a statement is reported to contradict or update another"
    ),
    "judge_promise": Setting(fraction, 0.5, "from this probability on, a statement promises something"),
    "judge_due": Setting(fraction, 0.5, "from this probability on, a statement is about a day ahead"),
    "judge_other": Setting(
        fraction, 0.6, "from this probability on, a statement is about somebody other than its owner"
    ),
    "judge_replaced": Setting(
        fraction,
        0.8,
        "from this probability on, consolidation ends what a newer statement says it updates; 1: asks",
    ),
    "judge_distil": Setting(
        fraction, 0.75, "from this probability on, consolidation keeps a sentence of yours as a fact"
    ),
    "inferred_floor": Setting(
        fraction, 0.7, "inferred memories with less confidence than this wait for review"
    ),
    "session_writes": Setting(
        limit,
        10,
        "memories that an untrusted origin may write in one session; as many links, procedures, tasks, "
        "checkpoints and entries for review a day; 0: no limit",
    ),
    "turn_writes": Setting(
        limit, 2000, "turns that an untrusted origin may log in a day, in all its sessions; 0: no limit"
    ),
    "transient_ttl": Setting(seconds, 7 * 86400.0, "how long passing or undecided statements are kept"),
    "busy_timeout": Setting(seconds, 15.0, "how long to wait for another process's write"),
    "turn_ttl": Setting(seconds, 86400.0, "how long a raw turn lives, once it is folded into a summary"),
    "session_budget": Setting(count, 8000, "tokens of a session's messages"),
    "fold_at": Setting(fraction, 0.8, "the fraction of that budget at which older turns are folded"),
    "fold_keep": Setting(count, 5, "how many of the newest turns stay verbatim when others are folded"),
    "session_limit": Setting(
        count, 1000, "live episodes of a session; beyond that, its oldest turns are folded and expire"
    ),
    "output_limit": Setting(
        count, 4000, "characters of a logged tool output; of a longer one only extracts are kept"
    ),
    "task_ttl": Setting(seconds, 86400.0, "how long a task lives after its last change"),
    "task_notes": Setting(count, 20, "notes that a task holds; older ones are folded into a digest"),
    "half_lives": Setting(
        fading,
        HALF_LIVES,
        "half-lives of inferred memories, by kind: fact=180d,outcome=90d",
    ),
    "prune_after": Setting(seconds, 180 * 86400.0, "how long unimportant memories may go unused"),
    "purge_after": Setting(seconds, 90 * 86400.0, "how long ended memories can be restored"),
    "fade_floor": Setting(fraction, 0.3, "inferred memories whose strength falls below this are ended"),
    "idle_after": Setting(
        seconds, 365 * 86400.0, "after how long inferred memories that nobody used are ended"
    ),
    "keep_confident": Setting(
        flag,
        default=False,
        help="of two that contradict each other, end the one that is clearly less sure: on or off",
    ),
    "folded_turns": Setting(
        one_of("keep", "end"), "keep", "the turns of a folded session: keep (raw ones expire) or end"
    ),
    "backup_days": Setting(limit, 7, "days between the backups that consolidation makes; 0: none"),
    "recall_log": Setting(
        one_of("off", "on", "query"),
        "off",
        "keep ids, scores and latency of recalls: off, on, or query (the text too)",
    ),
    "recall_log_ttl": Setting(seconds, 90 * 86400.0, "how long an entry of the recall log lives"),
    "block_max_chars": Setting(count, 2000, "the most characters that a new block may hold"),
    "block_versions": Setting(count, 5, "how many earlier texts of a block are kept"),
    "checkpoint_ttl": Setting(
        seconds, 30 * 86400.0, "how long a checkpoint lives after each save and each completed step"
    ),
    "checkpoint_versions": Setting(count, 5, "how many saved versions of a checkpoint are kept"),
    "checkpoint_output": Setting(
        count, 1024 * 1024, "how much of a step's stdout, and of its stderr, is kept, in bytes"
    ),
    "max_files": Setting(count, 8 * 1024 * 1024, "size limit of the files beside a SKILL.md, in bytes"),
    "hook_deadline": Setting(
        seconds, 0.4, "how long an agent waits for `mem hook`, which after that says nothing"
    ),
    "hook_log": Setting(
        flag, default=False, help="have `mem hook` log the turns of agents' sessions: on or off"
    ),
    "policy_log": Setting(
        one_of("off", "on", "action"),
        "on",
        "keep decisions of `policy check`: off, on, or action (what was asked as well)",
    ),
    "policy_log_ttl": Setting(seconds, 90 * 86400.0, "how long a policy check stays on record"),
    "policy_likeness": Setting(
        fraction, 0.4, "a policy warns by meaning from this cosine on; 1: never, and no model is loaded"
    ),
    "warm": Setting(warmth, 0.0, "how long a warm process waits for the next call (10m); off: none is kept"),
    "llm": Setting(
        text, None, "a command that reads a prompt on stdin, or an OpenAI-compatible address; none: no LLM"
    ),
    "llm_timeout": Setting(seconds, 120.0, "after how long an LLM is stopped"),
    "llm_context": Setting(count, 6000, "tokens of memories put into one prompt"),
    "llm_mix": Setting(
        flag, default=False, help="put untrusted memories into one prompt with trusted ones: on or off"
    ),
    "llm_model": Setting(text, None, "the model at an address; not needed if it serves only one"),
    "llm_key_variable": Setting(
        text, None, "the environment variable that holds the address's key; none: no key is sent"
    ),
}

# Settings that must not be empty. An empty variable (`MEMCLI_DB="$STORE"`) would lead to another store,
# another space or more trust.
NEVER_EMPTY = frozenset(
    {"db", "key_command", "key_file", "cache_dir", "space", "origin", "untrusted_origins"}
)
