"""Merge step: make one memory of duplicates, and ask about likely ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from memcli.consolidation.equal_texts import equal_texts
from memcli.consolidation.mergeable import NEARLY_IDENTICAL, all_alike, merge_key
from memcli.consolidation.news import brought_back
from memcli.consolidation.pairs import Pair, PairFinder
from memcli.consolidation.portions import portions_of_news
from memcli.consolidation.proposals import Proposal, proposal
from memcli.consolidation.step import Portion, Step, StepContext
from memcli.model import KNOWLEDGE, Memory
from memcli.recall.closed_questions import ClosedQuestions
from memcli.scope import Scope
from memcli.text.comparison.duplicates import compare_texts

_CLOSE, _MOST = 0.7, 8


class MergeStep(Step):
    """Merges duplicates, never across kind, trust or validity.

    Nor are texts merged that differ in a number, name, date, negation or value:
    `text.comparison.duplicates` decides if they say the same.
    """

    name = "merge"
    does = "makes one of memories that say the same, and asks about those that seem to"
    actions = ("merge", "ask")

    def propose(self, run: StepContext) -> Iterator[Portion]:
        """Yield a merge for each group that says the same; a question for each pair that seems to."""
        looked = _Duplicates(run.memories, run.pairs)
        return portions_of_news(run, self, looked.among)


class _Duplicates:
    """The duplicates found in a run: equal texts are grouped once, and one of each stands for its group."""

    def __init__(self, scope: Scope, finder: PairFinder) -> None:
        self._scope = scope
        self._finder = finder
        self._proposed: set[str] = set()

    @cached_property
    def _equal(self) -> dict[str, list[Memory]]:
        """Maps a memory's id to all memories with its text, oldest first, if there are several."""
        groups = equal_texts(self._scope.store.select(self._scope.within(kinds=KNOWLEDGE), order="oldest"))
        self._finder.leave_out(memory.id for group in groups for memory in group[1:])
        return {memory.id: group for group in groups for memory in group}

    def among(self, some: Sequence[Memory]) -> Iterator[Proposal]:
        """Yield a proposal for each group, and each pair, that includes one of these."""
        knowledge = [
            memory for memory in some if memory.kind in KNOWLEDGE and memory.id not in self._proposed
        ]
        if not knowledge:
            return
        equal = {memory.id: self._equal.get(memory.id, [memory]) for memory in knowledge}
        groups = {memory.id: group for group in equal.values() if len(group) > 1 for memory in group}
        closed = ClosedQuestions(self._scope.store, (self._scope.space,))
        alone = {group[0].id: group[0] for group in equal.values()}
        questions = []
        # Not `once`: a group is merged as a whole, including memories that are looked at later.
        for pair in self._finder.pairs(list(alone.values()), KNOWLEDGE, _CLOSE, _MOST):
            if merge_key(pair.older) != merge_key(pair.newer):
                continue
            if not _same(pair) or closed.holds(pair.older.id, pair.newer.id):
                continue
            if pair.cosine >= NEARLY_IDENTICAL or _same_text(pair):
                self._unite(groups, pair)
            else:
                questions.append(pair)
        merged = [group for group in _each(groups) if self._may_merge(group, closed)]
        self._proposed.update(memory.id for group in merged for memory in group)
        for pair in questions:
            # Memories that are merged now need not be asked about.
            if self._proposed.isdisjoint((pair.older.id, pair.newer.id)):
                why = f"seem to say the same (cosine {pair.cosine:.2f})"
                yield proposal(MergeStep.name, "ask", [pair.older, pair.newer], why, question="duplicate")
        for group in merged:
            yield proposal(MergeStep.name, "merge", group, f"{len(group)} say the same")

    def _unite(self, groups: dict[str, list[Memory]], pair: Pair) -> None:
        """Join the groups of a pair's two memories, each with all memories of its text."""
        ours, theirs = (
            groups.get(each.id) or self._equal.get(each.id, [each]) for each in (pair.older, pair.newer)
        )
        here = {memory.id for memory in ours}
        group = [*ours, *(memory for memory in theirs if memory.id not in here)]
        groups.update((memory.id, group) for memory in group)

    def _may_merge(self, group: Sequence[Memory], closed: ClosedQuestions) -> bool:
        """True if all say the same, none was proposed yet, and the owner has said no to none of them."""
        return (
            self._proposed.isdisjoint(memory.id for memory in group)
            and all_alike(group)
            and len(closed.without_closed(group)) == len(group)
            and not any(brought_back(self._scope, each) for each in group)
        )


def _each(groups: dict[str, list[Memory]]) -> list[list[Memory]]:
    return list({id(group): group for group in groups.values()}.values())


def _same(pair: Pair) -> bool:
    older, newer = pair.older.text, pair.newer.text
    # In both directions: a text that adds something is not the same as the shorter one.
    return all(
        compare_texts(*each, pair.cosine).verdict == "same" for each in ((newer, older), (older, newer))
    )


def _same_text(pair: Pair) -> bool:
    return compare_texts(pair.newer.text, pair.older.text, None).verdict == "same"


STEP = MergeStep()
