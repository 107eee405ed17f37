"""Checkpoints: the saved state of long tasks, in versions, until they expire.

A task's checkpoint is a small record with its expiry; what belongs to it (saved versions here, steps in
`memcli.tiers.tasks.steps`) is kept under the record's id and deleted with it. A task that expired or was
cleared begins again under a new id, so that nothing old can reappear. What an untrusted origin saved is
marked; it adds nothing to the owner's checkpoints, and the owner's next save or step makes a checkpoint the
owner's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from memcli.doors import CHECKPOINT, Deed
from memcli.errors import BadInput, NotFound, Refused
from memcli.messages import Command, message
from memcli.model import State
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas, states
from memcli.text.checks import check_name
from memcli.text.spelling import did_you_mean
from memcli.times import from_iso, local_time, to_iso
from memcli.write_policy.flood import check_flood

# The most characters of a state: what a task needs to continue, not its data, which belongs in files.
MAX_STATE = 16 * 1024 * 1024

_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|(NaN|-?Infinity)')


class Checkpoint(NamedTuple):
    """The record of one task; its saved data is kept under its id."""

    name: str
    id: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    # How many seconds it lives after each save and each completed step.
    ttl: float
    # The newest saved version (0: none), and all that are still kept, oldest first.
    version: int
    versions: tuple[int, ...]
    # The untrusted origin that owns it, None for the owner; and the untrusted origins of saved versions.
    origin: str | None = None
    origins: Mapping[str, str] = MappingProxyType({})

    def to_record(self) -> dict[str, Any]:
        """Return the checkpoint as JSON types, instants as text, without its inner id."""
        return {
            "task": self.name,
            "created_at": to_iso(self.created_at),
            "updated_at": to_iso(self.updated_at),
            "expires_at": to_iso(self.expires_at),
            "ttl": self.ttl,
            "version": self.version,
            "versions": list(self.versions),
            "origin": self.origin,
        }


class SavedState(NamedTuple):
    """One saved version of a task's state, its JSON as it was written, with its untrusted origin, if any."""

    task: str
    version: int
    saved_at: datetime
    text: str
    origin: str | None = None

    def to_record(self) -> dict[str, Any]:
        """Return everything about it except the state itself."""
        size = len(self.text.encode("utf-8"))
        return {
            "version": self.version, "saved_at": to_iso(self.saved_at), "bytes": size, "origin": self.origin,
        }  # fmt: skip


def save_checkpoint(
    scope: Scope,
    name: str,
    text: str,
    ttl: timedelta | None = None,
    *,
    where: str = "the state",
    force: bool = False,
) -> tuple[Checkpoint, SavedState]:
    """Save `text`, a JSON document, as the newest state of a task; the last few versions stay.

    With `ttl` the task lives that long from now on. Raises BadInput for what is not JSON, naming `where`,
    by line and column; Refused, except with `force`, for a secret, and for an untrusted origin if it is the
    owner's. What was saved before is unchanged then.
    """
    from memcli.text.secrets.redaction import refuse_secrets

    text = check_json(text, where)
    if not force:
        refuse_secrets(f"{name}\n{text}", where, "leave it out, or --force keeps it as it is")
    with scope.store.writing():
        drop_expired_checkpoints(scope)
        checkpoint = renew_checkpoint(scope, name, ttl)
        number = checkpoint.version + 1
        versions = (*checkpoint.versions, number)
        kept = versions[-scope.config["checkpoint_versions"] :]
        origin = scope.untrusted_origin
        saved = SavedState(checkpoint.name, number, checkpoint.updated_at, text, origin)
        # The parts of a checkpoint have no expiry of their own.
        key, at = f"{checkpoint.id}/{number}", checkpoint.updated_at
        states.write_state(scope.store, scope.space, areas.CHECKPOINT_SAVE.name, key, text, at)
        origins = {**checkpoint.origins, **({str(number): origin} if origin else {})}
        checkpoint = checkpoint._replace(
            version=number,
            versions=kept,
            origins={each: whose for each, whose in origins.items() if int(each) in kept},
        )
        _put(scope, checkpoint)
        for old in versions[: -len(kept)]:
            scope.store.drop_state(scope.space, areas.CHECKPOINT_SAVE.name, f"{checkpoint.id}/{old}")
    return checkpoint, saved


