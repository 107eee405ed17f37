"""Summaries that yield to their turns, and those that stand in for turns that are gone.

A summary says less of each thing than its turns do, so it ranks behind them. But turns expire: what only the
summary still says is answered by it alone, and is no evidence for the turns that happen to be left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memcli.memory_data import folded_ids, is_folded, is_summary
from memcli.model import Filter, Memory, Ref
from memcli.prompt.context import without_extract_heads
from memcli.storage import Store, Word
from memcli.text import words


def told_summaries(
    store: Store,
    where: Filter,
    candidates: Mapping[Ref, Memory],
    meanings: Mapping[Ref, float],
    held: Mapping[Word, frozenset[Ref]],
) -> frozenset[Ref]:
    """Return the summaries among candidates whose turns, also candidates, say as much for a question.

    That is every summary all of whose turns are still there, and one that holds no word of the question that
    its turns lack and is no nearer to it. `meanings` are the candidates' own cosines to the question, `held`
    the holders of its words.
    """
    turns: dict[tuple[str, str | None], list[Ref]] = {}
    for ref, memory in candidates.items():
        if is_folded(memory) and not is_summary(memory):
            turns.setdefault((memory.space, memory.session), []).append(ref)
    told = set()
    for ref, memory in candidates.items():
        left = turns.get((memory.space, memory.session), []) if is_summary(memory) else []
        if not left:
            continue
        nearer = meanings[ref] > max(meanings[each] for each in left)
        lacking = (word for word, holders in held.items() if ref in holders and holders.isdisjoint(left))
        if _is_whole(store, where, memory) or not (nearer or _says_any(memory.text, lacking)):
            told.add(ref)
    return frozenset(told)


def _is_whole(store: Store, where: Filter, summary: Memory) -> bool:
    """True if the filter admits every turn that a summary covers, and no earlier summary is part of it."""
    named = folded_ids(summary)
    refs = [] if summary.supersedes else list(store.refs_by_id(named).values())
    return bool(refs) and len(store.filter_refs(refs, where)) == len(named)


def _says_any(summary: str, lacking: Iterable[Word]) -> bool:
    """True if a summary holds one of these words outside the headings of its lines."""
    lacking = list(lacking)
    said = set(words.index_text(without_extract_heads(summary)).split()) if lacking else set()
    return any(said.issuperset(term) for word in lacking for term in word)
