"""Standing rules: find the constraints that bear on a question and are added to its answer."""

from __future__ import annotations

from memcli.model import Filter, Memory, Ref
from memcli.recall.ranking.coverage import coverage, term_weights
from memcli.recall.ranking.floor import bearing_strength
from memcli.recall.results import Inquiry
from memcli.storage import Store
from memcli.text import words
from memcli.text.asking import asks_for_fact, capitalised_words, is_foreign

# At most so many of the newest rules are examined.
_WEIGHED = 1000
# If meaning is not searched: the least share of the question's information that a rule must hold.
_WORDS_ALONE = 0.25
# A name that at most so many rules hold, or one in so many of them, ties a rule to a question.
_OF_ONE, _SHARE = 3, 4


def bearing_memories(store: Store, inquiry: Inquiry, where: Filter) -> list[Memory]:
    """Return the memories in `where` that bear on a question that was asked already, the most relevant first.

    Each is judged by itself, and by a lower threshold than an answer: a rule may be as far from a question
    that it governs as "I prefer …" is from "what should I …". Of 60 rules in eight languages 51 come along
    with a question that they govern (58 before the threshold depended on what is asked, and in which
    language), 9 with one about the same things that they do not govern (42), and of the others 0.7 a question
    (7.4): `benchmarks/bearing.py`.
    """
    rules = {each.id: each for each in store.select(where, limit=_WEIGHED)}
    known = {ref: rules[key] for key, ref in store.refs_by_id(list(rules)).items()}
    total = store.total(where.spaces)
    question = inquiry.question.text
    asked = [(term,) for term in words.query_terms(question)]
    held = store.holding(asked, list(known))
    # The rarity of words is that among all memories, the coverage that of each rule.
    covered = coverage(held, term_weights([len(holders) for holders in held], total))
    near = _cosines(store, list(known), inquiry)
    fact = asks_for_fact(question)
    # Only for the default model: another one was chosen for the languages of its store.
    foreign = inquiry.search is not None and inquiry.search.judged and is_foreign(question)
    # A name is the same in every language: one in both ties a rule to a question that the model cannot read.
    # A name that many rules hold, such as that of a project, ties none.
    names = {each for name in capitalised_words(question) for each in words.query_terms(name)[:1]}
    named = (refs for (term,), refs in zip(asked, held, strict=True) if term in names)
    tied = {ref for refs in named if len(refs) <= max(_OF_ONE, len(known) // _SHARE) for ref in refs}

    def strength(ref: Ref) -> float:
        if near is None:
            return covered.get(ref, 0.0) - _WORDS_ALONE
        calibration = inquiry.settings.calibration
        return bearing_strength(
            near.get(ref), covered.get(ref, 0.0), total, calibration, fact=fact,
            foreign=foreign and ref not in tied, of_whom=not fact and ref in tied,
        )  # fmt: skip

    weighed = {ref: strength(ref) for ref in known}
    chosen = sorted((ref for ref in known if weighed[ref] >= 0), key=lambda ref: (-weighed[ref], ref))
    return [known[ref] for ref in chosen]


def _cosines(store: Store, refs: list[Ref], inquiry: Inquiry) -> dict[Ref, float] | None:
    """Return each memory's greatest cosine to the question as asked; None if meaning is not searched."""
    if inquiry.search is None:
        return None
    from memcli.embedding.vectors import unit_rows, unit_vectors

    windows = [(ref, window) for ref, each in inquiry.search.windows(store, refs).items() for window in each]
    near: dict[Ref, float] = {}
    if windows:
        cosines = unit_rows([window for _, window in windows]) @ unit_vectors(inquiry.search.raw)
        for (ref, _), cosine in zip(windows, cosines.tolist(), strict=True):
            near[ref] = max(near.get(ref, -1.0), cosine)
    return near
