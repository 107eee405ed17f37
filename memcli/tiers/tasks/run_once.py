"""Run-once steps of a task: a completed one is skipped, a failed or killed one runs again.

The promise: a step is recorded as done after its command ended with status 0, so by default it runs *at
least* once: a kill between its effect and the record runs it again. With `at_most_once` the intent, which
is recorded before the command starts, is enough to hold it back: after a kill the step is *uncertain* until
somebody says what happened. Two processes never run the same step at the same time, by the store's lock
(`Store.alone`): for a file it is held as long as the runner or its command lives, on a server as long as
the runner does.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.errors import BadInput, Refused, StoreUnusable
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage.errands import STEP
from memcli.text.checks import check_name
from memcli.tiers.tasks import steps
from memcli.tiers.tasks.checkpoints import Checkpoint, find_checkpoint
from memcli.tiers.tasks.steps import StepOutput, StepStatus, TaskStep
from memcli.times import local_time

if TYPE_CHECKING:
    from memcli.system.processes import Exit

Sink = Callable[[bytes], None]
# The variable with the locks of the steps that a process runs inside of: a step must not wait for itself.
_INSIDE = "MEMCLI_INSIDE_STEPS"


class StepRun(NamedTuple):
    """The result of a step's call: run now or skipped, and the exit status to give."""

    step: TaskStep
    skipped: bool
    status: int
    output: StepOutput


class StepOrder(NamedTuple):
    """An order to run a step. Times in seconds, None for no limit; see `mem checkpoint run --help`."""

    command: Sequence[str]
    inputs: Sequence[Path] = ()
    any_command: bool = False
    at_most_once: bool = False
    again: bool = False
    wait: float | None = None
    timeout: float | None = None
    ttl: timedelta | None = None
    keep_output: bool = True


class StepSinks(NamedTuple):
    """Sinks of a step's output as it comes; `say` gets a line on waiting, or on running again."""

    stdout: Sink
    stderr: Sink
    say: Callable[[str], None] = lambda line: None


def run_step(scope: Scope, task: str, name: str, order: StepOrder, sinks: StepSinks) -> StepRun:
    """Run a step's command unless it is done already; its output goes to the sinks at once.

    A skipped step's recorded output is in the result only. Raises Refused for an uncertain step and one
    that may run but once, StoreBusy when waiting ends, BadInput, and what a sink raised.
    """
    wanted = _SkipCondition(_as_text(order.command), {str(path): _content(path) for path in order.inputs})
    # The quick way: a recorded name was checked before.
    well_named = (task + name).isprintable()
    if well_named and not order.again and (done := _done(scope, task, name, order, wanted)):
        return done
    from memcli.text.secrets.redaction import refuse_secret_names

    task, name = check_name("task", task), check_name("step", name)
    refuse_secret_names([task, name], "the name of the task or step")

    called = f"step {name!r} of {task!r}"
    errand = steps.step_errand(scope, task, name, scope.untrusted_origin)
    known_as = errand.removeprefix(STEP)
    inside = os.environ.get(_INSIDE, "")
    if known_as in inside.split(","):
        raise BadInput(f"{called} is running already, around this command; give the inner step another name")
    busy = f"{called} is being run by another process"
    with scope.store.alone(errand, busy=busy, patience=order.wait, waiting=sinks.say) as descriptor:
        # The former holder of the lock may have done it.
        if not order.again and (done := _done(scope, task, name, order, wanted)):
            return done
        checkpoint = find_checkpoint(scope, task)
        before = _known(scope, checkpoint, name)
        if before and not order.again:
            _check_certain(before, task, order)
            _check_once(before, task, wanted, order)
            if reason := _why_again(before, wanted, order):
                sinks.say(f"{called}: {reason}; running it again")
        intent = TaskStep(
            name=name, status="running", command=wanted.command, inputs=wanted.inputs,
            at_most_once=order.at_most_once, runs=before.runs + 1 if before else 1,
            started_at=scope.now(), origin=scope.untrusted_origin,
        )  # fmt: skip
        steps.record_step(scope, task, intent, order.ttl)
        environment = os.environ | {_INSIDE: f"{inside},{known_as}".strip(",")}
        return _carry_out(scope, task, intent, order, sinks, descriptor, environment)


class _SkipCondition(NamedTuple):
    """A step's command and input digests: if unchanged, a completed step is skipped."""

    command: tuple[str, ...]
    inputs: Mapping[str, str]


def _content(path: Path) -> str:
    """Return the SHA-256 of a file's content; for a folder, of all files in it with their names."""
    import hashlib

    try:
        if not path.is_dir():
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        whole = hashlib.sha256()
        for inner in sorted(each for each in path.rglob("*") if each.is_file()):
            name = os.fsencode(str(inner.relative_to(path)))
            whole.update(b"%d:%s" % (len(name), name))
            with inner.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
        return whole.hexdigest()
    except OSError as error:
        raise BadInput(f"--inputs {path}: cannot be read ({error.strerror})") from error


def _done(scope: Scope, task: str, name: str, order: StepOrder, wanted: _SkipCondition) -> StepRun | None:
    checkpoint = find_checkpoint(scope, task)
    step = _known(scope, checkpoint, name)
    if checkpoint is None or step is None or step.status != "done" or _changed(step, wanted, order):
        return None
    return StepRun(step, skipped=True, status=0, output=steps.step_output(scope, checkpoint, name))


