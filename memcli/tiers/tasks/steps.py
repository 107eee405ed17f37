"""Steps of a task: their records, and their current status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from memcli.doors import Deed
from memcli.errors import NotFound, StoreBusy
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas, states
from memcli.storage.errands import STEP
from memcli.text.checks import check_name
from memcli.text.spelling import did_you_mean
from memcli.tiers.tasks.checkpoints import (
    Checkpoint,
    drop_checkpoints,
    renew_checkpoint,
    require_checkpoint,
    require_own,
)
from memcli.times import from_iso, to_iso

StepStatus = Literal["running", "done", "failed", "interrupted", "uncertain"]
# How many steps an error names: the last ones.
_NAMED = 10


class TaskStep(NamedTuple):
    """The record of one step. `to_record` gives its JSON shape."""

    name: str
    status: StepStatus
    # Its program and arguments; empty if an older memcli marked a step as done that never ran.
    command: tuple[str, ...]
    # SHA-256 of each input's content, by path, before the command ran.
    inputs: Mapping[str, str]
    at_most_once: bool
    # How often it was started.
    runs: int
    started_at: datetime
    ended_at: datetime | None = None
    seconds: float | None = None
    exit_status: int | None = None
    # How much it printed, in bytes; at most `checkpoint_output` of each is kept.
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    # The untrusted origin that ran it; None: its owner.
    origin: str | None = None

    def to_record(self) -> dict[str, Any]:
        """Return the step as JSON types, instants as text."""
        record = self._asdict() | {"command": list(self.command), "inputs": dict(self.inputs)}
        record["started_at"] = to_iso(self.started_at)
        record["ended_at"] = to_iso(self.ended_at) if self.ended_at else None
        return record


class StepOutput(NamedTuple):
    """A step's output, as far as it was kept."""

    stdout: bytes = b""
    stderr: bytes = b""


def task_steps(scope: Scope, checkpoint: Checkpoint) -> list[TaskStep]:
    """Return the steps of a task in the order of their last start, each with its current status."""
    return steps_by_checkpoint(scope, [checkpoint])[checkpoint.id]


def steps_by_checkpoint(scope: Scope, checkpoints: Sequence[Checkpoint]) -> dict[str, list[TaskStep]]:
    """Return the steps of several tasks, by the checkpoint's id."""
    found: dict[str, list[TaskStep]] = {checkpoint.id: [] for checkpoint in checkpoints}
    names = {checkpoint.id: checkpoint.name for checkpoint in checkpoints}
    for state in scope.store.states((scope.space,), areas.CHECKPOINT_STEP.name):
        owner = state.key.partition("/")[0]
        if owner in found:
            found[owner].append(_now(scope, names[owner], _from_value(state.value)))
    return {owner: sorted(each, key=lambda step: step.started_at) for owner, each in found.items()}


def find_step(scope: Scope, checkpoint: Checkpoint, name: str) -> TaskStep:
    """Return one step of a task, with its current status; raise NotFound if there is none."""
    name = check_name("step", name)
    step = recorded_step(scope, checkpoint, name)
    if step is None:
        meant = did_you_mean(name, (step.name for step in task_steps(scope, checkpoint)))
        raise NotFound(
            f"checkpoint {checkpoint.name!r} has no step {name!r}",
            advice=meant,
            by_hand=message(Command("checkpoint show"), " lists them"),
        )
    return _now(scope, checkpoint.name, step)


def recorded_step(scope: Scope, checkpoint: Checkpoint, name: str) -> TaskStep | None:
    """Return the record of one step; None if there is none."""
    state = states.read_state(scope.store, scope.space, areas.CHECKPOINT_STEP.name, _key(checkpoint, name))
    return _from_value(state.value) if state else None


def step_output(scope: Scope, checkpoint: Checkpoint, name: str) -> StepOutput:
    """Return what a step printed when it last ended, as far as it was kept."""
    state = states.read_state(scope.store, scope.space, areas.CHECKPOINT_OUTPUT.name, _key(checkpoint, name))
    return (
        StepOutput(_to_bytes(state.value["stdout"]), _to_bytes(state.value["stderr"]))
        if state
        else StepOutput()
    )


