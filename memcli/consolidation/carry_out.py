"""Carrying proposals out: what has changed since they were made is left alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from memcli import times
from memcli.changes import changing as changes
from memcli.changes.forgetting.erase import rest_on_others
from memcli.changes.visible import marks
from memcli.consolidation.proposals import ORIGIN, Proposal
from memcli.consolidation.questions import ask
from memcli.consolidation.steps.fold import as_planned, fold_session
from memcli.consolidation.steps.merge import mergeable
from memcli.consolidation.steps.prune import may_purge
from memcli.errors import BadInput, Refused
from memcli.graph import proposed as proposed_links
from memcli.graph.walk import taken_back
from memcli.memories import Memories
from memcli.model import Memory, memory_from_record
from memcli.scope import Scope
from memcli.tiers.sessions.episodes import read
from memcli.tiers.sessions.extracts import Summariser, extract
from memcli.write_policy.decision import Decision
from memcli.write_policy.related import Batch

# Why nothing was kept or put to the owner: it was before; or so much waits that it must wait itself.
KNOWN, PUT_OFF = "asked already", "put off"
# Begins the note of what the policy holds until the owner has looked at it: done as far as it can be.
HELD = "held for review: "
# A run that was cut short is gone on with by then.
_CUT_SHORT = timedelta(days=7)


class Outcome(NamedTuple):
    """What became of a proposal: done, or why not; the memory that it made, if any."""

    proposal: Proposal
    done: bool
    note: str = ""
    made: str | None = None


class Known:
    """What new facts are compared with, read once a run; nothing of it inside a transaction."""

    def __init__(self, scope: Scope, now: datetime) -> None:
        self.near = Batch(scope.store, now)
        self._scope = scope
        self._kept: set[tuple[str, tuple[str, ...]]] | None = None

    def kept_before(self, new: Memory) -> bool:
        """Whether the same was distilled from the same evidence: saying it once more confirms nothing."""
        if self._kept is None:
            since = self._scope.now() - _CUT_SHORT
            lately = self._scope.within(sources=("inferred",), created_since=since, live=False)
            self._kept = {_said(each) for each in self._scope.store.select(lately) if each.origin == ORIGIN}
        return _said(new) in self._kept

    def note_kept(self, new: Memory) -> None:
        """Say that it was kept by now."""
        if self._kept is not None:
            self._kept.add(_said(new))


def _said(memory: Memory) -> tuple[str, tuple[str, ...]]:
    cites = memory.data.get("cites")
    return memory.text, tuple(map(str, cites)) if isinstance(cites, list) else ()


def carry_out(
    memories: Memories,
    proposals: Sequence[Proposal],
    known: Known,
    then: Callable[[], None] = lambda: None,
    summarise: Summariser = extract,
) -> list[Outcome]:
    """Carry out proposals in one short transaction, with what is to be noted `then`.

    Slow work comes first: a new memory is examined, embedded and compared with
    what is `known`; so it stands alone. A fold has transactions of its own.
    """
    outcomes = []
    new = {
        number: _new(memories, each, known) for number, each in enumerate(proposals) if each.action == "keep"
    }
    folds = [each for each in proposals if each.action == "fold"]
    with memories.store.writing():
        for number, each in enumerate(proposals):
            if each.action not in ("fold", "purge"):
                outcomes.append(_one(memories, each, new.get(number)))
        outcomes += _purge(memories, [each for each in proposals if each.action == "purge"])
        if not folds:
            then()
    outcomes += [_fold(memories, each, summarise) for each in folds]
    if folds:
        then()
    return outcomes


class _New(NamedTuple):
    """A memory that is to be kept, examined: what writes it, or None where it was kept before."""

    write: Callable[[], list[Decision]] | None
    noted: Callable[[], None]


def _new(memories: Memories, asked: Proposal, known: Known) -> _New:
    new = memory_from_record(dict(asked.data["memory"]))
    # Whatever a plan says, it belongs here, signs as consolidation, and is no more trusted than its evidence.
    trusted = new.trusted and all(each.trusted for each in memories.store.get(asked.memories))
    new = replace(new, trusted=trusted, space=memories.space, origin=ORIGIN)
    if known.kept_before(new):
        return _New(None, lambda: None)
    return _New(memories.examined([new], known=known.near, action="keep"), lambda: known.note_kept(new))


def _one(memories: Memories, asked: Proposal, new: _New | None) -> Outcome:
    here = memories.store.get(asked.memories)
    if stale := _stale(memories, asked, here):
        return Outcome(asked, False, stale)
    # What was said stays said when a turn's life is over; what was taken back does not.
    over = taken_back if asked.action in ("keep", "link") else _ended
    if any(over(each) for each in here):
        return Outcome(asked, False, "ended already")
    return _ACTIONS[asked.action](memories, asked, here) if new is None else _keep(asked, new)


def _ended(memory: Memory) -> bool:
    return memory.ended_at is not None


def _purge(scope: Scope, asked: Sequence[Proposal]) -> list[Outcome]:
    """All at once: whatever looks for traces of them looks once."""
    outcomes, doomed = [], []
    for each in asked:
        here = scope.store.get(each.memories)
        note = _stale(scope, each, here)
        if not note and not all(may_purge(scope, memory) for memory in here):
            note = "not past its grace"
        outcomes.append(Outcome(each, not note, note))
        doomed += [] if note else here
    if doomed:
        rest_on_others(scope, {each.id for each in doomed})
        change = scope.change("purge", "past its grace")
        scope.store.erase([each.id for each in doomed], change, scope.now(), marks(scope, doomed))
    return outcomes


def _stale(scope: Scope, asked: Proposal, here: Sequence[Memory]) -> str:
    """Why a proposal no longer holds: what it rests on is gone, elsewhere, or was changed since."""
    if len(here) < len(asked.memories) or any(each.space != scope.space for each in here):
        return "gone since"
    for each in here:
        if times.to_text(each.updated_at) != asked.seen.get(each.id) and not _by_this_run(scope, each):
            return f"{each.id} was changed since"
    return ""


def _by_this_run(scope: Scope, memory: Memory) -> bool:
    """Whether the last change of a memory belongs to the change at hand: an earlier step's."""
    last = next(scope.store.history(memory.id, newest_first=True), None)
    return last is not None and last.change == scope.change("").id


