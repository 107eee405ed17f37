"""Data model: the basic types of memcli, and nothing else: no storage, no clock, no output.

There are two time axes. When something was true or happened: `happened_at`, `valid_from`, `valid_until`. When
the store knew it: `created_at`, `updated_at`, `ended_at`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, Final, Literal, Self, get_args

from memcli.named_tuple import NamedTuple
from memcli.times import from_iso, to_iso

Kind = Literal[
    "fact", "preference", "outcome", "constraint", "episode", "procedure", "policy"
]  # fmt: skip
Source = Literal["explicit", "inferred", "learned", "imported", "merged"]
# How a memory ended.
Ending = Literal[
    "forgotten",  # somebody took it out
    "superseded",  # by its correction, or the next version of its name
    "merged",  # with others, into one
    "folded",  # into the summary of its session
    "updated",  # by a newer memory that says of the same that it changed
    "outweighed",  # by one that says otherwise and is surer
    "deprecated",  # a procedure that is not to be used any more
    "expired",  # its time to live or its validity was over
    "decayed",  # not needed for so long
    "pruned",  # never worth much
    "unsupported",  # all that it was concluded from was erased
    "undone",  # what had added it was taken back
]
# What a change does to a memory, as named in the history; events from other stores may have other names.
ChangeAction = Literal[
    "add", "import", "keep", "fold", "correct", "confirm", "repeat", "doubt", "edit", "merge", "relate",
    "learn", "resolve", "move", "rename", "accept", "reject", "close", "end", "expire", "drop", "restore",
    "rollback", "undo", "purge", "erase",
]  # fmt: skip
Order = Literal["newest", "oldest", "last_used"]

KINDS: tuple[Kind, ...] = get_args(Kind)
SOURCES: tuple[Source, ...] = get_args(Source)
# The roles of turns in a conversation, of other entries of a session, and of the summary of folded turns.
TURN_ROLES = ("user", "assistant", "system", "tool")
NOTE_ROLES = ("decision", "error", "note", "event")
SUMMARY = "summary"
ROLES = (*TURN_ROLES, *NOTE_ROLES)
# The roles of program output, which may be long for no good reason, and is stored and shown condensed.
OUTPUT_ROLES = ("tool", "error")
ENDINGS: tuple[Ending, ...] = get_args(Ending)
# The endings after which another memory takes its place: `replaced_by` says which.
REPLACED: frozenset[Ending] = frozenset({"superseded", "merged", "folded", "updated"})
# The kinds of statements; they hold other things as well, see `is_statement`.
STATED: tuple[Kind, ...] = ("fact", "preference", "outcome", "constraint", "episode", "procedure")
DEFAULT_SPACE = "default"
# The endings of a memory that was true until then: another one told of a change, or corrected it later.
OVERTAKEN: frozenset[Ending] = frozenset({"superseded", "updated"})
# A memory in force for at least so long is taken to have been true; a mistake is corrected sooner.
LEAST_STAY = timedelta(days=1)
# The prefix of a judgement, in a memory's data, that it updates another one, whose id follows.
UPDATE_OF = "update: "
# The judgement that a memory is about somebody else than the owner.
OF_OTHER = "about: other"
# The kinds of knowledge, as opposed to events (episodes) and instructions (procedures, policies).
KNOWLEDGE: tuple[Kind, ...] = ("fact", "preference", "outcome", "constraint")
# The space of keyed values that belong to the whole store.
EVERYWHERE = "*"

# The number of a memory within one open store: searches use it, since an id is ten times as large. It means
# nothing outside.
Ref = int

# The confidence in a memory unless its writer sets it: what the owner states is believed, what a program
# concludes a little less.
DEFAULT_CONFIDENCE: dict[Source, float] = {
    "explicit": 1.0,
    "inferred": 0.7,
    "learned": 0.7,
    "imported": 1.0,
    "merged": 1.0,
}
DEFAULT_IMPORTANCE = 0.5
# model.safetensors of sentence-transformers/all-MiniLM-L6-v2, as published.
DEFAULT_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


# No `repr` and no comparison are generated: compiling them for so many fields takes much of a short call.
# Fields are final to the type checker: a frozen class would take three times as long to be filled in.
@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class Memory:  # noqa: PLW1641 - `data` may change
    """A row of a store, of any kind. `to_record` returns its one JSON form, `memory_from_record` reads it."""

    id: Final[str]
    kind: Final[Kind]
    text: Final[str]
    space: Final[str] = DEFAULT_SPACE
    # The session of an episode; for other kinds, the session in which they came up, if known.
    session: Final[str | None] = None
    tags: Final[tuple[str, ...]] = ()
    confidence: Final[float] = 1.0
    importance: Final[float] = DEFAULT_IMPORTANCE
    # How it came to be known, and the door through which it came in (`cli`, `batch`, `import:FILE`).
    source: Final[Source] = "explicit"
    origin: Final[str] = "cli"
    trusted: Final[bool] = True
    happened_at: Final[datetime]
    valid_from: Final[datetime | None] = None
    valid_until: Final[datetime | None] = None
    # Time to live: past this instant it is out of every recall.
    expires_at: Final[datetime | None] = None
    created_at: Final[datetime]
    updated_at: Final[datetime]
    # Ended: no longer true or wanted, out of every recall, still restorable.
    ended_at: Final[datetime | None] = None
    ended_as: Final[Ending | None] = None
    # Free text for people; no code depends on it.
    ended_why: Final[str | None] = None
    # The memory that took its place; and the one whose place it took.
    replaced_by: Final[str | None] = None
    supersedes: Final[str | None] = None
    access_count: Final[int] = 0
    accessed_at: Final[datetime | None] = None
    confirm_count: Final[int] = 0
    confirmed_at: Final[datetime | None] = None
    # Data specific to the kind: a turn's role, a procedure's steps.
    data: Final[dict[str, Any]] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        return _field_values(self) == _field_values(other) if isinstance(other, Memory) else NotImplemented

    def __repr__(self) -> str:
        return f"Memory({', '.join(f'{name}={getattr(self, name)!r}' for name in FIELD_NAMES)})"

    @property
    def untrusted_origin(self) -> str | None:
        """Return the untrusted origin that it came in through; None if it is the owner's."""
        return None if self.trusted else self.origin

    def to_record(self) -> dict[str, Any]:
        """Return the memory as JSON types, every field by its own name, instants as text."""
        record = dict(zip(FIELD_NAMES, _field_values(self), strict=True))
        for name in TIME_FIELDS:
            if record[name] is not None:
                record[name] = to_iso(record[name])
        record["tags"] = list(self.tags)
        return record


