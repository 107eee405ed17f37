"""Areas of keyed values, in one register: what each holds, whose it is, and how the rest of memcli treats it.

A keyed value (`memcli.model.State`) has an area. Whatever has to know what an area means (forgetting, undo,
spaces, export and import) reads it here, so a new area is one entry. No backend reads this: to the store an
area is a name.

A value of an area that is not here came from a newer memcli, and is treated as the owner's text.
"""

from __future__ import annotations

from enum import Enum

from memcli.named_tuple import NamedTuple


class Content(Enum):
    """Whose a value is, which decides whether an erasure may drop it for quoting what is erased."""

    OWNERS = "its owner wrote it: never dropped unasked, the receipt names it"
    NOTE = "memcli noted it by itself and can do without: it goes with what it quotes"
    BOOKKEEPING = "memcli works by it: names, numbers and instants; it stays, the receipt names it"


class Naming(Enum):
    """True if a value refers to memories by id, and is erased with them."""

    NONE = "it names none"
    LOOSE = "it names some, and stays without them"
    ANY = "it goes with any of them"
    ALL = "it goes when all that it was concluded from are gone"


class Area(NamedTuple):
    """One area. Only its `room` writes it, except for what moves whole spaces."""

    name: str
    room: str
    holds: str
    """What a value is, and by which key."""
    content: Content
    naming: Naming = Naming.NONE
    in_spaces: bool = True
    """True if it belongs to a space: renamed, counted and erased with it. Else it is store-wide."""
    travels: bool = True
    """True if it is exported and imported."""
    syncs: bool = True
    """True if it is synced to the owner's other machines; else it is this machine's own."""
    waits: bool = False
    """True if it waits for the owner and names the change that put it there: undoing that withdraws it."""
    cleared: bool = False
    """True if forgetting its space softly drops it for good."""
    named_by_memories: bool = False
    """True if it lives only as long as the data of a memory of its space holds its key."""
    only_names: bool = False
    """True if it contains nothing but names, and is erased with whoever it names."""
    moves: bool = True
    """True if it is copied with the whole store to another place; else it is about this place alone."""
    rolls_back: bool = True
    """True if a rollback restores it.

    Not so what happened (uses, runs, answers), what was forgotten, how far the history was read, and what
    is about this file alone.
    """

    @property
    def erased_by_address(self) -> bool:
        """True if `forget --hard AREA/KEY` erases a value.

        Not so the store's own working data, such as the record of its copies, without which no erasure
        would reach them.
        """
        return self.in_spaces or self.only_names or self.content is Content.OWNERS


