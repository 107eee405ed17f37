"""Distil step: keep lasting facts from what was said, by the form of a sentence or by repetition.

Results are `inferred`, cite their evidence, and pass the write policy like any other memory; a fact all of
whose evidence was erased is ended. Relations between the things named are proposed as links in the same
step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from memcli import times
from memcli.consolidation import bookmarks, portions
from memcli.consolidation.decay_strength import TOLD_AT
from memcli.consolidation.judged_statements import judged_statements, lasts, likeliest_kind
from memcli.consolidation.link_proposals import propose_links
from memcli.consolidation.news import erased_since
from memcli.consolidation.pairs import PairFinder
from memcli.consolidation.proposals import ORIGIN, Proposal, proposal, propose_end
from memcli.consolidation.reasoner import Conclusion, Reasoner
from memcli.consolidation.report import SetAside
from memcli.consolidation.step import Portion, Step, StepContext
from memcli.judgement.thresholds import threshold
from memcli.memories import Memories
from memcli.memory_data import CITES, cited_ids
from memcli.model import Kind, Memory, speaker_of
from memcli.origins import is_through
from memcli.scope import Scope
from memcli.text.comparison.duplicates import compare_texts
from memcli.text.extraction.statements import Statement, own_sentences, statements
from memcli.text.semantics.reported import sentences_of_writer
from memcli.text.sentences import sentences
from memcli.write_policy.drafts import Draft

# The confidence that a fact must exceed to be kept.
SURE_CONFIDENCE = 0.8
# In how many sessions something has to be said to become a fact.
SESSIONS = 3
_SAID_OFTEN = 0.85
# The least cosine of turns that may say the same, and how many are compared.
_CLOSE, _MOST = 0.5, 16


class DistilStep(Step):
    """Distils facts; an LLM, if there is one, is asked what else the turns say, with its own bookmark."""

    name = "distil"
    does = "keeps as facts what the owner stated, or said in three sessions, and proposes links"
    actions = ("keep", "link", "end")

    def propose(self, run: StepContext) -> Iterator[Portion]:
        """Yield ends for facts without evidence, facts and links by form and repetition, and an LLM's."""
        scope = run.memories
        asked_to = yield from portions.begin_asking(run, self)
        after = bookmarks.last_line_read(scope, self.name)
        if after and erased_since(scope, after):
            yield Portion(list(_orphans(scope)))
        yield from portions.portions_of_news(run, self, lambda some: _stated(scope, some, run.pairs))
        yield from portions.portions_of_reasoner(
            run, self, asked_to, is_said_by_owner, lambda turns, reasoner: _concluded(run, turns, reasoner)
        )


def _stated(scope: Memories, some: Sequence[Memory], finder: PairFinder) -> Iterator[Proposal]:
    """Yield a fact for each explicit statement in the owner's turns, and for each said in three sessions."""
    turns = list(filter(is_said_by_owner, some))
    said: set[str] = set()
    for turn in turns:
        # Each turn that states it gives a proposal, so that it is confirmed within a run as across runs.
        for each in dict.fromkeys(statements("\n".join(sentences_of_writer(turn.text)))):
            if each.confidence > SURE_CONFIDENCE:
                said.add(each.text)
                yield _fact(scope, each, [turn], "stated")
    for each, turn in judged_statements(scope, turns, threshold(scope.config, "distil")):
        if each.text not in said:
            said.add(each.text)
            why = f"stated, {each.confidence:.0%} likely"
            yield _fact(scope, each, [turn], why, how="judged")
    for each, evidence in _repeated(turns, finder):
        if each.text not in said:
            said.add(each.text)
            why = f"said in {len(evidence)} sessions"
            yield _fact(scope, each, evidence, why, how="repeated")
    yield from propose_links(scope, DistilStep.name, some)


