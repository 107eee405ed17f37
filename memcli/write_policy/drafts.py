"""Drafts: memories as a caller asks for them, checked and completed with defaults before they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, cast

from memcli import times
from memcli.doors import MEMORY, Deed
from memcli.errors import BadInput
from memcli.model import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    DEFAULT_SPACE,
    KINDS,
    SOURCES,
    Kind,
    Memory,
    Source,
)
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.text.checks import check_choice, check_data, check_fraction, check_name, check_space, check_text
from memcli.text.dates.instants import read_instant
from memcli.text.task_items import read_task
from memcli.write_policy.decision import WriterClaims


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The fields of a new memory as given by a caller; `to_memory` fills in what is None.

    `supersedes`, `both_hold` and `same_as` name memories by id or part of an id: see `WriterClaims`.
    """

    text: str
    kind: str | None = None
    space: str | None = None
    session: str | None = None
    tags: tuple[str, ...] = ()
    confidence: float | None = None
    importance: float | None = None
    source: str | None = None
    origin: str = "cli"
    trusted: bool = True
    happened_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    ttl: timedelta | None = None
    supersedes: str | None = None
    both_hold: tuple[str, ...] = ()
    same_as: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_memory(self, memory_id: str, now: datetime, max_bytes: int, space: str = DEFAULT_SPACE) -> Memory:
        """Return the memory that this draft becomes, created at `now`.

        A missing kind is `fact` until it is judged (`ExaminedWrite.look_around`). Raises BadInput for text
        that cannot be kept and for values out of range.
        """
        check_text(self.text, max_bytes)
        text, tags = self.text, set(self.tags)
        # A single line may be a checklist item ("- [ ] …"), whose box gives tags; a session's turn is none.
        if self.session is None and "role" not in self.data and "\n" not in text.strip():
            text, tags = read_task(text, tags)
        kind = check_choice("kind", self.kind or "fact", KINDS)
        source = cast(Source, check_choice("source", self.source or "explicit", SOURCES))
        if self.valid_from and self.valid_until and self.valid_until <= self.valid_from:
            raise BadInput("valid_until lies before valid_from; swap them")
        confidence = DEFAULT_CONFIDENCE[source] if self.confidence is None else self.confidence
        importance = DEFAULT_IMPORTANCE if self.importance is None else self.importance
        return Memory(
            id=memory_id,
            kind=cast(Kind, kind),
            text=text,
            space=check_space(self.space or space),
            session=check_name("session", self.session) if self.session else None,
            tags=tuple(sorted({check_name("tag", tag) for tag in tags})),
            confidence=check_fraction("confidence", confidence),
            importance=check_fraction("importance", importance),
            source=source,
            origin=self.origin,
            trusted=self.trusted,
            happened_at=self.happened_at or now,
            valid_from=self.valid_from,
            valid_until=self.valid_until,
            expires_at=_expiry(now, self.ttl),
            created_at=now,
            updated_at=now,
            supersedes=self.supersedes,
            data=check_data(self.data),
        )


def _expiry(now: datetime, ttl: timedelta | None) -> datetime | None:
    try:
        return now + ttl if ttl else None
    except OverflowError as error:
        raise BadInput("ttl reaches beyond the year 9999; give a shorter one, or none") from error


def new_memory(scope: Scope, draft: Draft) -> Memory:
    """Return the memory that a draft becomes in this scope: with its space, session, id and creation time.

    An untrusted origin writes under its own name and untrusted, whatever the draft says. Raises BadInput
    for what cannot be kept at all.
    """
    now = scope.now()
    if draft.session is None and scope.config["session"]:
        draft = replace(draft, session=scope.config["session"])
    if scope.is_untrusted:
        draft = replace(draft, origin=scope.origin, trusted=False)
    draft = replace(draft, origin=scope.signed(draft.origin))
    return draft.to_memory(scope.new_id(now), now, scope.config["max_text"], scope.space)


class NewMemories(NamedTuple):
    """The memories made from drafts; `told` maps their ids to what drafts state about memories in force."""

    memories: list[Memory]
    told: dict[str, WriterClaims]
    kinds_open: frozenset[str]
    """The ids of the memories whose drafts state no kind."""


