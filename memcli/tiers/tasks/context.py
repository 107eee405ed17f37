"""Context of a task: its working memory for a prompt, or in the same words for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memcli import times
from memcli.named_tuple import NamedTuple
from memcli.prompt import formats
from memcli.prompt.context import fenced_text, marked
from memcli.text.printable import one_line
from memcli.text.sentences import shorten
from memcli.tiers.tasks.tasks import Task

NOTES_SHOWN = 5
RESULT_SHOWN = 200


def task_context(task: Task, space: str) -> Iterator[str]:
    """Yield the lines of the marked context: nothing in it can close it."""
    whose = {} if task.trusted else {"trust": formats.UNTRUSTED}
    opened, note, closed = marked("task", space=space, name=task.name, **whose)
    yield opened
    yield note
    yield from task_lines(task)
    yield closed


def task_lines(task: Task, *, whole: bool = False, indent: str = "") -> Iterator[str]:
    """Yield a task part by part: the last five notes, results cut at 200 characters.

    `whole` is for people: all notes, including the digest, and nothing cut. `indent` precedes every line,
    for use below a heading.
    """
    for line in task_parts(task, whole=whole):
        yield indent + line.text.replace("\n", f"\n{indent}")


class TaskPart(NamedTuple):
    """A part of a task as printed, marked if it is untrusted; a heading is always trusted."""

    text: str
    trusted: bool = True


def task_parts(task: Task, *, whole: bool = False) -> Iterator[TaskPart]:
    """Yield the parts that `task_lines` prints, each with whether it is the owner's."""
    yield _part(formats.GOAL, task.origin_of("goal"), text=task.goal)
    if task.subgoals:
        yield _subgoals(task)
    if task.phase:
        yield _part(formats.PHASE, task.origin_of("phase"), text=task.phase)
    if task.constraints:
        yield TaskPart(formats.CONSTRAINTS)
        for text in task.constraints:
            yield _part(formats.NOTE, task.origin_of("constraints", text), text=text)
    yield from _steps(task)
    yield from _decisions(task)
    yield from _named_texts(task, "variables", task.variables, whole)
    yield from _named_texts(task, "results", task.results, whole)
    yield from _notes(task, whole)


def _part(template: str, origin: object, **texts: Any) -> TaskPart:
    """Return a filled-in template of `formats`, marked as untrusted if it has an `origin`."""
    fenced = {
        name: _fenced(text) if name in ("key", "question", "text", "answer") else text
        for name, text in texts.items()
    }
    if not origin:
        return TaskPart(template.format(**fenced))
    # The mark is first in the line, since a line is cut at its end.
    first = next(name for name in ("key", "question", "text") if name in fenced)
    fenced[first] = formats.UNTRUSTED_TEXT.format(text=fenced[first])
    return TaskPart(template.format(**fenced), trusted=False)


def _subgoals(task: Task) -> TaskPart:
    untrusted = {each for each in task.subgoals if task.origin_of("subgoals", each)}
    path = " > ".join(
        formats.UNTRUSTED_TEXT.format(text=each) if each in untrusted else each for each in task.subgoals
    )
    return TaskPart(formats.SUBGOALS.format(text=_fenced(path)), trusted=not untrusted)


def _steps(task: Task) -> Iterator[TaskPart]:
    if task.steps:
        done = sum(bool(step["done"]) for step in task.steps)
        yield TaskPart(formats.STEPS.format(count=done, total=len(task.steps)))
    for number, step in enumerate(task.steps, start=1):
        mark = "x" if step["done"] else " "
        yield _part(formats.STEP, step.get("origin"), number=number, done=mark, text=step["text"])


def _decisions(task: Task) -> Iterator[TaskPart]:
    if task.decisions:
        yield TaskPart(formats.DECISIONS)
    for each in task.decisions:
        why = formats.BECAUSE.format(why=_fenced(each["why"])) if each["why"] else ""
        yield _part(
            formats.DECIDED, each.get("origin"), question=each["question"], answer=each["answer"], why=why
        )


# Heading and line template of the named texts of a task, by field.
_NAMED_TEXTS = {
    "variables": (formats.VARIABLES, formats.VARIABLE),
    "results": (formats.RESULTS, formats.RESULT),
}


def _named_texts(task: Task, field: str, texts: Mapping[str, str], whole: bool) -> Iterator[TaskPart]:
    heading, template = _NAMED_TEXTS[field]
    if texts:
        yield TaskPart(heading)
    for key, text in texts.items():
        shown = text if whole else one_line(shorten(text, RESULT_SHOWN))
        yield _part(template, task.origin_of(field, key), key=key, text=shown)


def _notes(task: Task, whole: bool) -> Iterator[TaskPart]:
    if whole and (task.digest or task.untrusted_digest):
        yield TaskPart(formats.EARLIER_NOTES.format(count=task.folded))
        for line in task.digest.splitlines():
            yield TaskPart(formats.NOTE.format(text=_fenced(line)))
        for line in task.untrusted_digest.splitlines():
            yield _part(formats.NOTE, formats.UNTRUSTED, text=line)
    if task.notes:
        shown = task.notes if whole else _last_notes(task)
        total = len(task.notes) + task.folded
        some = total > len(shown)
        yield TaskPart(formats.LAST_NOTES.format(count=len(shown), total=total) if some else formats.NOTES)
        for note in shown:
            when = times.local_time(times.from_iso(note["at"]))
            yield _part(formats.TASK_NOTE, note.get("origin"), minute=when, text=note["text"])


def _last_notes(task: Task) -> list[dict[str, Any]]:
    """Return the last five notes, and the owner's last five, whoever has noted since."""
    owners = [note for note in task.notes if "origin" not in note][-NOTES_SHOWN:]
    last = task.notes[-NOTES_SHOWN:]
    return [note for note in task.notes if any(note is each for each in (*owners, *last))]


def _fenced(text: str) -> str:
    return fenced_text(text, "task")
