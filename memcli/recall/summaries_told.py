"""Which summaries give way to the turns that they sum up, and which speak for turns that are gone.

A summary says less of each thing than its turns do, so it stands behind them. But turns expire: what only
the summary says of them is answered by it alone, and is no evidence for the turns that happen to be left.
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
    """The summaries among candidates whose turns, candidates too, say all that they have for a question.

    All of them where every turn is there still; else those that have no word of the question that their turns
    lack, and are no nearer to it. `meanings` are the candidates' own cosines to the question, `held`
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
    """Whether each turn that a summary stands for is among what is meant; what went before it may not be."""
    named = folded_ids(summary)
    refs = [] if summary.supersedes else list(store.refs_by_id(named).values())
    return bool(refs) and len(store.filter_refs(refs, where)) == len(named)


def _says_any(summary: str, lacking: Iterable[Word]) -> bool:
    """Whether a summary says one of these words anywhere but in the heads of its lines."""
    lacking = list(lacking)
    said = set(words.index_text(without_extract_heads(summary)).split()) if lacking else set()
    return any(said.issuperset(term) for word in lacking for term in word)