def record_step(
    scope: Scope, task: str, step: TaskStep, ttl: timedelta | None = None, output: StepOutput | None = None
) -> None:
    """Record a step, in one transaction, and count its task's expiry from now.

    Secrets in its output are redacted.
    """
    with scope.store.writing():
        checkpoint = renew_checkpoint(scope, task, ttl)
        store, space, key, at = scope.store, scope.space, _key(checkpoint, step.name), step.started_at
        states.write_state(store, space, areas.CHECKPOINT_STEP.name, key, step.to_record(), at)
        if output is not None:
            value = {"stdout": _from_bytes(output.stdout), "stderr": _from_bytes(output.stderr)}
            states.write_state(store, space, areas.CHECKPOINT_OUTPUT.name, key, value, at)


def mark_step(scope: Scope, task: str, name: str, *, done: bool) -> None:
    """Mark a step by hand as done, or as still to do.

    Raises NotFound without such a task or step, StoreBusy while it runs, Refused for an untrusted origin if
    it is the owner's.
    """
    checkpoint = require_checkpoint(scope, task)
    require_own(scope, checkpoint, Deed.CHANGE)
    name = check_name("step", name)
    if step := recorded_step(scope, checkpoint, name):
        _refuse_running(scope, checkpoint, [step])
    with scope.store.writing():
        here = recorded_step(scope, checkpoint, name)
        if here is None:
            there = ", ".join(repr(step.name) for step in task_steps(scope, checkpoint)[-_NAMED:])
            raise NotFound(
                f"checkpoint {checkpoint.name!r} has no step {name!r:.60}; there are {there or 'none'}"
            )
        if done:
            step = here._replace(
                status="done", ended_at=scope.now(), exit_status=0, origin=scope.untrusted_origin
            )
            # Output from an untrusted run is dropped when its owner marks the step.
            record_step(scope, checkpoint.name, step, output=StepOutput() if here.origin else None)
        else:
            scope.store.drop_state(scope.space, areas.CHECKPOINT_STEP.name, _key(checkpoint, name))
            scope.store.drop_state(scope.space, areas.CHECKPOINT_OUTPUT.name, _key(checkpoint, name))


def clear_checkpoint(scope: Scope, task: str) -> None:
    """Delete a task's saved state and steps. Raises NotFound, Refused, and StoreBusy while a step runs."""
    checkpoint = require_checkpoint(scope, task)
    require_own(scope, checkpoint, Deed.END)
    _refuse_running(scope, checkpoint, task_steps(scope, checkpoint))
    with scope.store.writing():
        drop_checkpoints(scope, [checkpoint])


def step_errand(scope: Scope, task: str, name: str, origin: str | None) -> str:
    """Return the lock name by which all processes know that a step is being run.

    An untrusted `origin` has locks of its own, and blocks nobody else.
    """
    import hashlib

    named = "\0".join((scope.space, task, name, *([origin] if origin else ())))
    return STEP + hashlib.sha256(named.encode()).hexdigest()[:32]


def _now(scope: Scope, task: str, step: TaskStep) -> TaskStep:
    """Return a step with its current status: one recorded as running may have been killed."""
    if step.status not in ("running", "interrupted"):
        return step
    errand = step_errand(scope, task, step.name, step.origin)
    if step.status == "running" and scope.store.is_under_way(errand):
        return step
    return step._replace(status="uncertain" if step.at_most_once else "interrupted")


def _refuse_running(scope: Scope, checkpoint: Checkpoint, some: Sequence[TaskStep]) -> None:
    for step in some:
        if scope.store.is_under_way(step_errand(scope, checkpoint.name, step.name, step.origin)):
            raise StoreBusy(
                f"step {step.name!r} of {checkpoint.name!r} is running",
                advice="wait for it, or stop it first",
            )


def _key(checkpoint: Checkpoint, name: str) -> str:
    return f"{checkpoint.id}/{name}"


def _from_value(value: dict[str, Any]) -> TaskStep:
    known = {name: value[name] for name in TaskStep._fields if name in value}
    for name in ("started_at", "ended_at"):
        known[name] = from_iso(known[name]) if known.get(name) else None
    known["command"] = tuple(known["command"])
    return TaskStep(**known)


def _from_bytes(data: bytes) -> dict[str, str]:
    """Return bytes as JSON: readable text without its secrets if they are UTF-8; else base64."""
    from memcli.text.secrets.redaction import without_secrets_in

    try:
        return {"text": without_secrets_in(data.decode("utf-8"))}
    except UnicodeDecodeError:
        import base64

        return {"base64": base64.b64encode(data).decode("ascii")}


def _to_bytes(value: dict[str, str]) -> bytes:
    if "text" in value:
        return value["text"].encode("utf-8")
    import base64

    return base64.b64decode(value["base64"])
