"""Forgotten memories that a new one says again: within a longer text, or in other words.

Only what was forgotten softly can be found here; `memcli.write_policy.forgotten_texts` recognises what was
erased.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from memcli.model import Filter, Match, Memory, Ref, is_statement
from memcli.storage import Store, Word
from memcli.text.sentences import sentences
from memcli.text.words import Term, query_terms
from memcli.write_policy.related.lookup import RelatedMemory, same_by_words

# The fewest telling words by which a forgotten text is recognised: a single word is in too many texts.
_FEWEST = 2
# How many of the memories that share most words are read.
_READ = 100
# The probability above which a judge's "same" counts.
_LIKELIER = 0.5


def is_owners(memory: Memory) -> bool:
    """True if the owner stated the memory, and no program did."""
    return memory.trusted and memory.source == "explicit"


def forgotten_within(store: Store, memory: Memory, ended: Filter) -> Iterator[Memory]:
    """Yield forgotten memories (of `ended`) all of whose telling words are in one sentence of the text."""
    said = [set(query_terms(each)) for each in sentences(memory.text)]
    asked: dict[Word, float] = {(term,): 1.0 for term in set[Term]().union(*said)}
    found = store.top_by_words(asked, ended, _READ) if asked else []
    sharing = sorted(match.ref for match in found if match.score >= _FEWEST)
    for old in store.memories_by_ref(sharing).values():
        if old.ended_as == "forgotten":
            telling = set(query_terms(old.text))
            if len(telling) >= _FEWEST and any(telling <= each for each in said):
                yield old


def forgotten_in_other_words(
    memory: Memory, matches: list[Match], found: Mapping[Ref, Memory], *, judged: bool
) -> Iterator[Memory]:
    """Yield the forgotten memories among the nearest ended ones that mean the same.

    `judged`: the cosines are of the model that the judges were trained on.
    """
    from memcli.judgement.pair_forms import exact_values_apart, one_denies

    for match in matches:
        old = found[match.ref]
        if old.ended_as != "forgotten":
            continue
        near = RelatedMemory(memory.text, old, match.score, judged=judged)
        if near.verdict == "same" or (
            judged
            and near.judgement.same > _LIKELIER
            and not (one_denies(*near.texts) or exact_values_apart(*near.texts))
        ):
            yield old


def is_said_anew(store: Store, old: Memory) -> bool:
    """True if the owner has restated a forgotten memory since, and has not forgotten that too."""
    back = replace(old, ended_at=None, ended_as=None)
    anywhere = Filter(spaces=(old.space,), live=False)
    since = old.ended_at or old.updated_at
    # A turn logged in a session is not yet knowledge: consolidation or the owner has to extract it.
    return any(
        is_owners(each) and is_statement(each) and each.ended_as != "forgotten" and each.created_at >= since
        for each in same_by_words(store, back, anywhere)
    )
