"""Portions of a step's news: a batch of memories at a time, or an LLM's prompt at a time.

Each way has a bookmark of its own, which moves with what was done, so that a run stopped by its limits or
by SIGKILL is continued by the next.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial

from memcli.consolidation import bookmarks
from memcli.consolidation.proposals import Proposal
from memcli.consolidation.reasoner import Reasoner, ReasonerFailure
from memcli.consolidation.step import Portion, Step, StepContext
from memcli.graph.walk import was_retracted
from memcli.model import Memory
from memcli.scope import Scope
from memcli.storage.batches import in_batches

# How many memories a step looks at in one portion.
BATCH_SIZE = 64


def portions_of_news(
    run: StepContext, step: Step, look: Callable[[Sequence[Memory]], Iterable[Proposal]]
) -> Iterator[Portion]:
    """Yield what a step proposes (`look`) about live memories that came or changed since it last ran."""
    memories = run.memories
    found = run.news(step, bookmarks.last_line_read(memories, step.name))
    run.pairs.begin(memory for _, memory in found.numbers)
    done = 0
    for batch in in_batches(found.numbers, BATCH_SIZE):
        if run.over():
            return
        some = [memory for _, memory in batch]
        run.pairs.look_at(some)
        yield Portion(list(look(run.live(some))), _noting(memories, step.name, batch[-1][0]))
        run.progress(step.name, done := done + len(batch))
    # If a limit has cut the last portion short, the bookmark does not advance, and the portion is read again.
    if found.numbers and not run.over():
        yield Portion(note=_noting(memories, step.name, found.read_to))


def begin_asking(run: StepContext, step: Step) -> Generator[Portion, None, int]:
    """Return the history line up to which an LLM was asked about a step's news; begin at 0 if it never was.

    It may lag behind the step itself, and the first run with an LLM begins at the beginning: what was said
    before an LLM was configured is asked about, too.
    """
    asked = bookmarks.asked_about(step.name)
    if run.reasoner and not bookmarks.has_begun(run.memories, asked):
        yield Portion(note=partial(bookmarks.begin_after, run.memories, asked, 0))
    return bookmarks.last_line_read(run.memories, asked)


def portions_of_reasoner(
    run: StepContext,
    step: Step,
    after: int,
    about: Callable[[Memory], bool],
    conclude: Callable[[Sequence[Memory], Reasoner], Iterable[Proposal]],
) -> Iterator[Portion]:
    """Yield what an LLM concludes from memories that came since line `after` and that `about` accepts.

    If it is down or a limit is reached, everything else is done, and the next run asks from there.
    """
    memories, reasoner = run.memories, run.reasoner
    if reasoner is None or run.over():
        return
    found, asked = run.news(step, after), bookmarks.asked_about(step.name)
    numbers = {memory: number for number, memory in found.numbers}
    here = memories.store.get(list(numbers))
    # Includes ended turns: one may be folded and expired before an LLM that was down is up again.
    here = [each for each in here if each.space == memories.space and not was_retracted(each)]
    prompts = list(reasoner.portions([each for each in here if about(each)]))
    run.report.tokens_expected += sum(map(reasoner.cost, prompts))
    if prompts:
        run.asking(run.report.tokens_expected)
    for prompt in prompts:
        if run.over():
            return
        proposals: list[Proposal] = []
        try:
            proposals = list(conclude(prompt, reasoner))
        except ReasonerFailure as error:
            run.report.skip(step.name, error)
            if error.limit:
                run.report.stopped = "at the limit, asking what was said; the next run goes on there"
            if error.limit or error.down:
                return
        yield Portion(proposals, _noting(memories, asked, numbers[prompt[-1].id]))
    if not run.over():
        yield Portion(note=_noting(memories, asked, found.read_to))


def _noting(scope: Scope, place: str, number: int) -> Callable[[], None]:
    return partial(bookmarks.note_line_read, scope, place, number)
