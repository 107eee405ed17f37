"""Which standing rules bear on a question: the constraints that come along with its answer."""

from __future__ import annotations

from memcli.model import Filter, Memory, Ref
from memcli.recall.ranking.coverage import coverage, term_weights
from memcli.recall.ranking.floor import Evidence, evidence_strength
from memcli.recall.results import Inquiry
from memcli.storage import Store
from memcli.text import words

# As many are weighed, of a space that has more.
_WEIGHED = 200
# Where meaning is not searched: the least share of the question's information that one holds.
_WORDS_ALONE = 0.25


def bearing_memories(store: Store, inquiry: Inquiry, where: Filter) -> list[Memory]:
    """The memories in `where` that bear on a question that was asked already, what bears most first.

    Each is judged by itself, by the floor for what is asked about the owner: a rule may
    be as far from a question that it governs as "I prefer …" is from "what should I …".
    (30 questions, 24 rules of work and home: 0.8 of those that govern one come along, and
    0.3 others a question.)
    """
    asked, search = inquiry.question, inquiry.search
    terms = words.query_terms(asked.text)
    held = store.refs_by_term(terms, where)
    total = sum(number for _, _, number in store.count(Filter(spaces=where.spaces, live=False)))
    covered = coverage(held, term_weights(held, total))
    near: dict[Ref, float] = {}
    if search:
        near = dict(store.nearest(search.raw.tobytes(), where, _WEIGHED))

    def strength(ref: Ref) -> float:
        if search is None:
            return covered.get(ref, 0.0) - _WORDS_ALONE
        evidence = Evidence(near.get(ref), covered.get(ref, 0.0), 0, 0, about_owner=True, memories=total)
        return evidence_strength(evidence, inquiry.settings.calibration)

    weighed = {ref: strength(ref) for ref in {*near, *covered}}
    chosen = sorted((ref for ref in weighed if weighed[ref] >= 0), key=lambda ref: (-weighed[ref], ref))
    memories = store.memories_by_ref(chosen)
    return [memories[ref] for ref in chosen if ref in memories]
