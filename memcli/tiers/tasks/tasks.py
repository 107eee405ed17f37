"""Tasks (working memory): the current task, kept until it ends, is left alone for a day, or is cleared.

A task is one keyed value, changed inside one transaction, so that concurrent notes lose nothing. It is no
memory: only its outcome becomes one. Secrets are redacted, as in the turns of a session. What untrusted
origins add is marked with their origin (`attribution`); they change and end nothing that is the owner's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any, TypeVar

from memcli import times
from memcli.errors import BadInput, NotFound
from memcli.messages import Command, message
from memcli.model import Filter, State
from memcli.named_tuple import NamedTuple
from memcli.recall import session_and_task
from memcli.scope import Scope
from memcli.storage import areas, states
from memcli.text.checks import check_name, check_text
from memcli.text.printable import clip, value_without_escapes, without_escapes
from memcli.tiers.tasks.attribution import attributed, trusted_parts
from memcli.write_policy.flood import beginning_of_day, check_flood

T = TypeVar("T")
# The most bytes of one task: working memory has to fit into a context.
MAX_TASK_BYTES = 256 * 1024
# The digest of folded notes: how many characters of each, and in all.
_DIGEST_NOTE, _DIGEST = 120, 2400
_NAME_WORDS, _NAME_LENGTH = 5, 40
# The fields written in words; variables and results may hold output of programs, including memcli.
_IN_WORDS = ("goal", "phase", "subgoals", "steps", "constraints", "decisions", "notes")


@dataclass(slots=True)
class Task:
    """A task's working memory; lists are in the order in which items were added."""

    name: str
    goal: str
    started_at: str
    tags: list[str] = field(default_factory=list)
    phase: str | None = None
    # Nested goals, the current one last.
    subgoals: list[str] = field(default_factory=list)
    # {"text", "done"}
    steps: list[dict[str, Any]] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    # {"question", "answer", "why", "at"}
    decisions: list[dict[str, Any]] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    # {"text", "at"}
    notes: list[dict[str, Any]] = field(default_factory=list)
    # Older notes, a line each, and how many there were; those of untrusted origins separately.
    digest: str = ""
    untrusted_digest: str = ""
    folded: int = 0
    # The untrusted origins of parts, by path; objects have theirs themselves.
    origins: dict[str, str] = field(default_factory=dict)

    @property
    def trusted(self) -> bool:
        """True if it is its owner's; parts of it may be untrusted all the same."""
        return "goal" not in self.origins

    def origin_of(self, field: str, key: str = "") -> str | None:
        """Return the untrusted origin of a part; None if it is the owner's."""
        return self.origins.get(f"{field}/{key}" if key else field)

    def note(self, text: str, at: datetime, most: int, origin: str | None = None) -> None:
        """Add a note; beyond `most` the oldest go into the digest. Untrusted notes displace no others."""
        note = {"text": text, "at": times.to_iso(at)}
        self.notes.append({**note, "origin": origin} if origin else note)
        while len(alike := [each for each in self.notes if ("origin" in each) == bool(origin)]) > most:
            self.notes.remove(alike[0])
            self._fold(alike[0])

    def _fold(self, note: dict[str, Any]) -> None:
        digest = "untrusted_digest" if "origin" in note else "digest"
        said = " ".join(note["text"].split())
        lines = [*getattr(self, digest).splitlines(), clip(said, _DIGEST_NOTE)]
        # Drop every second line of the older half: thinned out, not cut off.
        while sum(len(line) + 1 for line in lines) > _DIGEST:
            del lines[: len(lines) // 2 : 2]
        setattr(self, digest, "\n".join(lines))
        self.folded += 1

    def add_step(self, text: str, *, done: bool = False) -> None:
        """Add a step; if there is one of that text, its untrusted origin is removed instead."""
        known = [step for step in self.steps if step["text"] == text]
        for step in known:
            step.pop("origin", None)
        if not known:
            self.steps.append({"text": text, "done": done})

    def step(self, wanted: str, *, done: bool) -> dict[str, Any]:
        """Set a step done or pending: by its number, its text or a part of that; return it.

        Raises NotFound if no step matches, BadInput if several do.
        """
        if re.fullmatch(r"\d{1,6}", wanted):
            if not 0 < int(wanted) <= len(self.steps):
                raise NotFound(f"no step {wanted}: {self.name} has {len(self.steps)}")
            found = [self.steps[int(wanted) - 1]]
        else:
            found = [step for step in self.steps if step["text"] == wanted]
            found = found or [step for step in self.steps if wanted.lower() in step["text"].lower()]
        if len(found) > 1:
            numbers = ", ".join(str(n) for n, step in enumerate(self.steps, 1) if step in found)
            raise BadInput(f"{wanted!r:.60} fits the steps {numbers}; give a number")
        if not found:
            from memcli.text.spelling import did_you_mean

            meant = did_you_mean(wanted, (step["text"] for step in self.steps))
            raise NotFound(
                f"{self.name} has no step {wanted!r:.60}",
                advice=meant,
                by_hand=message(Command("task step add"), " adds one"),
            )
        found[0]["done"] = done
        return found[0]


class TaskOverview(NamedTuple):
    """A task, when it was last changed, when it expires, and whether it is the current one."""

    task: Task
    updated_at: datetime
    expires_at: datetime | None
    current: bool


def start_task(scope: Scope, goal: str, *, name: str | None = None, tags: Sequence[str] = ()) -> Task:
    """Begin a task and make it the current one. Without a name it gets one from the goal's words.

    Recall favours memories with its tags or, without tags, with the given name. Raises BadInput if a task
    of that name is alive; an untrusted one gives its name to the owner's.
    """
    from memcli.text.secrets.redaction import refuse_secrets, without_secrets
    from memcli.tiers.tasks.expiry import expired_names, let_go_of_expired

    check_text(goal, scope.config["max_text"])
    goal = without_secrets(without_escapes(goal))
    now = scope.now()
    given = None if name is None else check_name("task", name)
    refuse_secrets(given or "", "the task's name", "give another")
    with scope.store.writing():
        let_go_of_expired(scope)
        scope.store.drop_states(areas.TASK_RECALLS.name, now)
        alive = {held.task.name: held.task for held in list_tasks(scope)}
        check_flood(scope, "tasks", _begun(scope, alive.values()))
        left = expired_names(scope)
        if given in left:
            raise BadInput(f"a task {given!r} of its owner's has expired; give another name")
        if given in alive and not scope.is_untrusted and not alive[given].trusted:
            _move_aside(scope, given, session_and_task.unused_name(given, alive))
        elif given in alive:
            raise BadInput(
                f"a task {given!r} is open already",
                by_hand=message(Command(f"task switch {given}"), ", or give another --name"),
            )
        task = Task(
            name=given or session_and_task.unused_name(_name_of(goal), {*alive, *left}),
            goal=goal, started_at=times.to_iso(now),
            tags=sorted({check_name("tag", tag) for tag in tags} or ({given} if given else set())),
        )  # fmt: skip
        scope.store.drop_state(scope.space, areas.TASK_RECALLS.name, task.name)
        task = _put(scope, task, None, now)
        session_and_task.put_at_hand(scope, task=task.name)
    return task


def _begun(scope: Scope, alive: Iterable[Task]) -> Iterator[datetime]:
    """Yield when this origin began its live tasks, and ended others."""
    yield from (times.from_iso(each.started_at) for each in alive if each.origin_of("goal") == scope.origin)
    since = beginning_of_day(scope.now())
    ended = Filter(spaces=(scope.space,), kinds=("outcome", "episode"), live=False, created_since=since)
    for memory in scope.store.select(ended):
        if memory.origin == scope.origin and "goal" in memory.data:
            yield memory.created_at


def task_at_hand(scope: Scope, name: str | None = None) -> TaskOverview:
    """Return the task of that name, the configured one (`MEMCLI_TASK`), or the current one of the space.

    Raises NotFound.
    """
    return _held(scope, require_state(scope, name))


def list_tasks(scope: Scope) -> list[TaskOverview]:
    """Return the live tasks of the space, last changed first."""
    now = scope.now()
    found = scope.store.states((scope.space,), areas.TASK.name)
    alive = [state for state in found if not (state.expires_at and state.expires_at <= now)]
    return [_held(scope, s) for s in sorted(alive, key=lambda s: (s.updated_at, s.key), reverse=True)]


def switch_task(scope: Scope, name: str) -> Task:
    """Make another task the current one. Raises NotFound."""
    task = task_at_hand(scope, name).task
    session_and_task.put_at_hand(scope, task=task.name)
    return task


def change_task(scope: Scope, name: str | None, edit: Callable[[Task], T]) -> tuple[Task, T]:
    """Change a task in one transaction, renewing its life; return the task, and what `edit` returns.

    Raises NotFound, what `edit` raises, and BadInput if the task grows past MAX_TASK_BYTES.
    """
    with scope.store.writing():
        state = require_state(scope, name)
        task = task_from_state(state)
        result = edit(task)
        task = _put(scope, task, state, scope.now())
    return task, result


def note_in_task(scope: Scope, name: str | None, text: str) -> Task:
    """Add a note to the task. Raises NotFound, BadInput."""
    check_text(text, scope.config["max_text"])
    now, most = scope.now(), scope.config["task_notes"]
    origin = scope.untrusted_origin
    return change_task(scope, name, lambda task: task.note(text, now, most, origin))[0]


def require_state(scope: Scope, name: str | None) -> State:
    """Return the value of the task of that name, the configured one, or the current one. Raises NotFound."""
    wanted = scope.config["task"] if name is None else check_name("task", name)
    state = session_and_task.task_state(scope, wanted)
    if state is None:
        from memcli.tiers.tasks.expiry import expired_task

        if expired := expired_task(scope, wanted):
            raise expired
    if state is None and wanted:
        from memcli.text.spelling import did_you_mean

        meant = did_you_mean(wanted, (held.task.name for held in list_tasks(scope)))
        raise NotFound(
            f"no task {wanted!r:.60} is open",
            advice=meant,
            by_hand=message(Command("task list"), " shows them"),
        )
    if state is None:
        raise NotFound(
            "no task at hand",
            by_hand=message(
                Command("task start GOAL"), " begins one, ", Command("task switch"), " takes one up"
            ),
        )
    return state


def task_from_state(state: State) -> Task:
    """Return the task that a keyed value holds; raise BadInput if it holds none."""
    return _of_value(state.key, state.value)


def _of_value(name: str, value: Any) -> Task:
    try:
        # Unknown fields, which a newer memcli adds and an import may bring, are left out.
        # A copy, since the value is later compared with the changed task.
        known = {each.name: value[each.name] for each in fields(Task) if each.name in value}
        return Task(**deepcopy(known))
    except TypeError as error:
        raise BadInput(
            f"the task {name!r:.60} cannot be read ({error})", by_hand="--task names another"
        ) from error


def trusted_task(task: Task) -> Task | None:
    """Return a task without untrusted parts; None if the task itself is untrusted."""
    left = trusted_parts(asdict(task))
    return None if left is None else _of_value(task.name, left)


def _held(scope: Scope, state: State) -> TaskOverview:
    at_hand = scope.config["task"] or session_and_task.names_at_hand(scope).task
    return TaskOverview(task_from_state(state), state.updated_at, state.expires_at, state.key == at_hand)


def _put(scope: Scope, task: Task, before: State | None, now: datetime) -> Task:
    """Write a task without the secrets in it, and return it as stored."""
    from memcli.text.secrets.redaction import without_secrets

    value = value_without_escapes(asdict(task))
    try:
        size = len(json.dumps(value, ensure_ascii=False).encode("utf-8"))
    except UnicodeEncodeError as error:
        raise BadInput("the text is not valid UTF-8; convert it first (iconv)") from error
    # An untrusted origin may use half, which leaves the owner room.
    limit = MAX_TASK_BYTES // 2 if scope.is_untrusted else MAX_TASK_BYTES
    if size > limit:
        raise BadInput(
            f"the task {task.name} would hold {size:,} bytes, the limit is {limit:,}; keep large "
            "results in a file and note its path"
        )
    _refuse_own_words(scope, value, before.value if before else {})
    # Only new texts are searched for secrets.
    value = {**without_secrets(value, before.value if before else None), "name": task.name}
    value = attributed(scope, task.name, before.value if before else None, value)
    expires_at = now + timedelta(seconds=scope.config["task_ttl"])
    states.write_state(
        scope.store, scope.space, areas.TASK.name, task.name, value, now, expires_at=expires_at
    )
    return _of_value(task.name, value)


def _refuse_own_words(scope: Scope, value: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    """Raise Refused if a new text in words is memcli's own output."""
    from memcli.prompt.traces import may_echo

    said, known = ({*_texts_of([each.get(name) for name in _IN_WORDS])} for each in (value, before))
    for text in filter(may_echo, said - known):
        from memcli.write_policy.own_words import refuse_own_words

        refuse_own_words(scope, text, f"the task {value['name']!r:.60}")


def _texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts_of(each)


def _move_aside(scope: Scope, name: str, other: str) -> None:
    """Rename an untrusted task, also where it is the current one."""
    store, space = scope.store, scope.space
    for state in list(store.states((space,), areas.TASK.name, name)):
        value = {**state.value, "name": other}
        states.write_state(
            store, space, areas.TASK.name, other, value, state.updated_at, expires_at=state.expires_at
        )
        store.drop_state(space, areas.TASK.name, name)
    session_and_task.rename_task_at_hand(scope, name, other)


def _name_of(goal: str) -> str:
    parts = re.findall(r"\w+", goal.lower())[:_NAME_WORDS]
    return "-".join(parts)[:_NAME_LENGTH].strip("-") or "task"