def _known(scope: Scope, checkpoint: Checkpoint | None, name: str) -> TaskStep | None:
    """Return the record of a step that counts here: what an untrusted origin ran counts for itself alone."""
    step = steps.recorded_step(scope, checkpoint, name) if checkpoint else None
    if step is None or step.origin is None or (scope.is_untrusted and scope.is_own(step.origin)):
        return step
    return None


def _why_again(step: TaskStep, wanted: _SkipCondition, order: StepOrder) -> str:
    if step.status == "done":
        return _changed(step, wanted, order)
    return "" if step.status == "failed" else "it was cut off when it last ran"


def _changed(step: TaskStep, wanted: _SkipCondition, order: StepOrder) -> str:
    """Return what has changed since the step was done; empty if nothing."""
    if not step.command:  # marked as done by hand
        return ""
    if step.command != wanted.command and not order.any_command:
        return "the command line changed"
    if dict(step.inputs) != wanted.inputs:
        fresh = [path for path, content in wanted.inputs.items() if step.inputs.get(path) != content]
        return f"the inputs changed ({', '.join(fresh) or 'fewer than before'})"
    return ""


def _check_certain(step: TaskStep, task: str, order: StepOrder) -> None:
    """Raise Refused for a step of which nobody knows whether it had its effect."""
    cut_off = step.status in ("running", "interrupted")
    if cut_off and (step.at_most_once or order.at_most_once):
        import shlex

        raise Refused(
            f"step {step.name!r} of {task!r} is uncertain: it was started on "
            f"{local_time(step.started_at, seconds=True)} and cut off, and may have had its effect",
            by_hand=message(
                "look, then ",
                Command(f"checkpoint mark {shlex.join((task, step.name))} done"),
                ", or run it with --again",
            ),
        )


def _check_once(step: TaskStep, task: str, wanted: _SkipCondition, order: StepOrder) -> None:
    """Raise Refused for running again what is done, and was to run at most once."""
    if step.status == "done" and (step.at_most_once or order.at_most_once):
        import shlex

        raise Refused(
            f"step {step.name!r} of {task!r} is done, and {_changed(step, wanted, order)} since: at most "
            "once is once",
            by_hand=message(
                "run it with --again, give it another name, or ",
                Command(f"checkpoint mark {shlex.join((task, step.name))} pending"),
            ),
        )


def _carry_out(
    scope: Scope,
    task: str,
    intent: TaskStep,
    order: StepOrder,
    sinks: StepSinks,
    lock: int | None,
    environment: dict[str, str],
) -> StepRun:
    """Run the command that is recorded as begun, and record how it ended; the command inherits `lock`."""
    from memcli.system import processes

    bound = scope.config["checkpoint_output"] if order.keep_output else None
    with processes.passing_signals() as signals:
        started = time.perf_counter()
        standing = processes.Standing.in_our_place(
            timeout=order.timeout, inherit=() if lock is None else (lock,), environment=environment
        )
        ended = processes.run_process(
            order.command, signals, standing, stdout=sinks.stdout, stderr=sinks.stderr, keep=bound
        )
        status = ended.status
        if signals.received is not None:
            # Whatever the command's status, this process was asked to stop.
            status = status or 128 + signals.received
        step = intent._replace(
            status=_verdict(ended, signals.received is not None), ended_at=scope.now(),
            seconds=round(time.perf_counter() - started, 3), exit_status=status,
            stdout_bytes=ended.stdout.size, stderr_bytes=ended.stderr.size,
        )  # fmt: skip
        output = StepOutput(ended.stdout.kept, ended.stderr.kept)
        try:
            steps.record_step(scope, task, step, order.ttl, output)
        except StoreUnusable as error:
            raise type(error)(
                message(
                    f"step {step.name!r} of {task!r} ended with status {status}, "
                    "which could not be recorded: ",
                    error,
                )
            ) from error
        if step.status == "done" and signals.received is not None:  # it came while we wrote
            status = 128 + signals.received
    if ended.unheard:
        raise ended.unheard
    if ended.not_started:
        sinks.say(f"{order.command[0]}: {ended.not_started}")
    return StepRun(step, skipped=False, status=status, output=output)


def _verdict(ended: Exit, stopped: bool) -> StepStatus:
    if ended.not_started:
        return "failed"
    if stopped or ended.signalled or ended.timed_out:
        return "interrupted"
    return "failed" if ended.status else "done"


def _as_text(command: Sequence[str]) -> tuple[str, ...]:
    """Return the arguments as stored: bytes that are no UTF-8 become escapes, secrets are redacted."""
    from memcli.text.secrets.redaction import without_secrets_in

    parts = [os.fsencode(part).decode("utf-8", "backslashreplace") for part in command]
    # As a whole, since the preceding argument may tell what one is (`-u bob:…`).
    whole = " ".join(parts)
    if (clean := without_secrets_in(whole)) == whole:
        return tuple(parts)
    alone = [without_secrets_in(part) for part in parts]
    return tuple(alone) if " ".join(alone) == clean else (clean,)
