"""Judged statements: sentences of the owner's turns that a learned judge finds worth keeping for good."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.embedding.forward_pass import readings
from memcli.errors import ModelUnusable
from memcli.judgement.disclosure import TURNS_BEFORE, disclosed, disclosed_by_words
from memcli.judgement.scripts import is_taught
from memcli.judgement.statements import StatementJudgement
from memcli.memories import Memories
from memcli.model import Kind, Memory, speaker_of
from memcli.text.comparison.duplicates import is_question
from memcli.text.english.hedges import speculative_phrase, transient_phrase
from memcli.text.extraction.statements import Statement
from memcli.text.semantics.reported import sentences_of_writer
from memcli.text.sentences import MAX_SENTENCE

# The fewest words of a sentence that can state something.
_WORDS = 3
# The least probability, by words alone, for a sentence to be embedded and judged.
_WORTH_READING = 0.15
# How many turns are read per earlier turn of the speaker: mostly one answer stands between two.
_PER_TURN = 4
# The factor by which more turns are read if those were not enough.
_MORE = 8
# The least probability, by the model, that it lasts: what is true today only is no fact. (Of 53 facts in four
# chats of two authors outside the training data, 29 are kept with both thresholds at 0.8, with one false
# one; with 0.9 and 0.5, 24 and one.)
_LASTING = 0.8
# The threshold without embeddings: by words alone, passing talk seems to last, too: "I have a question
# about my code" has 0.91.
_LASTING_BY_WORDS = 0.95
# The highest confidence of a conclusion.
_SUREST = 0.99
# The kinds that a distilled statement may have.
_KINDS: tuple[Kind, ...] = ("fact", "preference", "constraint")


def judged_statements(
    scope: Memories, turns: Sequence[Memory], least: float
) -> Iterator[tuple[Statement, Memory]]:
    """Yield the sentences of turns that state a lasting fact of the speaker with a probability of `least`.

    `least` is from 0 to 1. Questions, hedges, quotations and what lasts a day are left out. Yields nothing
    if that judge is off (`least` is infinite), or if the store's model is not the one that the judges were
    trained on, or cannot be used.
    """
    if least > 1:
        return
    told = [(sentence, turn) for turn in turns for sentence in dict.fromkeys(sentences_of_writer(turn.text))]
    told = [(sentence, turn) for sentence, turn in told if _may_state(sentence)]
    if not told:
        return
    try:
        embedder = scope.model.open_bound()
    except ModelUnusable:
        return
    if not embedder.identity.is_default:
        return
    before = {turn.id: said_before(scope, turn) for turn in {turn.id: turn for _, turn in told}.values()}
    for (sentence, turn), reading in zip(told, readings(embedder, [each for each, _ in told]), strict=True):
        if reading.middle is None:
            return
        likely = disclosed(sentence, reading.middle, turn.text, before[turn.id])
        judged = StatementJudgement(sentence, reading.middle)
        if likely >= least and judged.states["lasting"] >= _LASTING:
            kind = max(_KINDS, key=lambda each: judged.kinds[each])
            # A judge's conclusion is never as sure as a statement by the owner.
            yield Statement(sentence, kind, min(round(likely, 2), _SUREST)), turn


def said_before(scope: Memories, turn: Memory) -> str:
    """Return what a turn's speaker said in the turns before it in the session, as one text, oldest first."""
    if not turn.session:
        return ""
    some = scope.within(sessions=(turn.session,), kinds=("episode",), until=turn.happened_at)
    limit = _PER_TURN * TURNS_BEFORE
    while True:
        near = list(scope.store.select(some, order="newest", limit=limit))
        own = [each for each in near if each.id < turn.id and speaker_of(each) == speaker_of(turn)]
        if len(own) >= TURNS_BEFORE or len(near) < limit:
            return " ".join(each.text for each in reversed(own[:TURNS_BEFORE]))
        # Many later turns have the same instant, as when a whole session was imported at once.
        limit *= _MORE


def likeliest_kind(text: str) -> Kind:
    """Return the most probable kind of a statement by its words; a fact if they cannot tell."""
    judged = StatementJudgement(text)
    if not judged.is_taught:
        return "fact"
    return max(_KINDS, key=lambda each: judged.kinds[each])


def lasts(text: str) -> bool:
    """True if a statement probably holds for good, by its words."""
    judged = StatementJudgement(text)
    return judged.is_taught and judged.states["lasting"] >= _LASTING_BY_WORDS


def _may_state(sentence: str) -> bool:
    if not len(sentence.split()) >= _WORDS or len(sentence) >= MAX_SENTENCE or is_question(sentence):
        return False
    if transient_phrase(sentence) or speculative_phrase(sentence):
        return False
    return is_taught(sentence) and disclosed_by_words(sentence) >= _WORTH_READING