def _fold(memories: Memories, asked: Proposal, summarise: Summariser) -> Outcome:
    here = memories.store.get(asked.memories)
    if stale := _stale(memories, asked, here):
        return Outcome(asked, False, stale)
    session = str(asked.data.get("session"))
    if {turn.id for turn in read(memories, session).unfolded} - set(asked.memories):
        return Outcome(asked, False, f"session {session} went on since")
    if "summaries" in asked.data:
        summarise = as_planned(asked.data["summaries"])
    try:
        folded = fold_session(memories, session, summarise)
    except BadInput as error:
        return Outcome(asked, False, str(error))
    return Outcome(asked, folded > 0, "" if folded else "folded already")


def _end(scope: Scope, asked: Proposal, here: Sequence[Memory]) -> Outcome:
    now = scope.now()
    # What goes on record quotes no memory: the record outlives them.
    why = str(asked.data.get("reason", asked.why))
    ended = [replace(each, ended_at=now, ended_why=why, updated_at=now) for each in here]
    scope.store.put(ended, scope.change("end", why), now)
    return Outcome(asked, True)


def _merge(scope: Scope, asked: Proposal, here: Sequence[Memory]) -> Outcome:
    if len(here) < 2 or not mergeable(here):
        return Outcome(asked, False, "not the same")
    new = replace(changes.merged(scope, here), origin="consolidation")
    refs = scope.store.references([each.id for each in here if each.text == new.text])
    known = scope.store.vectors(list(refs.values()))
    change = scope.change("merge", asked.why)
    # The text is one of theirs, so is the vector.
    windows = next(iter(known.values()), None)
    carried = {new.id: windows} if windows else {}
    scope.store.put([new], change, new.created_at, carried)
    why = f"merged into {new.id}"
    ended = [
        replace(each, ended_at=new.created_at, ended_why=why, updated_at=new.created_at) for each in here
    ]
    scope.store.put(ended, change, new.created_at)
    return Outcome(asked, True, made=new.id)


def _relate(scope: Scope, asked: Proposal, here: Sequence[Memory]) -> Outcome:
    [older] = here
    known = older.data.get("updated_by")
    notes = {**(known if isinstance(known, dict) else {}), **asked.data["updated_by"]}
    now = scope.now()
    after = replace(older, data={**older.data, "updated_by": notes}, updated_at=now)
    scope.store.put([after], scope.change("relate", "updated since"), now)
    return Outcome(asked, True)


def _keep(asked: Proposal, new: _New) -> Outcome:
    if new.write is None:
        # By a run that was cut short.
        return Outcome(asked, False, KNOWN)
    [decision] = new.write()
    taken = decision.action in ("take", "reinforce")
    if taken:
        new.noted()
    if decision.action == "hold":
        return Outcome(asked, False, f"{HELD}{decision.reason}")
    return Outcome(asked, taken, "" if taken else decision.reason, decision.memory.id if taken else None)


def _ask(scope: Scope, asked: Proposal, here: Sequence[Memory]) -> Outcome:
    new = ask(scope, [each.id for each in here], str(asked.data.get("question", "")))
    return Outcome(asked, new, "" if new else KNOWN)


def _link(memories: Memories, asked: Proposal, here: Sequence[Memory]) -> Outcome:
    if proposed_links.full(memories):
        return Outcome(asked, False, PUT_OFF)
    try:
        made = proposed_links.propose(memories, asked.data["link"], here)
    except (Refused, BadInput) as error:
        return Outcome(asked, False, str(error))
    return Outcome(asked, made is not None, "" if made else KNOWN, made)


_ACTIONS = {"end": _end, "merge": _merge, "relate": _relate, "ask": _ask, "link": _link}