SESSION_AT_HAND = Area(
    "session", "recall", "the session and the task at hand: its owner's, and of each untrusted origin",
    Content.BOOKKEEPING, only_names=True, syncs=False,
)  # fmt: skip
TASK = Area(
    "task", "tiers.tasks", "working memory, by the task's name",
    Content.OWNERS, cleared=True,
)  # fmt: skip
TASK_RECALLS = Area(
    "task-recalls", "recall", "how often each memory was recalled for a task, by its name",
    Content.NOTE, Naming.LOOSE, cleared=True, syncs=False, rolls_back=False,
)  # fmt: skip
RECALL_LOG = Area(
    "recall-log", "recall", "a recall: what it found, how fast, on wish the question; by an id",
    Content.NOTE, Naming.ANY, syncs=False, rolls_back=False,
)  # fmt: skip
RETRIEVAL_CHECK = Area(
    "check", "upkeep", "a question, the memory that it must find, its rank then, and how surely; by an id",
    Content.NOTE, Naming.ANY,
)  # fmt: skip
ALIAS = Area(
    "alias", "graph", "another name of an entity, by its key",
    Content.OWNERS, only_names=True,
)  # fmt: skip
PROPOSED_LINK = Area(
    "proposed-link", "graph", "a link that consolidation proposes, or that was rejected; by an id",
    Content.NOTE, Naming.ANY, waits=True,
)  # fmt: skip
HELD = Area(
    "held", "write_policy", "a memory that waits for review, or was rejected, by the id that it would have",
    Content.NOTE, Naming.ALL, waits=True,
)  # fmt: skip
WRITE_RULES = Area(
    "write-rules", "write_policy", "a rule of writing, by its name",
    Content.OWNERS, in_spaces=False,
)  # fmt: skip
FORGOTTEN = Area(
    "forgotten", "write_policy", "that a text was forgotten for good, by its keyed hash; and the key",
    Content.BOOKKEEPING, in_spaces=False, rolls_back=False,
)  # fmt: skip
FORGOTTEN_TRACE = Area(
    "forgotten-traces", "write_policy",
    "that a sentence, a name or a thing beside memories was forgotten for good, by keyed hashes",
    Content.BOOKKEEPING, in_spaces=False, rolls_back=False,
)  # fmt: skip
BLOCK = Area(
    "block", "tiers.context", "a small text that always comes along, in versions, by its label",
    Content.OWNERS,
)  # fmt: skip
SESSION = Area(
    "sessions", "tiers.sessions", "when a session was started and ended, by its name",
    Content.BOOKKEEPING, only_names=True,
)  # fmt: skip
CHECKPOINT = Area(
    "checkpoint", "tiers.tasks", "the record of a long task, by its name",
    Content.BOOKKEEPING,
)  # fmt: skip
CHECKPOINT_SAVE = Area(
    "checkpoint-save", "tiers.tasks", "a saved state, by the checkpoint's id and its version",
    Content.OWNERS,
)  # fmt: skip
CHECKPOINT_STEP = Area(
    "checkpoint-step", "tiers.tasks", "a step that runs once, by the checkpoint's id and its name",
    Content.OWNERS,
)  # fmt: skip
CHECKPOINT_OUTPUT = Area(
    "checkpoint-output", "tiers.tasks", "what a step printed, by the same key",
    Content.OWNERS,
)  # fmt: skip
POLICY_CHECK = Area(
    "policy-check", "tiers.policies", "an answer to 'may I?', on wish the action; by an id",
    Content.NOTE, syncs=False, rolls_back=False,
)  # fmt: skip
PROCEDURE_FILE = Area(
    "procedure-file", "tiers.procedures", "a file beside a procedure's document, by its SHA-256",
    Content.OWNERS, named_by_memories=True,
)  # fmt: skip
CONSOLIDATION = Area(
    "consolidation", "consolidation", "how far steps have read, and past runs",
    Content.BOOKKEEPING, syncs=False, rolls_back=False,
)  # fmt: skip
QUESTION = Area(
    "question", "changes", "a question to the owner about two memories, or its answer; by both ids",
    Content.BOOKKEEPING, Naming.LOOSE, waits=True, syncs=False, rolls_back=False,
)  # fmt: skip
SET_ASIDE = Area(
    "set-aside", "consolidation", "what an LLM claimed and was refused, and why; by its run and a number",
    Content.NOTE, travels=False, syncs=False, rolls_back=False,
)  # fmt: skip
# Used in place of a space for the measurements of each model, which belong to no space.
CALIBRATIONS = "calibration"
# The field of a calibration for the mean of the model's vectors, as a list of numbers.
COMMON = "common"
CALIBRATION = Area(
    "calibration", "upkeep", "recall's floor for a model, by the SHA-256 of its weights",
    Content.BOOKKEEPING, in_spaces=False, syncs=False, rolls_back=False,
)  # fmt: skip
# Not synced or moved, since another store measures it quickly.
COSINE_SCALE = Area(
    "cosine-scale", "embedding",
    "how a model's cosines compare with the default model's, by the SHA-256 of its weights",
    Content.BOOKKEEPING, in_spaces=False, travels=False, syncs=False, rolls_back=False,
)  # fmt: skip
# Not synced or moved: what this store has still to clean concerns no other store.
ERASURE = Area(
    "erasure", "changes.forgetting", "rows were erased, and the files not yet cleaned of them",
    Content.BOOKKEEPING, Naming.LOOSE, in_spaces=False, travels=False, syncs=False, rolls_back=False,
    moves=False,
)  # fmt: skip
# The prefix of keys for the values of `SYNC` from before a copy was restored in the store's place.
BEFORE_RESTORE = "before-restore:"
# The key in `SYNC` of the folders that this store syncs with; a folder is marked `stale` while its change
# files may hold what was erased.
SYNC_FOLDERS = "folders"
SYNC = Area(
    "sync", "sync", "which replica this store is, and how far each folder was read and written",
    Content.BOOKKEEPING, in_spaces=False, travels=False, syncs=False, rolls_back=False,
)  # fmt: skip
FOREIGN_LINES = Area(
    "foreign-lines", "changes", "which lines of history came from other machines",
    Content.BOOKKEEPING, in_spaces=False, travels=False, syncs=False, rolls_back=False,
)  # fmt: skip
SYNC_LOST = Area(
    "sync-lost", "sync", "a keyed value that another machine's later one replaced, by an id",
    Content.NOTE, travels=False, syncs=False, rolls_back=False,
)  # fmt: skip
# Not synced or moved: the places of a store's copies concern this file alone.
COPY = Area(
    "copies", "storage", "a copy of the store elsewhere, or where it stood when one was made; by path",
    Content.BOOKKEEPING, in_spaces=False, travels=False, rolls_back=False, syncs=False, moves=False,
)  # fmt: skip
INCOMING = Area(
    "incoming", "upkeep.moving", "how far another store is copied into this one, which is opened when it is",
    Content.BOOKKEEPING, in_spaces=False, travels=False, rolls_back=False, syncs=False, moves=False,
)  # fmt: skip
SNAPSHOT = Area(
    "snapshots", "upkeep.copies", "the name of a snapshot, and what it holds, by the label of its file",
    Content.BOOKKEEPING, in_spaces=False, travels=False, only_names=True, rolls_back=False, syncs=False,
    moves=False,
)  # fmt: skip
# For a value in no space (a rule), the note is in no space, too.
VALUE_BEFORE = Area(
    "values-before", "changes", "a keyed value as it was before a change, by that and its address",
    Content.NOTE, Naming.ANY, travels=False, rolls_back=False, syncs=False,
)  # fmt: skip

ALL = tuple(each for each in list(vars().values()) if isinstance(each, Area))
_BY_NAME = {each.name: each for each in ALL}


def area_named(name: str) -> Area:
    """Return the area of that name; an unknown one counts as the owner's content."""
    return _BY_NAME.get(name) or Area(name, "", "", Content.OWNERS)
