"""Duplicates become one; what is only likely to be a duplicate is asked about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.changes.open_questions import ClosedQuestions
from memcli.consolidation.pairs import Pair, PairFinder
from memcli.consolidation.portions import portions_of_news
from memcli.consolidation.proposals import Proposal, proposal
from memcli.consolidation.step import Portion, Step, StepContext
from memcli.model import KNOWLEDGE, Memory
from memcli.scope import Scope
from memcli.text.comparison.duplicates import compare_texts

# No threshold of cosine is safe by itself; from here on the texts differ by little more than spelling.
NEARLY_IDENTICAL = 0.97
_CLOSE, _MOST = 0.7, 8


class MergeStep(Step):
    """Never across kind, trust or validity, nor where a number, name, date, negation or value differs.

    Whether texts say the same is decided by `text.comparison.duplicates`.
    """

    name = "merge"
    does = "makes one of memories that say the same, and asks about those that seem to"
    actions = ("merge", "ask")

    def propose(self, run: StepContext) -> Iterator[Portion]:
        """A merge for each group that says the same; a question for pairs that seem to."""
        return portions_of_news(run, self, lambda some: _duplicates(run.memories, some, run.pairs))


def _duplicates(scope: Scope, some: Sequence[Memory], finder: PairFinder) -> Iterator[Proposal]:
    knowledge = [memory for memory in some if memory.kind in KNOWLEDGE]
    groups: dict[str, list[Memory]] = {}
    closed = ClosedQuestions(scope)
    # Not `once`: all that say the same become one at once, also those that are looked at later.
    for pair in finder.pairs(knowledge, KNOWLEDGE, _CLOSE, _MOST):
        if not _comparable(pair):
            continue
        if not _same(pair) or closed.holds(pair.older.id, pair.newer.id):
            continue
        if pair.cosine >= NEARLY_IDENTICAL or _same_text(pair):
            group = groups.get(pair.older.id) or groups.get(pair.newer.id) or []
            for memory in (pair.older, pair.newer):
                if memory.id not in {each.id for each in group}:
                    group.append(memory)
                groups[memory.id] = group
        else:
            why = f"seem to say the same (cosine {pair.cosine:.2f})"
            yield proposal(MergeStep.name, "ask", [pair.older, pair.newer], why, question="duplicate")
    for group in {id(group): group for group in groups.values()}.values():
        pairs = [(one, other) for one in group for other in group if one is not other]
        if all(_alike(*pair) for pair in pairs) and not any(closed.holds(a.id, b.id) for a, b in pairs):
            yield proposal(MergeStep.name, "merge", group, f"{len(group)} say the same")


def _comparable(pair: Pair) -> bool:
    older, newer = pair.older, pair.newer
    return (
        older.kind == newer.kind
        and older.trusted == newer.trusted
        and (older.valid_from, older.valid_until) == (newer.valid_from, newer.valid_until)
    )


def _same(pair: Pair) -> bool:
    older, newer = pair.older.text, pair.newer.text
    # Either way round: a text that adds something is not the same as the shorter one.
    return all(
        compare_texts(*each, pair.cosine).verdict == "same" for each in ((newer, older), (older, newer))
    )


def _same_text(pair: Pair) -> bool:
    return compare_texts(pair.newer.text, pair.older.text, None).verdict == "same"


def are_mergeable(some: Sequence[Memory]) -> bool:
    """Whether these may become one: a plan may say so and be wrong."""
    return all(
        one.kind == other.kind
        and one.kind in KNOWLEDGE
        and one.trusted == other.trusted
        and (one.valid_from, one.valid_until) == (other.valid_from, other.valid_until)
        and _alike(one, other)
        for one in some
        for other in some
        if one is not other
    )


def _alike(one: Memory, other: Memory) -> bool:
    """Of a group each must be the same as each: likeness does not add up."""
    return compare_texts(one.text, other.text, NEARLY_IDENTICAL).verdict == "same"


STEP = MergeStep()
