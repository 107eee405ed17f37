"""The nouns of memcli, and nothing else: no storage, no clock, no output.

Two axes of time. When it was true or happened: `happened_at`, `valid_from`,
`valid_until`. When the store knew it: `created_at`, `updated_at`, `ended_at`.
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
# What a change does to a memory, as history names it; a line that came from elsewhere may say anything.
ChangeAction = Literal[
    "add", "import", "keep", "fold", "correct", "confirm", "repeat", "doubt", "edit", "merge", "relate",
    "learn", "resolve", "move", "rename", "accept", "reject", "close", "end", "expire", "drop", "restore",
    "rollback", "undo", "purge", "erase",
]  # fmt: skip
Order = Literal["newest", "oldest", "last_used"]

KINDS: tuple[Kind, ...] = get_args(Kind)
SOURCES: tuple[Source, ...] = get_args(Source)
# Who speaks in a turn of a conversation; what else a session's record holds; what stands for what was folded.
TURN_ROLES = ("user", "assistant", "system", "tool")
NOTE_ROLES = ("decision", "error", "note", "event")
SUMMARY = "summary"
ROLES = (*TURN_ROLES, *NOTE_ROLES)
# What a program said: it may be long for no good reason, and is kept, and shown, in extract.
OUTPUT_ROLES = ("tool", "error")
ENDINGS: tuple[Ending, ...] = get_args(Ending)
# Those by which another memory took its place: `replaced_by` says which.
REPLACED: frozenset[Ending] = frozenset({"superseded", "merged", "folded", "updated"})
# The kinds of what is stated by itself: see `is_statement`, for these hold other things as well.
STATED: tuple[Kind, ...] = ("fact", "preference", "outcome", "constraint", "episode", "procedure")
DEFAULT_SPACE = "default"
# Those of a memory that was true until then: another has told of a change, or corrected it later.
OVERTAKEN: frozenset[Ending] = frozenset({"superseded", "updated"})
# A mistake is corrected sooner: what stood for so long is taken to have been true.
LEAST_STAY = timedelta(days=1)
# What a judge noted in a memory's data of another that it updates begins with this; its id follows.
UPDATE_OF = "update: "
# What it noted of what is told of somebody else than the memory's owner.
OF_OTHER = "about: other"
# Knowledge, as against what happened (episodes) and what to do (procedures, policies).
KNOWLEDGE: tuple[Kind, ...] = ("fact", "preference", "outcome", "constraint")
# In place of a space: keyed state that belongs to the whole store.
EVERYWHERE = "*"

# The number of a memory inside one open store: what searches pass around, for an
# id is ten times as large. It means nothing outside.
Ref = int

# How sure a memory is unless its writer says otherwise: what the owner states is
# believed, what a program concluded is not quite.
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


# What `dataclasses` compiles for so many fields is much of a short call: no `repr`, no comparison are made.
# Fields are final to the type checker: a frozen class would take three times as long to be filled in.
@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class Memory:  # noqa: PLW1641 - `data` may change
    """Any row of a store. `to_record` gives its one JSON shape, `memory_from_record` reads it."""

    id: Final[str]
    kind: Final[Kind]
    text: Final[str]
    space: Final[str] = DEFAULT_SPACE
    # Episodes of one session stand in time order; other kinds may say where they came up.
    session: Final[str | None] = None
    tags: Final[tuple[str, ...]] = ()
    confidence: Final[float] = 1.0
    importance: Final[float] = DEFAULT_IMPORTANCE
    # How it came to be known, and through which door it came in (`cli`, `batch`, `import:FILE`).
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
    # For people, in any words: nothing is decided by it.
    ended_why: Final[str | None] = None
    # The memory that took its place; and the one whose place it took.
    replaced_by: Final[str | None] = None
    supersedes: Final[str | None] = None
    access_count: Final[int] = 0
    accessed_at: Final[datetime | None] = None
    confirm_count: Final[int] = 0
    confirmed_at: Final[datetime | None] = None
    # What only this kind has: a turn's role, a procedure's steps.
    data: Final[dict[str, Any]] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        return _field_values(self) == _field_values(other) if isinstance(other, Memory) else NotImplemented

    def __repr__(self) -> str:
        return f"Memory({', '.join(f'{name}={getattr(self, name)!r}' for name in FIELD_NAMES)})"

    @property
    def untrusted_origin(self) -> str | None:
        """The untrusted origin that it came in through; None where it is its owner's."""
        return None if self.trusted else self.origin

    def to_record(self) -> dict[str, Any]:
        """The memory as JSON types, every field by its own name, instants as text."""
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
    """Read `Memory.to_record` back. The caller has checked types and ranges.

    What is not ended did not end in any way, and of what an older record says
    only that it ended, no more is known than that somebody wanted it so. Raises
    TypeError for unknown or missing fields, ValueError for a bad instant.
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
    """Which memories are meant. Empty tuples and None mean: any.

    `spaces` is a wall: None looks across all of them and is never a default.
    `at` is the instant at which expiry and validity are judged; with
    `live=True` only memories that are neither ended, expired nor out of their
    validity at that instant are meant. `past`, from one instant to another, lets
    in what was true at some time between (`memcli.storage.conditions.true_span`), though it is so no
    longer; with `past_only` nothing else is meant.
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
    # True: only what came from a trusted place; False: only what did not.
    trusted: bool | None = None
    live: bool = True
    at: datetime | None = None
    past: tuple[datetime, datetime] | None = None
    past_only: bool = False
    expiring: bool = False  # only what has a time to live
    # Only what belongs to no session and has no time to live.
    by_itself: bool = False
    created_since: datetime | None = None
    # Upkeep asks: not ended, but past its time to live or validity at `at`; ended by an instant;
    # of less importance than this.
    lapsed: bool = False
    ended_until: datetime | None = None
    less_important: float | None = None
    # Beside what is live, what another memory overtook (`OVERTAKEN`).
    overtaken: bool = False
    # Only what a judge held for an update of one of these when it was written, by id.
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
    """A keyed value with expiry: a checkpoint, a task at hand, a session's cursor.

    `area` is the subject that owns it (`checkpoint`, `task`): see `memcli.storage.areas`;
    `version` counts its changes, so that a writer can insist on the one it read.
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
        """What takes its place: another value under the same key, a version later."""
        return self._replace(value=value, version=self.version + 1, updated_at=now)


def new_state(
    space: str, area: str, key: str, value: Any, now: datetime, expires_at: datetime | None = None
) -> State:
    """A keyed value in its first version, of JSON types."""
    return State(space, area, key, value, 1, now, now, expires_at)


class Change(NamedTuple):
    """Who changes a memory and why; goes on record with what changed.

    All that one command or one step changes has the same `id`, by which it can
    be undone whole. `reason` is for people; `undoes` names the change that this
    one takes back.
    """

    action: ChangeAction
    actor: str = "cli"
    reason: str | None = None
    id: str | None = None
    undoes: str | None = None


class Event(NamedTuple):
    """One line of history: what a change did to one memory.

    `before` and `after` hold only the fields that changed, as JSON types;
    `before` is None for a memory that was not there. `undoes` is the id of the
    change that it takes back; of one from before changes had ids, its number.
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
        """By what a line is known again in another store: memory, instant, action and change.

        One change may have made several of one name.
        """
        return (self.memory, to_iso(self.at), self.action, self.change or "")