def new_memories(scope: Scope, drafts: Sequence[Draft]) -> NewMemories:
    """Return the memories that drafts become in this scope.

    Memories that a draft names are looked up in its space. Raises BadInput, NotFound, and Refused for an
    untrusted origin that would settle what is not its own.
    """
    new = [new_memory(scope, draft) for draft in drafts]
    told = {}
    for number, (memory, draft) in enumerate(zip(new, drafts, strict=True)):
        if draft.both_hold or (draft.supersedes, draft.same_as) != (None, None):
            new[number], told[memory.id] = _told(scope, memory, draft)
    return NewMemories(
        new,
        told,
        frozenset(each.id for each, draft in zip(new, drafts, strict=True) if draft.kind is None),
    )


def _told(scope: Scope, memory: Memory, draft: Draft) -> tuple[Memory, WriterClaims]:
    """Return the memory with the full id of what it supersedes, and what its draft states of others."""
    from memcli.storage.lookup import require_in_force

    if None not in (draft.supersedes, draft.same_as):
        raise BadInput(
            "what says the same as a memory is not kept, so it replaces none; leave one of the two out"
        )

    def named(fragment: str) -> Memory:
        return scope.find(fragment, scope.within(spaces=(memory.space,)))

    old = None if draft.supersedes is None else named(draft.supersedes)
    both = [require_in_force(scope.store, named(each)) for each in draft.both_hold]
    told = WriterClaims(
        require_in_force(scope.store, old) if old else None,
        tuple({each.id: each for each in both}.values()),
        None if draft.same_as is None else require_in_force(scope.store, named(draft.same_as)),
    )
    for each in (told.replaces, told.same_as):
        if each and each.id in {one.id for one in told.both_hold}:
            raise BadInput(f"{each.id} either holds beside it or does not; name it once")
    if told.same_as:
        scope.require(MEMORY, Deed.VOUCH, f"confirming {told.same_as.id}")
    scope.check_change(told.both_hold, "settling a question about")
    return (replace(memory, supersedes=old.id) if old else memory), told


class _Field(NamedTuple):
    """The reader of one JSON field of a draft: the field's name, a check of its value, and a parser."""

    name: str
    fits: Callable[[Any], bool]
    read: Callable[[Any, datetime], Any] = lambda value, now: value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _end(text: str, now: datetime) -> datetime:
    return read_instant(text, now, end=True, ahead=True)


# By JSON name: the names of the schema, and for convenience `at`, `ttl` and `role`.
_FIELDS = {
    **{name: _Field(name, _is_text) for name in ("text", "kind", "space", "session", "source")},
    "confidence": _Field("confidence", _is_number, lambda value, now: check_fraction("confidence", value)),
    "importance": _Field("importance", _is_number, lambda value, now: check_fraction("importance", value)),
    "at": _Field("happened_at", _is_text, read_instant),
    "happened_at": _Field("happened_at", _is_text, read_instant),
    "valid_from": _Field("valid_from", _is_text, read_instant),
    "valid_until": _Field("valid_until", _is_text, _end),
    "ttl": _Field("ttl", _is_text, lambda value, now: times.parse_duration(value)),
    "tags": _Field("tags", _are_texts, lambda value, now: tuple(value)),
    "data": _Field("data", _is_object),
    "role": _Field("data", _is_text, lambda value, now: {"role": value}),
    "trusted": _Field("trusted", _is_flag),
}


def draft_from_record(record: Mapping[str, Any], now: datetime, origin: str) -> Draft:
    """Read a draft from a JSON object: `text`, and any of the other fields.

    Raises BadInput, naming the field, for a wrong type or an unknown name.
    """
    values: dict[str, Any] = {}
    for name, value in record.items():
        if value is None:
            continue
        if (field := _FIELDS.get(name)) is None:
            raise BadInput(f"unknown field {name!r}; what is of no other field goes under 'data'")
        if not field.fits(value):
            raise BadInput(f"{name}: {value!r:.60} is of the wrong type")
        read = field.read(value, now)
        values[field.name] = {**values.get("data", {}), **read} if field.name == "data" else read
    if "text" not in values:
        raise BadInput("no 'text'")
    return Draft(origin=origin, **values)