def restore_checkpoint(
    scope: Scope, name: str, version: int | None = None, *, untrusted: bool = False
) -> SavedState:
    """Return the newest saved state of a task, or the one of that version.

    Raises NotFound if there is none, or the checkpoint has expired; Refused if an untrusted origin saved
    it, which JSON cannot say, unless that is intended (`untrusted`) or the origin asks itself.
    """
    checkpoint = require_checkpoint(scope, name)
    if not checkpoint.versions:
        raise NotFound(
            f"checkpoint {checkpoint.name!r} holds steps but no saved state",
            by_hand=message(Command("checkpoint save")),
        )
    number = checkpoint.version if version is None else version
    for saved in saved_states(scope, checkpoint):
        if saved.version == number:
            if saved.origin and not (untrusted or (scope.is_untrusted and scope.is_own(saved.origin))):
                raise Refused(
                    f"version {number} of {name!r} was saved by {saved.origin}, an untrusted origin",
                    by_hand="--untrusted prints it",
                    rule="untrusted-origin",
                )
            return saved
    kept = ", ".join(map(str, checkpoint.versions))
    raise NotFound(f"checkpoint {checkpoint.name!r} has no version {number} any more; kept are {kept}")


def saved_states(scope: Scope, checkpoint: Checkpoint) -> list[SavedState]:
    """Return the saved versions of a task that are still kept, oldest first."""
    found = (
        (
            number,
            states.read_state(
                scope.store, scope.space, areas.CHECKPOINT_SAVE.name, f"{checkpoint.id}/{number}"
            ),
        )
        for number in checkpoint.versions
    )
    return [
        SavedState(
            checkpoint.name, number, state.updated_at, state.value, checkpoint.origins.get(str(number))
        )
        for number, state in found
        if state
    ]


def list_checkpoints(scope: Scope) -> list[Checkpoint]:
    """Return the checkpoints of the space that have not expired, last changed first."""
    now = scope.now()
    alive = [each for each in _all(scope) if each.expires_at > now]
    return sorted(alive, key=lambda each: each.updated_at, reverse=True)


def find_checkpoint(scope: Scope, name: str) -> Checkpoint | None:
    """Return the checkpoint of a task, None if there is none or it has expired."""
    checkpoint = _recorded(scope, name)
    return checkpoint if checkpoint and checkpoint.expires_at > scope.now() else None


def require_checkpoint(scope: Scope, name: str) -> Checkpoint:
    """Return the checkpoint of a task; raise NotFound if there is none or it has expired."""
    name = check_name("task", name)
    checkpoint = _recorded(scope, name)
    if checkpoint is None:
        meant = did_you_mean(name, (each.name for each in list_checkpoints(scope)))
        raise NotFound(
            f"no checkpoint {name!r} in space {scope.space!r}",
            advice=meant,
            by_hand=message(Command("checkpoint list"), " shows all"),
        )
    if checkpoint.expires_at <= scope.now():
        expired = local_time(checkpoint.expires_at)
        raise NotFound(f"checkpoint {name!r} expired on {expired}", by_hand="--ttl keeps one longer")
    return checkpoint


def renew_checkpoint(scope: Scope, name: str, ttl: timedelta | None = None) -> Checkpoint:
    """Return the checkpoint of a task, creating it if needed, with its expiry counted from now.

    Call it inside `store.writing()`. Raises Refused for an untrusted origin if it is the owner's.
    """
    name = check_name("task", name)
    now = scope.now()
    here = _recorded(scope, name)
    if here and here.expires_at <= now:
        drop_checkpoints(scope, [here])
        here = None
    if here:
        require_own(scope, here, Deed.CHANGE)
    seconds = ttl.total_seconds() if ttl else here.ttl if here else scope.config["checkpoint_ttl"]
    try:
        expires_at = now + timedelta(seconds=seconds)
    except OverflowError as error:
        raise BadInput("--ttl reaches beyond the year 9999; give a shorter one") from error
    if here:
        whose = here.origin if scope.is_untrusted else None
        checkpoint = here._replace(updated_at=now, expires_at=expires_at, ttl=seconds, origin=whose)
    else:
        made = (each.created_at for each in _all(scope) if each.origin == scope.origin)
        check_flood(scope, "checkpoints", made)
        fresh = Checkpoint(name, scope.new_id(now), now, now, expires_at, seconds, 0, ())
        checkpoint = fresh._replace(origin=scope.untrusted_origin)
    _put(scope, checkpoint)
    return checkpoint