class ModelIdentity(NamedTuple):
    """Which model made a vector: its name, the SHA-256 of its weights, its width."""

    name: str
    weights: str
    dimensions: int

    def same_vectors(self, other: Self) -> bool:
        """Whether vectors of the two may be compared; a model may have moved."""
        return (self.weights, self.dimensions) == (other.weights, other.dimensions)

    @property
    def is_default(self) -> bool:
        """Whether it is the default model, whatever it is called: from which the judges learned."""
        return self.weights == DEFAULT_WEIGHTS


class Match(NamedTuple):
    """A memory found by one search, with that search's own score (higher is better)."""

    ref: Ref
    score: float


def speaker_of(memory: Memory) -> str:
    """Who said it, by their role in the conversation; empty where nobody is known."""
    role = memory.data.get("role")
    return role if isinstance(role, str) else ""


def is_record(memory: Memory) -> bool:
    """Whether a memory records what was said, rather than being knowledge: a turn of a session."""
    return memory.kind == "episode" and (memory.session is not None or "role" in memory.data)


def is_statement(memory: Memory) -> bool:
    """Whether a memory states something by itself, whatever its kind: no turn, nothing that passes, no skill
    with a name or steps of its own."""
    if memory.kind == "episode":
        return not is_record(memory) and memory.expires_at is None
    if memory.kind == "procedure":
        return memory.data.keys() <= {"judged"}
    return memory.kind in KNOWLEDGE


def outcome_counts(data: dict[str, Any]) -> tuple[int, int]:
    """How often a memory's data says that it worked, and failed; what is no count is 0."""
    counts = (data.get("ok"), data.get("failed"))
    ok, failed = (n if isinstance(n, int) and not isinstance(n, bool) and n > 0 else 0 for n in counts)
    return ok, failed


def judged_likely(memory: Memory, what: str) -> float:
    """How likely the judges held something of a memory when it was written; 0 where they did not say so."""
    judged = memory.data.get("judged")
    likely = judged.get(what) if isinstance(judged, dict) else None
    return float(likely) if isinstance(likely, float | int) else 0.0


def judged_updates(memory: Memory) -> list[str]:
    """The ids of the memories that a judge held for updated by one when it was written."""
    judged = memory.data.get("judged")
    names = judged if isinstance(judged, dict) else ()
    return [name.removeprefix(UPDATE_OF) for name in names if name.startswith(UPDATE_OF)]


def is_past(memory: Memory, now: datetime) -> bool:
    """Whether what it says was true and is no longer: its validity is over, or it was overtaken."""
    return memory.ended_as in OVERTAKEN or (memory.valid_until is not None and memory.valid_until <= now)


def as_ended(memory: Memory, at: datetime, how: Ending, why: str, replaced_by: str | None = None) -> Memory:
    """The memory as it is once it has ended; `why` says it to people."""
    return replace(memory, ended_at=at, ended_as=how, ended_why=why, replaced_by=replaced_by, updated_at=at)


def without_lapsed_ttl(memory: Memory, now: datetime) -> Memory:
    """The memory without a time to live that it has outlived; itself where that is still ahead, or none."""
    over = memory.expires_at is not None and memory.expires_at <= now
    return replace(memory, expires_at=None) if over else memory


def without_lapsed_end(memory: Memory, now: datetime) -> Memory:
    """The memory without a time to live, or an end of its validity, that has passed; else itself."""
    over = memory.valid_until is not None and memory.valid_until <= now
    return without_lapsed_ttl(replace(memory, valid_until=None) if over else memory, now)
