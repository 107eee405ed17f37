"""Contradict step: end, annotate or ask about memories that a newer one contradicts.

- Certain: judged almost surely to give the same thing a new value, and to tell of
  a change ("the meeting was moved to Wednesday"), as sure and as trusted as the
  older one, which says nothing else that no other memory says. The older one is ended.
- A value in a longer text ("the deadline was moved to May 5"): the older text
  stays true in all else it says, so it is only annotated with the update;
  ranking puts the newer one first where just that is asked.
- Everything else that may contradict becomes a question to the owner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence

from memcli.consolidation.news import brought_back
from memcli.consolidation.pairs import Pair, PairFinder
from memcli.consolidation.portions import portions_of_news
from memcli.consolidation.proposals import Proposal, proposal, propose_end
from memcli.consolidation.reasoner import Reasoner, ReasonerFailure
from memcli.consolidation.step import Portion, Step, StepContext
from memcli.judgement.losses import loses_by_ending
from memcli.judgement.notes import told_change
from memcli.judgement.pairs import judge_pair, told_update
from memcli.judgement.referents import Near, likely_updated
from memcli.judgement.thresholds import threshold
from memcli.memory_data import updates_noted
from memcli.model import KNOWLEDGE, Ending, Memory, is_statement, speaker_of
from memcli.recall.closed_questions import ClosedQuestions
from memcli.scope import Scope
from memcli.text.comparison.duplicates import compare_texts
from memcli.text.numbers.figures import FAR, value_updates
from memcli.text.semantics.senses import tells_deed
from memcli.tiers.sessions.episodes import turn_role

CONTRADICTING_KINDS = (*KNOWLEDGE, "episode", "procedure")
# How many others are compared with each new memory.
_MOST = 64
# How many of these, if statements, are compared word by word, as when a memory is written.
_COMPARED = 5
# The most update notes on one memory; the surest stay.
_NOTES = 8
# The least strength at which an update is noted.
_SURE = 1.2
# The least difference of confidence that decides.
_CLEARLY = 0.2
# Roles of turns that record what was done, or sum it up: they state nothing about the world.
_NO_STATEMENT = ("assistant", "system", "tool", "summary", "error", "decision")


class ContradictStep(Step):
    """Finds contradictions; if an LLM judges an uncertain one to be an update, the older is ended, too."""

    name = "contradict"
    does = "ends or notes what a newer memory says otherwise, where that is certain, and asks where it is not"
    actions = ("end", "relate", "ask")

    def propose(self, run: StepContext) -> Iterator[Portion]:
        """Yield an end, a note or a question for each pair that disagrees."""
        ended: set[str] = set()
        return portions_of_news(run, self, lambda some: self._look(run, some, ended))

    def _look(self, run: StepContext, some: Sequence[Memory], ended: set[str]) -> list[Proposal]:
        """Return the proposals about some memories; those that are to be ended are added to `ended`."""
        before = frozenset(ended)
        try:
            return list(_disagreements(run.memories, some, run.pairs, run.reasoner, ended))
        except ReasonerFailure as error:
            run.report.skip(self.name, error)
            ended.intersection_update(before)
            return list(_disagreements(run.memories, some, run.pairs, None, ended))


def _disagreements(
    scope: Scope,
    some: Sequence[Memory],
    finder: PairFinder,
    reasoner: Reasoner | None,
    ended: set[str],
) -> Iterator[Proposal]:
    """Yield proposals about disagreeing pairs, newest first, then most confident first."""
    stating = [memory for memory in some if memory.kind in CONTRADICTING_KINDS and _states(memory)]
    closed = ClosedQuestions(scope.store, (scope.space,))
    pairs = [
        pair
        for pair in finder.pairs(stating, CONTRADICTING_KINDS, FAR, _MOST, once=True)
        if _comparable(pair) and not closed.holds(pair.older.id, pair.newer.id)
    ]
    settled: set[str] = set()
    nearest = [*_nearest_knowledge(pairs, {memory.id for memory in stating})]
    updated = _likely_updated(nearest, pairs, finder)
    for pair in sorted(nearest, key=_newest_first, reverse=True):
        if pair.older.id in settled or pair.newer.id in settled:
            continue
        found = _of_knowledge(scope, pair, updated[_ids(pair)], finder, reasoner, ended)
        if found and found.action == "end":
            settled.update(found.memories[:1])
            ended.update(found.memories[:1])
        if found:
            yield found
    left = [pair for pair in pairs if not settled & {pair.older.id, pair.newer.id}]
    yield from _notes(scope, left, finder)


def _newest_first(pair: Pair) -> tuple[object, ...]:
    return pair.newer.happened_at, pair.newer.confidence, pair.newer.id, pair.older.id


def _states(memory: Memory) -> bool:
    return turn_role(memory) not in _NO_STATEMENT if memory.kind == "episode" else True


def _comparable(pair: Pair) -> bool:
    older, newer = pair.older, pair.newer
    # An untrusted memory never weakens a trusted one.
    if older.trusted and not newer.trusted:
        return False
    return _states(older) and _states(newer) and older.happened_at <= newer.happened_at


def _nearest_knowledge(pairs: Sequence[Pair], looked_at: Container[str]) -> Iterator[Pair]:
    """Yield, for each memory looked at, the pairs with its nearest statements: comparing words is slow."""
    seen = Counter[str]()
    for pair in sorted(pairs, key=lambda each: -each.cosine):
        if is_statement(pair.older) and is_statement(pair.newer):
            one = pair.newer.id if pair.newer.id in looked_at else pair.older.id
            seen[one] += 1
            if seen[one] <= _COMPARED:
                yield pair


def _ids(pair: Pair) -> tuple[str, str]:
    return pair.newer.id, pair.older.id


def _likely_updated(
    nearest: Sequence[Pair], pairs: Sequence[Pair], finder: PairFinder
) -> dict[tuple[str, str], float]:
    """Return, by ids of a pair, the probability that the newer updates the older, given all near ones."""
    looked_at = {_ids(pair) for pair in nearest}
    judged = {
        _ids(pair): judge_pair(pair.newer.text, pair.older.text, pair.cosine if finder.is_judged else None)
        for pair in nearest
    }
    if not finder.is_judged:
        return {ids: each.update for ids, each in judged.items()}
    beside: dict[str, list[Pair]] = {}
    for pair in sorted(pairs, key=lambda each: -each.cosine):
        # A turn from which a statement was taken is near it, but does not compete with what it updates.
        if is_statement(pair.older) and is_statement(pair.newer):
            beside.setdefault(pair.newer.id, []).append(pair)
    found: dict[tuple[str, str], float] = {}
    for near in beside.values():
        asked = [pair for pair in near if _ids(pair) in looked_at]
        left = max((pair.cosine for pair in near if _ids(pair) not in looked_at), default=None)
        likely = likely_updated(
            [Near(judged[_ids(pair)], pair.cosine, _is_changed(pair)) for pair in asked], left
        )
        found.update(zip(map(_ids, asked), likely, strict=True))
    return found


def _is_changed(pair: Pair) -> bool:
    return compare_texts(pair.newer.text, pair.older.text, pair.cosine).verdict == "changed"


def _of_knowledge(
    scope: Scope,
    pair: Pair,
    update: float,
    finder: PairFinder,
    reasoner: Reasoner | None,
    ended: Container[str],
) -> Proposal | None:
    """Return the proposal about two near statements, given the probability `update`; None without one."""
    older, newer = pair.older, pair.newer
    if update < threshold(scope.config, "update"):
        return None
    if compare_texts(newer.text, older.text, pair.cosine).verdict == "same":
        return None
    objection = told_update(newer.text, older.text, update)
    why = None
    if update >= threshold(scope.config, "replaced") and _replaces(pair):
        why = f"updated by {newer.id}"
    elif reasoner and reasoner.judge(older, newer) == "updates":
        why = f"updated by {newer.id}, as judged"
    if why and not (brought_back(scope, older) or _loses(pair, finder, ended)):
        return _updated(older, newer, objection, why)
    if scope.config["keep_confident"]:
        less, more = sorted((older, newer), key=lambda each: each.confidence)
        weighs = more.confidence - less.confidence >= _CLEARLY and more.trusted >= less.trusted
        if weighs and not brought_back(scope, less):
            return _ended(less, objection, f"less sure than {more.id}", "outweighed")
    return proposal(
        ContradictStep.name, "ask", [older, newer], f"may contradict ({objection})", question="contradiction"
    )


def _updated(older: Memory, newer: Memory, objection: str, reason: str) -> Proposal:
    return _ended(older, objection, reason, "updated", replaced_by=newer.id)


def _ended(one: Memory, objection: str, reason: str, how: Ending, replaced_by: str | None = None) -> Proposal:
    why = f"{reason} ({objection})"
    return propose_end(ContradictStep.name, [one], how, why, reason=reason, replaced_by=replaced_by)


def _replaces(pair: Pair) -> bool:
    """True if the newer is later, tells of a change, and is as confident and well-founded as the older."""
    older, newer = pair.older, pair.newer
    return (
        newer.happened_at > older.happened_at
        and newer.confidence >= older.confidence
        and not (older.source == "explicit" and newer.source in ("inferred", "learned"))
        and told_change(newer) > 0
        # Who paid invoice 101 and then 102 paid both, however alike the two are.
        and not (tells_deed(newer.text) and tells_deed(older.text))
    )


def _loses(pair: Pair, finder: PairFinder, ended: Container[str]) -> bool:
    """True if ending the older one would lose something that no other memory in force says.

    Memories that are to be `ended` do not count, nor does an untrusted one for a trusted one.
    """
    older, newer = pair.older, pair.newer
    if not loses_by_ending(older.text, newer.text):
        return False
    near = finder.pairs([older], KNOWLEDGE, FAR, _MOST)
    others = (each.newer if each.older.id == older.id else each.older for each in near)
    staying = [
        each.text
        for each in others
        if each.id != newer.id
        and each.id not in ended
        and not (each.ended_at or each.expires_at or each.valid_until)
        and (each.trusted or not older.trusted)
    ]
    return loses_by_ending(older.text, newer.text, staying)


def _notes(scope: Scope, pairs: Sequence[Pair], finder: PairFinder) -> Iterator[Proposal]:
    """Yield one proposal for each older memory: which later ones updated a value in it."""
    found: dict[str, list[tuple[float, Pair, list[dict[str, object]]]]] = {}
    shown: dict[tuple[str, str], str] = {}
    for pair in pairs:
        if _speaker(pair.older) != _speaker(pair.newer):
            continue
        statements = pair.older.kind in KNOWLEDGE or pair.newer.kind in KNOWLEDGE
        found_here = value_updates(pair.newer.text, pair.older.text, pair.cosine, statements=statements)
        some = [each for each in found_here if each.strength >= _SURE]
        if some and _may_update(scope, pair, finder):
            notes: list[dict[str, object]] = [{"sort": each.sort, "about": list(each.about)} for each in some]
            shown[pair.older.id, pair.newer.id] = some[0].words
            found.setdefault(pair.older.id, []).append((max(each.strength for each in some), pair, notes))
    for several in found.values():
        best = sorted(several, key=lambda each: (-each[0], each[1].newer.id))[:_NOTES]
        older = best[0][1].older
        new = {pair.newer.id: notes for _, pair, notes in best}
        if new.items() <= updates_noted(older).items():
            continue
        changes = ", ".join(shown[older.id, newer] for newer in new)
        yield proposal(
            ContradictStep.name, "relate", [older], f"updated since: {changes:.120}", updated_by=new
        )


def _may_update(scope: Scope, pair: Pair, finder: PairFinder) -> bool:
    """True if a judge lets one statement update another; turns, which it cannot judge, may."""
    if not (is_statement(pair.older) and is_statement(pair.newer)):
        return True
    judged = judge_pair(pair.newer.text, pair.older.text, pair.cosine if finder.is_judged else None)
    return judged.update >= threshold(scope.config, "update")


def _speaker(memory: Memory) -> str:
    role = speaker_of(memory) if memory.kind == "episode" else ""
    return role if role not in ("user", "note") else ""


STEP = ContradictStep()
