"""Carrying out proposals: each is executed unless what it rests on has changed since."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

from memcli import times
from memcli.changes import revision
from memcli.changes.open_questions import put_question
from memcli.changes.space_history import erasure_marks
from memcli.consolidation.comparison_cache import ComparisonCache
from memcli.consolidation.folds import fold_session, planned_summariser
from memcli.consolidation.mergeable import are_mergeable
from memcli.consolidation.proposals import ORIGIN, Proposal, ProposalAction
from memcli.consolidation.report import ProposalOutcome, ProposalStatus
from memcli.consolidation.retention import may_purge
from memcli.errors import BadInput, Refused
from memcli.graph import proposed_links
from memcli.graph.links import resting_on_others
from memcli.graph.walk import was_retracted
from memcli.memories import Memories
from memcli.memory_data import UPDATED_BY, updates_noted
from memcli.model import Memory, as_ended, memory_from_record
from memcli.named_tuple import NamedTuple
from memcli.recall.closed_questions import ClosedQuestions
from memcli.scope import Scope
from memcli.storage.batches import in_batches
from memcli.tiers.sessions.episodes import read_session
from memcli.tiers.sessions.extracts import Summariser, extractive_summary
from memcli.write_policy.admission import Admission, PreparedWrite
from memcli.write_policy.rules.unwanted import REJECTED

# How many proposals one transaction executes: a few hundredths of a second.
_AT_ONCE = 8
# How many new memories are embedded and compared at once with the store: some seconds at most.
_PREPARED_AT_ONCE = 32
# How many memories of one merge are ended per transaction, which then does nothing else.
_MERGED_AT_ONCE = 64


class _NewMemory(NamedTuple):
    """A memory to be kept, and its prepared write: examined, embedded and compared already."""

    memory: Memory
    prepared: PreparedWrite


@dataclass
class _Work:
    """The state shared by the proposals that are carried out one after another."""

    memories: Memories
    cache: ComparisonCache
    summarise: Summariser
    new: dict[str, _NewMemory] = field(default_factory=dict)
    """The prepared memories to be kept, by id."""
    doomed: list[Memory] = field(default_factory=list)
    """Memories to be erased at the end of the transaction."""

    @cached_property
    def closed(self) -> ClosedQuestions:
        """The closed questions, read once for all proposals."""
        return ClosedQuestions(self.memories.store, (self.memories.space,))


class _Rule(NamedTuple):
    """The way to carry out an action, if the memories it rests on are unchanged since it was proposed."""

    do: Callable[[_Work, Proposal, Sequence[Memory]], ProposalOutcome]
    void: Callable[[Memory], bool]
    """Returns True for a memory because of which the proposal is void, such as one that has ended."""
    prepare: Callable[[_Work, Sequence[Proposal]], None] | None = None
    """Does the slow part for several proposals before their transactions; each then has one to itself."""
    last: bool = False
    """True if it is executed after the others of its transaction."""
    apart: Callable[[Proposal], bool] = lambda asked: False
    """Returns True if it opens transactions of its own, after that of the others."""


def carry_out(
    memories: Memories,
    proposals: Sequence[Proposal],
    cache: ComparisonCache,
    *,
    note: Callable[[], None] | None = None,
    summarise: Summariser = extractive_summary,
    over: Callable[[], bool] = lambda: False,
) -> Iterator[ProposalOutcome]:
    """Carry out proposals, a few in each short transaction, `note` with the last; yield the outcomes.

    Lazy. If a limit is reached in between, the rest is not done, and `note` is not called.
    """
    parts = list(_parts(proposals)) or ([_Part([])] if note else [])
    work = _Work(memories, cache, summarise)
    for number, part in enumerate(parts, start=1):
        if number > 1 and over():
            return
        for each in part.ahead[:1]:
            if prepare := _RULES[each.action].prepare:
                prepare(work, part.ahead)
        yield from _at_once(work, part.within, note if note and number == len(parts) else _nothing)


class _Part(NamedTuple):
    """The proposals of one transaction, and those prepared before it: these and the following ones."""

    within: Sequence[Proposal]
    ahead: Sequence[Proposal] = ()


def _parts(proposals: Sequence[Proposal]) -> Iterator[_Part]:
    for action, some in groupby(proposals, lambda each: _RULES[each.action].prepare and each.action):
        if action is None:
            yield from map(_Part, in_batches(some, _AT_ONCE))
            continue
        for batch in in_batches(some, _PREPARED_AT_ONCE):
            yield from (_Part([each], () if number else batch) for number, each in enumerate(batch))


def _at_once(work: _Work, part: Sequence[Proposal], note: Callable[[], None]) -> list[ProposalOutcome]:
    """Carry out proposals in one short transaction, together with `note`."""
    within = [each for each in part if not _RULES[each.action].apart(each)]
    within.sort(key=lambda each: _RULES[each.action].last)
    apart = [each for each in part if _RULES[each.action].apart(each)]
    with work.memories.store.writing():
        outcomes = [_one(work, each) for each in within]
        _erase(work.memories, work.doomed)
        if not apart:
            note()
    work.doomed.clear()
    outcomes += [_one(work, each) for each in apart]
    if apart:
        note()
    return outcomes


def _nothing() -> None:
    """The default note: record nothing."""


def _one(work: _Work, asked: Proposal) -> ProposalOutcome:
    here = work.memories.store.get(asked.memories)
    rule = _RULES[asked.action]
    if stale := _stale(work.memories, asked, here):
        return ProposalOutcome(asked, ProposalStatus.STALE, stale)
    if any(rule.void(each) for each in here):
        return ProposalOutcome(asked, ProposalStatus.STALE, "ended already")
    return rule.do(work, asked, here)


def _stale(scope: Scope, asked: Proposal, here: Sequence[Memory]) -> str:
    """Return why a proposal no longer holds: what it rests on is gone, moved or changed; empty if it does."""
    if len(here) < len(asked.memories) or any(each.space != scope.space for each in here):
        return "gone since"
    for each in here:
        if times.to_iso(each.updated_at) != asked.seen.get(each.id) and not _by_this_run(scope, each):
            return f"{each.id} was changed since"
    return ""


def _by_this_run(scope: Scope, memory: Memory) -> bool:
    """True if the memory's last change belongs to this run, made by an earlier step."""
    last = next(scope.store.history(memory.id, newest_first=True), None)
    return last is not None and last.change is not None and last.change == scope.shared_change