FIELD_NAMES = tuple(f.name for f in fields(Memory))
TIME_FIELDS = frozenset(f.name for f in fields(Memory) if "datetime" in str(f.type))
_field_values = attrgetter(*FIELD_NAMES)


def memory_from_record(record: dict[str, Any]) -> Memory:
    """Read the result of `Memory.to_record` back. The caller has checked types and ranges.

    A memory that is not ended has no way of ending; an older record that only says that it ended is taken as
    forgotten. Raises TypeError for unknown or missing fields, ValueError for a bad instant.
    """
    values = dict(record)
    if values.get("ended_at") is None:
        values |= {"ended_as": None, "replaced_by": None}
    elif values.get("ended_as") is None:
        values["ended_as"] = "forgotten"
    for name in TIME_FIELDS & values.keys():
        if values[name] is not None:
            values[name] = from_iso(values[name])
    values["tags"] = tuple(values.get("tags", ()))
    return Memory(**values)


class Filter(NamedTuple):
    """Which memories are selected. Empty tuples and None mean: any.

    `spaces` is a wall: None looks across all of them and is never a default. `at` is the instant at which
    expiry and validity are judged; with `live=True` only memories that are neither ended, expired nor out of
    their validity at that instant are selected. `past`, from one instant to another, adds memories that were
    true at some time between (`memcli.storage.conditions.true_span`) but no longer are; with `past_only`,
    only these are selected.
    """

    spaces: tuple[str, ...] | None = (DEFAULT_SPACE,)
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    min_confidence: float = 0.0
    min_importance: float = 0.0
    # True: only trusted memories; False: only untrusted ones.
    trusted: bool | None = None
    live: bool = True
    at: datetime | None = None
    past: tuple[datetime, datetime] | None = None
    past_only: bool = False
    expiring: bool = False  # only memories with a time to live
    # Only memories that belong to no session and have no time to live.
    by_itself: bool = False
    created_since: datetime | None = None
    # For upkeep: not ended, but past its time to live or validity at `at`; ended by an instant; less
    # important than this.
    lapsed: bool = False
    ended_until: datetime | None = None
    less_important: float | None = None
    # Besides live memories, those that another one overtook (`OVERTAKEN`).
    overtaken: bool = False
    # Only memories that were judged, when written, to update one of these ids.
    updating: tuple[str, ...] = ()


class Link(NamedTuple):
    """A typed edge between entities, with validity and provenance.

    `subject` and `object` are names of entities, or ids of memories.
    """

    id: str
    space: str
    subject: str
    relation: str
    object: str
    # The memory that says so.
    evidence: str | None
    confidence: float
    valid_from: datetime | None
    valid_until: datetime | None
    created_at: datetime
    ended_at: datetime | None
    data: dict[str, Any]


class State(NamedTuple):
    """A keyed value with expiry: a checkpoint, the current task, a session's cursor.

    `area` is the subject that owns it (`checkpoint`, `task`): see `memcli.storage.areas`; `version` counts
    its changes, so that a writer can insist on the one it read.
    """

    space: str
    area: str
    key: str
    value: Any
    version: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None

    def changed(self, value: Any, now: datetime) -> Self:
        """Return the value that replaces this one under the same key, with the next version number."""
        return self._replace(value=value, version=self.version + 1, updated_at=now)