def require_own(scope: Scope, checkpoint: Checkpoint, deed: Deed) -> None:
    """Raise Refused for an untrusted origin if a checkpoint is the owner's."""
    own = scope.is_own(checkpoint.origin)
    scope.require(CHECKPOINT, deed, f"the checkpoint {checkpoint.name!r:.60}", own=own)


def drop_checkpoints(scope: Scope, gone: Sequence[Checkpoint]) -> None:
    """Delete checkpoints with all that belongs to them; call it inside `store.writing()`."""
    if not gone:
        return
    space, store = scope.space, scope.store
    heads = {checkpoint.id for checkpoint in gone}
    for checkpoint in gone:
        for number in checkpoint.versions:
            store.drop_state(space, areas.CHECKPOINT_SAVE.name, f"{checkpoint.id}/{number}")
        store.drop_state(space, areas.CHECKPOINT.name, checkpoint.name)
    for step in list(store.states((space,), areas.CHECKPOINT_STEP.name)):
        if step.key.partition("/")[0] in heads:
            store.drop_state(space, areas.CHECKPOINT_STEP.name, step.key)
            store.drop_state(space, areas.CHECKPOINT_OUTPUT.name, step.key)


def drop_expired_checkpoints(scope: Scope) -> None:
    """Delete the expired checkpoints of the space; call it inside `store.writing()`."""
    now = scope.now()
    drop_checkpoints(scope, [each for each in _all(scope) if each.expires_at <= now])


def check_json(text: str, where: str) -> str:
    """Return `text`, stripped, if it is one JSON document, else raise BadInput with the position."""
    # Some editors write a byte order mark, which is not part of the document.
    text = text.removeprefix("\ufeff").strip()
    if not text:
        raise BadInput(f"{where}: empty, nothing to save; `{{}}` is an empty state")
    if len(text) > MAX_STATE:
        raise BadInput(
            f"{where}: {len(text):,} characters are too many, the limit is {MAX_STATE:,}; "
            "keep the data in a file and save its path"
        )
    try:
        # Numbers are not converted, since the text itself is kept: 10,000 digits are fine.
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"{where}: not JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from error
    except _NotJson as error:
        raise BadInput(
            f"{where}: not JSON at {_place_of_constant(text)}: there is no {error} in JSON, use null"
        ) from error
    except RecursionError as error:
        raise BadInput(f"{where}: nested too deeply; save a flatter state") from error
    return text


class _NotJson(Exception):
    """Raised for NaN or an infinity, which Python reads and JSON does not know."""


def _refuse_constant(name: str) -> None:
    raise _NotJson(name)


def _place_of_constant(text: str) -> str:
    start = next(found.start() for found in _STRING_OR_CONSTANT.finditer(text) if found[1])
    return f"line {text.count(chr(10), 0, start) + 1}, column {start - text.rfind(chr(10), 0, start)}"


def _all(scope: Scope) -> list[Checkpoint]:
    return [_from_state(state) for state in scope.store.states((scope.space,), areas.CHECKPOINT.name)]


def _recorded(scope: Scope, name: str) -> Checkpoint | None:
    state = states.read_state(scope.store, scope.space, areas.CHECKPOINT.name, name)
    return _from_state(state) if state else None


def _from_state(state: State) -> Checkpoint:
    value = state.value
    return Checkpoint(
        name=state.key, id=value["id"], created_at=from_iso(value["created_at"]),
        updated_at=state.updated_at, expires_at=state.expires_at or state.updated_at, ttl=value["ttl"],
        version=value["version"], versions=tuple(value["versions"]), origin=value.get("origin"),
        origins=value.get("origins", {}),
    )  # fmt: skip


def _put(scope: Scope, checkpoint: Checkpoint) -> None:
    value = {
        "id": checkpoint.id, "created_at": to_iso(checkpoint.created_at), "ttl": checkpoint.ttl,
        "version": checkpoint.version, "versions": list(checkpoint.versions),
    }  # fmt: skip
    if checkpoint.origin:
        value["origin"] = checkpoint.origin
    if checkpoint.origins:
        value["origins"] = dict(checkpoint.origins)
    states.write_state(
        scope.store, scope.space, areas.CHECKPOINT.name, checkpoint.name, value, checkpoint.updated_at,
        expires_at=checkpoint.expires_at,
    )  # fmt: skip