def _concluded(run: StepContext, turns: Sequence[Memory], reasoner: Reasoner) -> Iterator[Proposal]:
    """Yield a fact, with its relations, for each conclusion of an LLM from the turns of one prompt."""
    scope, known = run.memories, {turn.id: turn for turn in turns}
    found: list[tuple[Conclusion, Sequence[Memory]]] = []
    for each in reasoner.distil(turns):
        evidence = [known[cited] for cited in each.cites if cited in known]
        if each.confidence <= SURE_CONFIDENCE:
            reason = f"its confidence {each.confidence:g} is not above {SURE_CONFIDENCE:g}"
            run.report.set_aside.append(SetAside(DistilStep.name, each.text, reason))
        elif evidence:
            found.append((each, evidence))
    for fact, told_by in found:
        told = Statement(fact.text, fact.kind, fact.confidence)
        yield _fact(scope, told, told_by, "concluded", how="concluded")
    yield from propose_links(scope, DistilStep.name, (), found)


def _orphans(scope: Scope) -> Iterator[Proposal]:
    """Yield an end for each distilled fact that its evidence no longer supports after an erasure."""
    for memory in scope.store.select(scope.within(sources=("inferred",)), order="oldest"):
        cites = cited_ids(memory)
        if not (cites and is_through(memory.origin, ORIGIN)):
            continue
        left = scope.store.get(cites)
        if len(left) < len(cites) and not _borne(memory, left):
            yield propose_end(DistilStep.name, [memory], "unsupported", "its evidence was erased")


def _borne(fact: Memory, left: Sequence[Memory]) -> bool:
    """True if these memories alone support a fact, judged as when it was distilled."""
    from memcli.llm.contracts import Complaint
    from memcli.llm.grounding import check_grounded
    from memcli.llm.prompts import prompt_source

    if not left:
        return False
    if any(each.text == fact.text for memory in left for each in statements(memory.text)):
        return True
    if fact.data.get("how") == "judged" and any(fact.text in sentences(memory.text) for memory in left):
        return True
    if fact.data.get("how") == "repeated":
        return len({memory.session for memory in left}) >= SESSIONS
    try:
        check_grounded(fact.text, [prompt_source(memory) for memory in left])
    except Complaint:
        return False
    return True


def is_said_by_owner(memory: Memory) -> bool:
    """True if the owner speaks: others speak of themselves in the first person, too."""
    return memory.kind == "episode" and speaker_of(memory) == "user"


def _repeated(turns: Sequence[Memory], finder: PairFinder) -> Iterator[tuple[Statement, list[Memory]]]:
    """Yield what a turn says of its speaker, if turns of other sessions say the same."""
    telling = {turn.id: own_sentences("\n".join(sentences_of_writer(turn.text))) for turn in turns}
    pairs = finder.pairs([t for t in turns if t.session and telling[t.id]], ("episode",), _CLOSE, _MOST)
    evidence: dict[tuple[str, str], dict[str, Memory]] = {}
    for older, newer, cosine in pairs:
        if not (
            is_said_by_owner(older) and older.session != newer.session and older.trusted == newer.trusted
        ):
            continue
        for sentence in telling.get(newer.id, ()):
            if any(
                compare_texts(sentence, other, cosine).verdict == "same"
                for other in own_sentences("\n".join(sentences_of_writer(older.text)))
            ):
                found = evidence.setdefault((newer.id, sentence), {newer.session or "": newer})
                found.setdefault(older.session or "", older)
    for (_, sentence), by_session in evidence.items():
        if len(by_session) >= SESSIONS and lasts(sentence):
            yield Statement(sentence, likeliest_kind(sentence), _SAID_OFTEN), list(by_session.values())


def _fact(
    scope: Scope, said: Statement, evidence: Sequence[Memory], why: str, *, how: str = "stated"
) -> Proposal:
    kind: Kind = said.kind if said.kind != "episode" else "fact"
    last = max(evidence, key=lambda each: (each.happened_at, each.id))
    draft = Draft(
        text=said.text, kind=kind, confidence=said.confidence, source="inferred", origin=ORIGIN,
        trusted=all(each.trusted for each in evidence), happened_at=last.happened_at,
        data={
            CITES: [each.id for each in evidence],
            "how": how,
            TOLD_AT: times.to_iso(max(each.created_at for each in evidence)),
        },
    )  # fmt: skip
    return proposal(DistilStep.name, "keep", evidence, why, memory=_record(scope, draft))


def _record(scope: Scope, draft: Draft) -> dict[str, Any]:
    now: datetime = scope.now()
    memory = draft.to_memory(scope.new_id(now), now, scope.config["max_text"], scope.space)
    return memory.to_record()


STEP = DistilStep()