def _ended(memory: Memory) -> bool:
    return memory.ended_at is not None


def _never(memory: Memory) -> bool:
    return False


def _end(work: _Work, asked: Proposal, here: Sequence[Memory]) -> ProposalOutcome:
    scope, now = work.memories, work.memories.now()
    # The recorded reason quotes no memory, because history outlives memories.
    end = asked.end
    why = end.get("reason", asked.why)
    ended = [as_ended(each, now, end["ended_as"], why, end.get("replaced_by")) for each in here]
    scope.store.put(ended, scope.change("end", why), now)
    return ProposalOutcome(asked, ProposalStatus.DONE)


def _merge(work: _Work, asked: Proposal, here: Sequence[Memory]) -> ProposalOutcome:
    scope = work.memories
    if len(here) < 2 or not are_mergeable(here):
        return ProposalOutcome(asked, ProposalStatus.REFUSED, "not the same")
    new = replace(revision.merged_memory(scope, here), origin=scope.signed(ORIGIN))
    # The text is that of one of them, so its vectors can be reused.
    alike = sorted(here, key=lambda each: each.id != new.supersedes)[:_AT_ONCE]
    refs = scope.store.refs_by_id([each.id for each in alike if each.text == new.text])
    windows = next(iter(scope.store.vectors(list(refs.values())).values()), None)
    change = scope.change("merge", asked.why)
    # If the run is killed in between, the rest stays in force and the next run merges it into the new one.
    for number, some in enumerate(in_batches(here, _MERGED_AT_ONCE)):
        with scope.store.writing():
            if not number:
                scope.store.put([new], change, new.created_at, {new.id: windows} if windows else {})
            ended = [each for each in scope.store.get([each.id for each in some]) if not each.ended_at]
            scope.store.put([revision.ended_by_merge(each, new) for each in ended], change, new.created_at)
    return ProposalOutcome(asked, ProposalStatus.DONE, made=new.id)


def _relate(work: _Work, asked: Proposal, here: Sequence[Memory]) -> ProposalOutcome:
    [older] = here
    notes = {**updates_noted(older), **asked.relate["updated_by"]}
    scope, now = work.memories, work.memories.now()
    after = replace(older, data={**older.data, UPDATED_BY: notes}, updated_at=now)
    scope.store.put([after], scope.change("relate", "updated since"), now)
    return ProposalOutcome(asked, ProposalStatus.DONE)


def _examine(work: _Work, some: Sequence[Proposal]) -> None:
    """Do the slow part of keeping memories: examine, embed, and compare them with what is known."""
    new: dict[str, Memory] = {}
    for each in (_signed(work.memories, asked) for asked in some):
        # A plan edited by hand may contain a memory twice: the first counts.
        if each.id not in new and not work.cache.kept_before(each):
            new[each.id] = each
    admission = Admission(work.memories, work.memories.model, related=work.cache.related, action="keep")
    prepared = admission.prepare(list(new.values()))
    work.new = {name: _NewMemory(each, prepared) for name, each in new.items()}


