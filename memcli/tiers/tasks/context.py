"""A task's working memory as a context for a prompt, or in the same words for a person."""

from __future__ import annotations

from collections.abc import Iterator

from memcli import times
from memcli.prompt import formats
from memcli.prompt.context import fenced_text, marked
from memcli.text.printable import one_line
from memcli.text.sentences import shorten
from memcli.tiers.tasks.tasks import Task

NOTES_SHOWN = 5
RESULT_SHOWN = 200


def task_context(task: Task, space: str) -> Iterator[str]:
    """The lines of the marked context: nothing that stands in it can close it."""
    opened, note, closed = marked("task", space=space, name=task.name)
    yield opened
    yield note
    yield from task_lines(task)
    yield closed


def task_lines(task: Task, *, whole: bool = False, indent: str = "") -> Iterator[str]:
    """What is known of a task, part by part: the last five notes, results cut at 200 characters.

    `whole` is for people: all notes, those of the digest too, and nothing cut.
    `indent` stands before every line, where they go below a heading.
    """
    for part in _parts(task, whole):
        yield indent + part.replace("\n", f"\n{indent}")


def _parts(task: Task, whole: bool) -> Iterator[str]:
    def cut(text: str) -> str:
        return text if whole else one_line(shorten(text, RESULT_SHOWN))

    yield formats.GOAL.format(text=_fenced(task.goal))
    if task.subgoals:
        yield formats.SUBGOALS.format(text=_fenced(" > ".join(task.subgoals)))
    if task.phase:
        yield formats.PHASE.format(text=_fenced(task.phase))
    if task.constraints:
        yield formats.CONSTRAINTS
        yield from (formats.NOTE.format(text=_fenced(each)) for each in task.constraints)
    if task.steps:
        done = sum(bool(step["done"]) for step in task.steps)
        yield formats.STEPS.format(count=done, total=len(task.steps))
        for number, step in enumerate(task.steps, start=1):
            mark = "x" if step["done"] else " "
            yield formats.STEP.format(number=number, done=mark, text=_fenced(step["text"]))
    if task.decisions:
        yield formats.DECISIONS
        for each in task.decisions:
            why = formats.BECAUSE.format(why=_fenced(each["why"])) if each["why"] else ""
            question, answer = _fenced(each["question"]), _fenced(each["answer"])
            yield formats.DECIDED.format(question=question, answer=answer, why=why)
    if task.variables:
        yield formats.VARIABLES
        yield from (
            formats.VARIABLE.format(key=_fenced(k), text=_fenced(cut(v))) for k, v in task.variables.items()
        )
    if task.results:
        yield formats.RESULTS
        yield from (
            formats.RESULT.format(key=_fenced(k), text=_fenced(cut(v))) for k, v in task.results.items()
        )
    if whole and task.digest:
        yield formats.EARLIER_NOTES.format(count=task.folded)
        yield from (formats.NOTE.format(text=_fenced(line)) for line in task.digest.splitlines())
    if task.notes:
        shown = task.notes if whole else task.notes[-NOTES_SHOWN:]
        total = len(task.notes) + task.folded
        some = total > len(shown)
        yield formats.LAST_NOTES.format(count=len(shown), total=total) if some else formats.NOTES
        for note in shown:
            when = times.local_time(times.from_iso(note["at"]))
            yield formats.TASK_NOTE.format(minute=when, text=_fenced(note["text"]))


def _fenced(text: str) -> str:
    return fenced_text(text, "task")