def new_state(
    space: str, area: str, key: str, value: Any, now: datetime, expires_at: datetime | None = None
) -> State:
    """Return the first version of a keyed value of JSON types."""
    return State(space, area, key, value, 1, now, now, expires_at)


class Change(NamedTuple):
    """Who changes a memory and why; recorded with what changed.

    All that one command or one step changes has the same `id`, by which it can be undone as a whole. `reason`
    is for people; `undoes` names the change that this one takes back.
    """

    action: ChangeAction
    actor: str = "cli"
    reason: str | None = None
    id: str | None = None
    undoes: str | None = None


class Event(NamedTuple):
    """One line of history: what a change did to one memory.

    `before` and `after` hold only the fields that changed, as JSON types; `before` is None for a new memory.
    `undoes` is the id of the change that it takes back, or its number, if that is from before changes had
    ids.
    """

    number: int
    at: datetime
    memory: str
    action: str
    actor: str
    reason: str | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    change: str | None = None
    undoes: str | None = None

    @property
    def name(self) -> tuple[str, str, str, str]:
        """Return what identifies the event in another store, too: memory, instant, action and change.

        One change may have made several events with the same name.
        """
        return (self.memory, to_iso(self.at), self.action, self.change or "")


class ModelIdentity(NamedTuple):
    """Which model made a vector: its name, the SHA-256 of its weights, its width."""

    name: str
    weights: str
    dimensions: int

    def same_vectors(self, other: Self) -> bool:
        """True if vectors of the two may be compared; the model's name may differ."""
        return (self.weights, self.dimensions) == (other.weights, other.dimensions)

    @property
    def is_default(self) -> bool:
        """True if it is the default model, by whatever name: the judges were trained on it."""
        return self.weights == DEFAULT_WEIGHTS


class Match(NamedTuple):
    """A memory found by one search, with that search's own score (higher is better)."""

    ref: Ref
    score: float


def speaker_of(memory: Memory) -> str:
    """Return who said it, by their role in the conversation; "" if that is unknown."""
    role = memory.data.get("role")
    return role if isinstance(role, str) else ""


def is_record(memory: Memory) -> bool:
    """True if a memory records what was said, as a turn of a session, and is not knowledge."""
    return memory.kind == "episode" and (memory.session is not None or "role" in memory.data)


def is_statement(memory: Memory) -> bool:
    """True if a memory states something by itself, whatever its kind.

    Not a turn, nothing with a time to live, and not a procedure with a name or steps of its own.
    """
    if memory.kind == "episode":
        return not is_record(memory) and memory.expires_at is None
    if memory.kind == "procedure":
        return memory.data.keys() <= {"judged"}
    return memory.kind in KNOWLEDGE


def outcome_counts(data: dict[str, Any]) -> tuple[int, int]:
    """Return how often it worked and failed, according to a memory's data; invalid counts are 0."""
    counts = (data.get("ok"), data.get("failed"))
    ok, failed = (n if isinstance(n, int) and not isinstance(n, bool) and n > 0 else 0 for n in counts)
    return ok, failed


def judged_likely(memory: Memory, what: str) -> float:
    """Return the probability that the judges gave to `what` when a memory was written; 0 if there is none."""
    judged = memory.data.get("judged")
    likely = judged.get(what) if isinstance(judged, dict) else None
    return float(likely) if isinstance(likely, float | int) else 0.0


def judged_updates(memory: Memory) -> list[str]:
    """Return the ids of the memories that a memory was judged to update when it was written."""
    judged = memory.data.get("judged")
    names = judged if isinstance(judged, dict) else ()
    return [name.removeprefix(UPDATE_OF) for name in names if name.startswith(UPDATE_OF)]


def is_past(memory: Memory, now: datetime) -> bool:
    """True if it was true and no longer is: its validity has ended, or it was overtaken."""
    return memory.ended_as in OVERTAKEN or (memory.valid_until is not None and memory.valid_until <= now)


def is_ahead(memory: Memory, now: datetime) -> bool:
    """True if it is not true yet: its validity has not begun."""
    return memory.valid_from is not None and memory.valid_from > now


def as_ended(memory: Memory, at: datetime, how: Ending, why: str, replaced_by: str | None = None) -> Memory:
    """Return the memory as ended; `why` is for people."""
    return replace(memory, ended_at=at, ended_as=how, ended_why=why, replaced_by=replaced_by, updated_at=at)


def without_lapsed_ttl(memory: Memory, now: datetime) -> Memory:
    """Return the memory without a time to live that has passed; else itself."""
    over = memory.expires_at is not None and memory.expires_at <= now
    return replace(memory, expires_at=None) if over else memory


def without_lapsed_end(memory: Memory, now: datetime) -> Memory:
    """Return the memory without a time to live or an end of validity that has passed; else itself."""
    over = memory.valid_until is not None and memory.valid_until <= now
    return without_lapsed_ttl(replace(memory, valid_until=None) if over else memory, now)