def _signed(scope: Scope, asked: Proposal) -> Memory:
    """Return the memory that a proposal would keep.

    Whatever a plan says, it belongs to this space, has consolidation as its origin, and is no more trusted
    than its evidence.
    """
    new = memory_from_record(dict(asked.keep["memory"]))
    trusted = new.trusted and all(each.trusted for each in scope.store.get(asked.memories))
    return replace(new, trusted=trusted, space=scope.space, origin=scope.signed(ORIGIN))


def _keep(work: _Work, asked: Proposal, here: Sequence[Memory]) -> ProposalOutcome:
    new = work.new.get(asked.keep["memory"]["id"])
    if new is None or work.cache.kept_before(new.memory):
        # Kept already by a run that was interrupted.
        return ProposalOutcome(asked, ProposalStatus.KNOWN, _ASKED_ALREADY)
    [decision] = new.prepared.write([new.memory.id])
    if decision.action == "hold":
        return ProposalOutcome(asked, ProposalStatus.HELD, f"held for review: {decision.reason}")
    if decision.rule == REJECTED:
        return ProposalOutcome(asked, ProposalStatus.KNOWN, decision.reason)
    if decision.action == "refuse":
        return ProposalOutcome(asked, ProposalStatus.REFUSED, decision.reason)
    work.cache.note_kept(new.memory)
    return ProposalOutcome(asked, ProposalStatus.DONE, made=decision.memory.id)


def _ask(work: _Work, asked: Proposal, here: Sequence[Memory]) -> ProposalOutcome:
    question = asked.ask.get("question", "")
    if put_question(work.memories, [each.id for each in here], question, work.closed):
        return ProposalOutcome(asked, ProposalStatus.DONE)
    return ProposalOutcome(asked, ProposalStatus.KNOWN, _ASKED_ALREADY)


def _link(work: _Work, asked: Proposal, here: Sequence[Memory]) -> ProposalOutcome:
    if proposed_links.is_full(work.memories):
        return ProposalOutcome(asked, ProposalStatus.PUT_OFF, "put off")
    try:
        made = proposed_links.submit_link(work.memories, asked.link["link"], here)
    except (Refused, BadInput) as error:
        return ProposalOutcome(asked, ProposalStatus.REFUSED, str(error))
    if made is None:
        return ProposalOutcome(asked, ProposalStatus.KNOWN, _ASKED_ALREADY)
    return ProposalOutcome(asked, ProposalStatus.DONE, made=made)


def _purge(work: _Work, asked: Proposal, here: Sequence[Memory]) -> ProposalOutcome:
    if not all(may_purge(work.memories, memory) for memory in here):
        return ProposalOutcome(asked, ProposalStatus.REFUSED, "not past its grace")
    work.doomed += here
    return ProposalOutcome(asked, ProposalStatus.DONE)


def _erase(scope: Scope, doomed: Sequence[Memory]) -> None:
    """Erase the memories in one call, so that the search for remains is made once."""
    if doomed:
        kept = resting_on_others(scope.store.links(), {each.id for each in doomed})
        scope.store.put_links(kept)
        change = scope.change("purge", "past its grace")
        scope.store.erase([each.id for each in doomed], change, scope.now(), erasure_marks(scope, doomed))


def _fold(work: _Work, asked: Proposal, here: Sequence[Memory]) -> ProposalOutcome:
    fold, summarise = asked.fold, work.summarise
    session = fold["session"]
    if {turn.id for turn in read_session(work.memories, session).unfolded} - set(asked.memories):
        return ProposalOutcome(asked, ProposalStatus.STALE, f"session {session} went on since")
    if "summaries" in fold:
        summarise = planned_summariser(fold["summaries"])
    try:
        folded = fold_session(work.memories, session, summarise)
    except BadInput as error:
        return ProposalOutcome(asked, ProposalStatus.REFUSED, str(error))
    return (
        ProposalOutcome(asked, ProposalStatus.DONE)
        if folded
        else ProposalOutcome(asked, ProposalStatus.STALE, "folded already")
    )


_ASKED_ALREADY = "asked already"
_RULES: Mapping[ProposalAction, _Rule] = {
    "end": _Rule(_end, void=_ended),
    "merge": _Rule(_merge, void=_ended, apart=lambda asked: len(asked.memories) > _MERGED_AT_ONCE),
    "relate": _Rule(_relate, void=_ended),
    "ask": _Rule(_ask, void=_ended),
    # A turn that has expired is still evidence; one that was retracted is not.
    "link": _Rule(_link, void=was_retracted),
    "keep": _Rule(_keep, void=was_retracted, prepare=_examine),
    "purge": _Rule(_purge, void=_never, last=True),
    "fold": _Rule(_fold, void=_never, apart=lambda asked: True),
}
