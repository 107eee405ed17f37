"""What was forgotten softly and is said again by a new memory, with more beside it or in other words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from memcli.model import Filter, Match, Memory, Ref, is_statement
from memcli.storage import Store, Word
from memcli.text.sentences import sentences
from memcli.text.words import Term, query_terms
from memcli.write_policy.related.lookup import RelatedMemory, same_by_words

# A single word is in too many texts to be said again by them.
_FEWEST = 2
# Of those that share most words so many are read.
_READ = 100
# From here on a judge is surer that two say the same than that they do not.
_LIKELIER = 0.5


def is_owners(memory: Memory) -> bool:
    """Whether its owner said it themselves, and no program."""
    return memory.trusted and memory.source == "explicit"


def forgotten_within(store: Store, memory: Memory, ended: Filter) -> Iterator[Memory]:
    """What was forgotten (of what is `ended`) and stands, with all of its telling words, in a sentence."""
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
    """What was forgotten among the nearest of what has ended, and means the same.

    `judged`: their cosines are of the model from which the judges learned.
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
    """Whether its owner has said what they forgot again since, whatever became of that but forgetting it."""
    back = replace(old, ended_at=None, ended_as=None)
    anywhere = Filter(spaces=(old.space,), live=False)
    since = old.ended_at or old.updated_at
    # What is logged in a session is no knowledge before a night, or its owner, takes it for some.
    return any(
        is_owners(each) and is_statement(each) and each.ended_as != "forgotten" and each.created_at >= since
        for each in same_by_words(store, back, anywhere)
    )
