"""What the owner states in a turn that is worth knowing for good: judged sentence by sentence."""

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

# Who says less than this says it of nothing in particular.
_WORDS = 3
# By its words alone a sentence must be so likely to be read by the model.
_WORTH_READING = 0.15
# An answer stands between two of a speaker's turns, seldom more.
_PER_TURN = 4
# So many times as many turns are read where those did not reach far enough.
_MORE = 8
# And so likely lasting, by the model: what is true of somebody today is none. (Of 53 facts in four chats of
# two authors who taught nobody 29 are kept by both from 0.8 on, with a line that is none; by 0.9 and a half
# 24, with one.)
_LASTING = 0.8
# By words alone talk of the matter at hand seems to last, too: "I have a question about my code" for 0.91.
_LASTING_BY_WORDS = 0.95
# No conclusion is surer.
_SUREST = 0.99
# What is distilled is knowledge.
_KINDS: tuple[Kind, ...] = ("fact", "preference", "constraint")


def judged_statements(
    scope: Memories, turns: Sequence[Memory], least: float
) -> Iterator[tuple[Statement, Memory]]:
    """The sentences of turns that most likely (`least`, 0 to 1) state something of the speaker for good.

    Questions, hedges, quotations and what lasts a day are left out. Nothing is judged where that judge is
    off (`least` is infinite), where the store's model is not the one that the judges know, or
    cannot be used.
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
            # However sure a judge is, it is not as sure as who says it.
            yield Statement(sentence, kind, min(round(likely, 2), _SUREST)), turn


def said_before(scope: Memories, turn: Memory) -> str:
    """What the speaker of a turn said in the turns before it in that session: one text, the oldest first."""
    if not turn.session:
        return ""
    some = scope.within(sessions=(turn.session,), kinds=("episode",), until=turn.happened_at)
    limit = _PER_TURN * TURNS_BEFORE
    while True:
        near = list(scope.store.select(some, order="newest", limit=limit))
        own = [each for each in near if each.id < turn.id and speaker_of(each) == speaker_of(turn)]
        if len(own) >= TURNS_BEFORE or len(near) < limit:
            return " ".join(each.text for each in reversed(own[:TURNS_BEFORE]))
        # Many later turns bear the same instant, as where a whole session came in at once.
        limit *= _MORE


def likeliest_kind(text: str) -> Kind:
    """Of which kind of knowledge a statement most likely is, by its words; a fact where these cannot tell."""
    judged = StatementJudgement(text)
    if not judged.is_taught:
        return "fact"
    return max(_KINDS, key=lambda each: judged.kinds[each])


def lasts(text: str) -> bool:
    """Whether a statement likely holds for good, by its words; not what is said of the matter at hand."""
    judged = StatementJudgement(text)
    return judged.is_taught and judged.states["lasting"] >= _LASTING_BY_WORDS


def _may_state(sentence: str) -> bool:
    if not len(sentence.split()) >= _WORDS or len(sentence) >= MAX_SENTENCE or is_question(sentence):
        return False
    if transient_phrase(sentence) or speculative_phrase(sentence):
        return False
    return is_taught(sentence) and disclosed_by_words(sentence) >= _WORTH_READING
