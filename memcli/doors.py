"""Doors: one table of what an untrusted origin may do, tier by tier and deed by deed.

All that memcli keeps belongs to one of these tiers, and all that is done to it is one of five deeds. The
owner may do everything. Whoever came in through an untrusted door (`untrusted_origins`) may do only what is
listed here: `memcli.scope.Scope.require` enforces it, and so does all code that writes.

What came in that way is marked: a memory by `trusted` and `origin`, a link by `origin` in its data, a keyed
value by `origin`, part by part if it has parts. In a context it is shown marked, and with `--trusted-only`
not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from memcli.named_tuple import NamedTuple


class Deed(Enum):
    """What can be done to something that is kept."""

    ADD = "add"
    CHANGE = "change"
    END = "clear, end"
    VOUCH = "confirm, bring back"
    ERASE = "erase, move"


class Right(Enum):
    """How far the right of an untrusted origin goes."""

    MARKED = "yes, with its origin"
    OWN = "what is untrusted"
    NEVER = "no"


class Door(NamedTuple):
    """One tier: what it holds, the right for each deed (if left out: never), and the commands of each.

    `areas` are its keyed values (`memcli.storage.areas`), `kinds` its memories, `sections` the parts of a
    context that show it (`memcli.prompt.sections`). `note` is for people.
    """

    tier: str
    holds: str
    rights: Mapping[Deed, Right]
    commands: Mapping[Deed, tuple[str, ...]]
    areas: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    note: str = ""

    def right(self, deed: Deed) -> Right:
        """Return the right for a deed here."""
        return self.rights.get(deed, Right.NEVER)

    def lets(self, deed: Deed, *, own: bool) -> bool:
        """True if an untrusted origin may do it; `own`: it is done to something of its own.

        Its own is what came in through an untrusted origin; on a server, by the same role
        (`memcli.scope.Scope.is_own`).
        """
        right = self.right(deed)
        return right is Right.MARKED or (right is Right.OWN and own)

    @property
    def lets_texts_in(self) -> bool:
        """True if untrusted content can be in this tier, which is then shown marked."""
        return self.right(Deed.ADD) is Right.MARKED


_ADD, _CHANGE, _END, _VOUCH, _ERASE = Deed
_OWN_WORK = {_ADD: Right.MARKED, _CHANGE: Right.OWN, _END: Right.OWN}

MEMORY = Door(
    "memory", "facts, preferences, outcomes, constraints, episodes", _OWN_WORK,
    {
        _ADD: ("remember", "import"), _END: ("forget", "browse"),
        _CHANGE: ("correct", "doubt", "edit", "merge", "audit --fix", "remember --both-hold", "browse"),
        _VOUCH: ("confirm", "remember --same-as", "restore", "browse"),
        _ERASE: ("forget --hard", "space move"),
    },
    kinds=("fact", "preference", "outcome", "constraint", "episode"),
    sections=(
        "pinned", "constraints", "warnings", "due", "promised", "preferences", "facts", "outcomes",
        "episodes",
    ),
    note="a correction of the owner's waits for review; no `--force`",
)  # fmt: skip
SESSION = Door(
    "session", "turns, notes, summaries; which session is at hand", _OWN_WORK,
    {
        _ADD: ("log", "session start", "session import", "hook end", "hook log-turns"),
        _CHANGE: ("log --resolves",),
        _END: ("session end", "session clear"),
    },
    areas=("session", "sessions"), kinds=("episode",), sections=("session",),
    note="each untrusted origin has a session at hand of its own",
)  # fmt: skip
TASK = Door(
    "task", "goal, steps, notes, decisions, constraints, variables, results, each with its origin", _OWN_WORK,
    {
        _ADD: (
            "task start", "task switch", "task push", "task note", "task decide", "task constraint",
            "task step add",
        ),
        _CHANGE: ("task phase", "task set", "task result", "task step done", "task step pending"),
        _END: ("task pop", "task end", "task drop"),
    },
    areas=("task", "task-recalls"), sections=("task",),
    note="each untrusted origin has a task at hand of its own",
)  # fmt: skip
CHECKPOINT = Door(
    "checkpoint", "saved states", _OWN_WORK,
    {_ADD: ("checkpoint save",), _CHANGE: ("checkpoint save",), _END: ("checkpoint clear",)},
    areas=("checkpoint", "checkpoint-save"),
    note="printed raw to its origin only; to its owner with `--untrusted`",
)  # fmt: skip
STEP = Door(
    "step that runs once", "what ran, and what it printed", _OWN_WORK,
    {_ADD: ("checkpoint run",), _CHANGE: ("checkpoint mark",), _END: ("checkpoint clear",)},
    areas=("checkpoint-step", "checkpoint-output"),
    note="what was done by an untrusted origin is still to do for its owner",
)  # fmt: skip
LINK = Door(
    "link", "relations between entities", _OWN_WORK,
    {
        _ADD: ("link", "import"), _CHANGE: ("link --since", "link --replaces"), _VOUCH: ("link",),
        _END: ("unlink", "forget --about"), _ERASE: ("unlink --hard", "forget --about --hard"),
    },
    sections=("graph",),
    note="a link that its owner states again is the owner's",
)  # fmt: skip
ALIAS = Door(
    "alias", "other names of entities", {},
    {_ADD: ("graph alias",), _END: ("graph alias --remove",)},
    areas=("alias",),
)  # fmt: skip
BLOCK = Door(
    "block", "small texts that always come along", {},
    {
        _ADD: ("block set",), _CHANGE: ("block set", "block append"), _END: ("block delete",),
        _VOUCH: ("block restore",), _ERASE: ("block delete --hard",),
    },
    areas=("block",), sections=("blocks",),
)  # fmt: skip
PROCEDURE = Door(
    "procedure", "skills in versions", {**_OWN_WORK, _VOUCH: Right.OWN},
    {
        _ADD: ("procedure add", "procedure import"), _CHANGE: ("procedure edit", "procedure rollback"),
        _END: ("procedure deprecate",), _VOUCH: ("procedure used",),
    },
    areas=("procedure-file",), kinds=("procedure",), sections=("procedures",),
    note="never under a name that its owner gave; an outcome of the owner's is on record, and not counted",
)  # fmt: skip
POLICY = Door(
    "policy", "rules of what may be done", {},
    {
        _ADD: ("policy add", "policy import"), _CHANGE: ("policy edit",), _END: ("policy remove",),
    },
    areas=("policy-check",), kinds=("policy",), sections=("policies",),
)  # fmt: skip
RULE = Door(
    "rule", "what is always, or never, remembered", {},
    {_ADD: ("rule add", "rule on"), _END: ("rule remove", "rule off")},
    areas=("write-rules",),
)  # fmt: skip
REVIEW = Door(
    "review", "what waits for its owner", {_ADD: Right.MARKED},
    {
        _ADD: ("remember --source inferred",), _END: ("review reject", "review close", "browse"),
        _VOUCH: ("review accept", "browse"),
    },
    areas=("held", "proposed-link", "question"), sections=("open",),
    note="what an untrusted origin inferred waits here; it takes its own back by `mem undo`",
)  # fmt: skip
UNDO = Door(
    "undo", "changes on record", {_END: Right.OWN}, {_END: ("undo", "browse")},
    note="only its own changes, and of what waits only what it wrote itself",
)  # fmt: skip
SPACE = Door(
    "space", "walled parts of the store", {},
    {_CHANGE: ("space rename",), _END: ("space forget",), _ERASE: ("space forget --hard",)},
)  # fmt: skip
COPIES = Door(
    "copies", "backups and snapshots of the whole store, across every wall", {},
    {
        _ADD: ("backup create", "snapshot create"), _CHANGE: ("backup restore", "snapshot rollback"),
        _ERASE: ("snapshot drop",),
    },
    areas=("copies", "snapshots", "values-before"),
)  # fmt: skip
SYNC = Door(
    "sync", "what other machines, or another store, know", {},
    {_CHANGE: ("sync", "merge-store")},
    areas=("sync", "sync-lost", "foreign-lines"),
)  # fmt: skip
ENCRYPTION = Door(
    "encryption", "under which key the file and its copies stand", {},
    {_CHANGE: ("encrypt", "rekey", "decrypt")},
)  # fmt: skip
CONSOLIDATION = Door(
    "consolidation", "what tends the whole store", {},
    {_CHANGE: ("consolidate", "reindex")},
    areas=("consolidation", "set-aside"),
    note="what the model has not read yet a recall lets it read, and so does `reindex --missing`",
)  # fmt: skip
SETTING = Door(
    "setting", "settings, the store's model and its floor, what a recall must find", {},
    {_CHANGE: (
        "config set", "config unset", "model calibrate", "model use", "check add", "check remove",
        "warm start", "warm stop", "hook install", "hook remove", "init",
    )},
    areas=("calibration", "check"),
)  # fmt: skip
RECORD = Door(
    "record", "history and keyed values of an export", {}, {_ADD: ("import",)},
    note="an untrusted file brings memories and links only",
)  # fmt: skip

DOORS = (
    MEMORY, SESSION, TASK, CHECKPOINT, STEP, LINK, ALIAS, BLOCK, PROCEDURE, POLICY, RULE, REVIEW, UNDO, SPACE,
    COPIES, SYNC, ENCRYPTION, CONSOLIDATION, SETTING, RECORD,
)  # fmt: skip
