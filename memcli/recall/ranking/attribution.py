"""Attribution: a question names one person, and what fits it best was said by, or is about, another."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.model import OF_OTHER, judged_likely, speaker_of
from memcli.named_tuple import NamedTuple
from memcli.recall.results import Hit
from memcli.text import words
from memcli.text.asking import capitalised_words
from memcli.text.expressions import expression
from memcli.text.question import Question, in_first_person

# The lead by which another speaker's best turn must exceed the named speaker's best, without the bonus for
# being named. On LoCoMo 0-4 that is so of 6 % of the questions that the named speaker answers, and of 48 % of
# those that only the other could (area under the curve 0.84).
LEAD = 0.10
# The probability from which a note counts as about somebody else than its owner.
OF_ANOTHER = 0.7
_WORD = expression(r"\w+")


class Attribution(NamedTuple):
    """The speaker whom a question names, and the other one whose turn (`memory_id`) fits it best."""

    named: str
    speaker: str
    memory_id: str


def said_by_another(question: Question, hits: Sequence[Hit]) -> Attribution | None:
    """Return the other speaker whose turn fits best; None if no one speaker is named, or that one leads."""
    best: dict[str, tuple[float, str]] = {}
    for hit in hits:
        if role := speaker_of(hit.memory):
            bare = hit.total - hit.parts.get("role", 0.0)
            best[role] = max(best.get(role, (bare, hit.memory.id)), (bare, hit.memory.id))
    named = [role for role in best if question.names(role)]
    others = [role for role in best if role not in named]
    if len(named) != 1 or not others:
        return None
    other = max(others, key=lambda role: best[role])
    if best[other][0] - best[named[0]][0] < LEAD:
        return None
    return Attribution(named[0], other, best[other][1])


def is_of_others(question: Question, hits: Sequence[Hit]) -> bool:
    """True if all hits are about other people than the question: "what am I allergic to?", "Kari: nuts".

    That is so if a judge noted of each hit that it is about somebody else than the owner, and none names a
    person whom the question names. If the question names nobody and asks in the first person, no hit may be
    in the first person or about the kin that it asks for.
    """
    if not hits or not all(judged_likely(hit.memory, OF_OTHER) for hit in hits):
        return False
    texts = [hit.memory.text for hit in hits]
    if named := {words.fold_case(name) for name in capitalised_words(question.text)}:
        return all(named.isdisjoint(_WORD.findall(words.fold_case(text))) for text in texts)
    return question.about_owner and not any(
        in_first_person(text) or _tells_whom_is_asked(question.text, text) for text in texts
    )


def _tells_whom_is_asked(question: str, text: str) -> bool:
    """True if a text is about the kin that a question asks for ("my aunt"), or about nobody at all.

    Its first word may be a name, unless the question has it as well ("our wedding anniversary").
    """
    from memcli.text.numbers.quantities import calendar_words
    from memcli.text.semantics.senses import has_sense  # few pages are all of others

    asked, told = (_WORD.findall(words.fold_case(each)) for each in (question, text))
    kin = {word for word in told if has_sense(word, "kin")}
    names = {words.fold_case(name) for name in capitalised_words(text)} - calendar_words().keys()
    return not kin.isdisjoint(asked) or not (kin or names or set(told[:1]).difference(asked))


def with_what_another_said(
    page: Sequence[Hit], ranked: Sequence[Hit], attribution: Attribution | None
) -> list[Hit]:
    """The page, and on it what somebody else said than the question names."""
    if attribution is None or any(hit.memory.id == attribution.memory_id for hit in page):
        return [*page]
    return [*page, *(hit for hit in ranked if hit.memory.id == attribution.memory_id)]
