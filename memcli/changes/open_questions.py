"""Open questions: pairs of memories that only the owner can decide on. `mem audit` shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memcli import times
from memcli.changes.values_before import note_change, replace_values
from memcli.doors import REVIEW, Deed
from memcli.errors import NotFound
from memcli.messages import Command, message
from memcli.model import Filter, Memory, judged_updates, new_state
from memcli.named_tuple import NamedTuple
from memcli.recall.closed_questions import ClosedQuestions, question_states
from memcli.scope import Scope
from memcli.storage import areas
from memcli.storage.batches import in_batches
from memcli.storage.ledger import StateName

# The most questions kept open, the newest: nobody answers more, and `mem audit` finds all contradictions.
MAX_QUESTIONS = 50
# How many doubted memories are read at once.
_READ_AT_ONCE = 512
# How many settled questions one transaction drops.
_DROPPED_AT_ONCE = 64


class OpenQuestion(NamedTuple):
    """Two memories in force, and what is asked about them: `contradiction` or `duplicate`."""

    asked: str
    older: Memory
    newer: Memory


def put_question(scope: Scope, ids: Sequence[str], asked: str, closed: ClosedQuestions | None = None) -> bool:
    """Record a question; return True if it is new. One that the owner has closed is not asked again.

    A caller that records many reads the `closed` ones once.
    """
    if (closed or ClosedQuestions(scope.store, (scope.space,))).holds(*ids):
        return False
    now = scope.now()
    value = {"asked": asked, "ids": list(ids), "change": scope.change_id()}
    return scope.store.put_state(
        new_state(scope.space, areas.QUESTION.name, _key(ids), value, now), expected_version=0
    )


def open_questions(scope: Scope) -> Iterator[OpenQuestion]:
    """Yield the questions whose two memories are both still in force, oldest first."""
    for state in question_states(scope.store, (scope.space,)):
        if not state.value.get("closed"):
            found = scope.store.get(state.value["ids"])
            pair = [each for each in found if each.ended_at is None and each.space == scope.space]
            if len(pair) == 2:
                yield OpenQuestion(state.value["asked"], pair[0], pair[1])


def unsettled_pairs(scope: Scope, some: Sequence[Memory]) -> list[OpenQuestion]:
    """Return the open questions, and the updates that judges suspected when one of `some` was written.

    The latter are found before consolidation asks about them. Newest first; both memories in force.
    """
    found = {_key((each.older.id, each.newer.id)): each for each in open_questions(scope)}
    closed = ClosedQuestions(scope.store, (scope.space,))
    doubted = [(older, newer) for newer in some for older in judged_updates(newer)]
    known: dict[str, Memory] = {}
    for ids in in_batches(dict.fromkeys(older for older, _ in doubted), _READ_AT_ONCE):
        known.update((each.id, each) for each in scope.store.get(ids))
    for one, newer in doubted:
        older = known.get(one)
        if (
            older
            and older.ended_at is None
            and older.space == newer.space
            and not closed.holds(one, newer.id)
        ):
            found.setdefault(_key((one, newer.id)), OpenQuestion("contradiction", older, newer))
    return sorted(found.values(), key=lambda each: (each.newer.happened_at, each.newer.id), reverse=True)


def close_question(scope: Scope, pair: Sequence[Memory]) -> None:
    """Record that both memories hold: neither they nor what they are merged into is asked about again.

    The pair may be one that no consolidation has asked about yet: see `unsettled_pairs`. For an answer that
    can be undone see `review_answers.close_waiting`. Raises NotFound if there is no such question, Refused
    for an untrusted origin.
    """
    scope.require(REVIEW, Deed.END, "closing a question")
    ids = [memory.id for memory in pair]
    for state in question_states(scope.store, (scope.space,), _key(ids)):
        now = scope.now()
        value = {"asked": state.value["asked"], "ids": state.value["ids"], "closed": times.to_iso(now)}
        scope.store.put_state(state.changed(value, now))
        return
    for one, other in (pair, pair[::-1]):
        if one.id in judged_updates(other):
            note_both_hold(scope, other, [one.id])
            return
    raise NotFound(
        f"no question about {' and '.join(ids)}",
        by_hand=message(Command("audit --check questions"), " shows them"),
    )


def note_both_hold(scope: Scope, memory: Memory, others: Iterable[str]) -> None:
    """Record that a memory and some others, by id, both hold: no question is asked about them from now on.

    Whether the writer may say so was checked when the memory was written (`write_policy.drafts`).
    """
    now = scope.now()
    for other in others:
        ids = [other, memory.id]
        value = {"asked": "contradiction", "ids": ids, "closed": times.to_iso(now)}
        for state in question_states(scope.store, (scope.space,), _key(ids)):
            if not state.value.get("closed"):
                value["asked"] = state.value["asked"]
                scope.store.put_state(state.changed(value, now))
            break
        else:
            state = new_state(scope.space, areas.QUESTION.name, _key(ids), value, now)
            scope.store.put_state(state, expected_version=0)


def drop_settled_questions(scope: Scope) -> int:
    """Drop the questions that nobody has to decide any more; return how many.

    A closed one is kept as long as both of its memories exist, ended or not.
    """
    store, asked = scope.store, question_states(scope.store, (scope.space,))
    # The memories are not read, only looked up: do they exist, and are they in force?
    refs = store.refs_by_id(list({memory: None for state in asked for memory in state.value["ids"]}))
    standing = store.filter_refs(list(refs.values()), Filter(spaces=(scope.space,)))
    needed = {True: set(refs.values()), False: standing}
    settled = [
        state.key
        for state in asked
        if not all(refs.get(each) in needed[bool(state.value.get("closed"))] for each in state.value["ids"])
    ]
    _note_settled_here(scope, {state.key: state.value["ids"] for state in asked}, settled)
    return _dropped(scope, settled)


def _note_settled_here(scope: Scope, asked: Mapping[str, Sequence[str]], settled: Sequence[str]) -> None:
    """Note the questions settled by this change ending a memory, so that undoing it opens them again.

    If somebody else has ended the memory, the question stays settled.
    """
    if not scope.shared_change:
        return
    change = scope.change("end")
    touched = {event.memory for event in scope.store.history(change=scope.shared_change)}
    names = [(scope.space, areas.QUESTION.name, key) for key in settled if not touched.isdisjoint(asked[key])]
    if names:
        now = scope.now()
        with scope.store.writing():
            note_change(scope, change, scope.space, now)
            replace_values(scope, change, (), names, now)


def put_off_questions(scope: Scope) -> list[tuple[str, str]]:
    """Keep the open questions about the newest, then most believed memories; return the dropped pairs."""
    ranked = sorted(
        open_questions(scope),
        key=lambda each: (each.newer.happened_at, each.newer.confidence),
        reverse=True,
    )
    pairs = [(each.older.id, each.newer.id) for each in ranked[MAX_QUESTIONS:]]
    _dropped(scope, [_key(pair) for pair in pairs])
    return pairs


def _dropped(scope: Scope, keys: Sequence[str]) -> int:
    for some in in_batches(keys, _DROPPED_AT_ONCE):
        with scope.store.writing():
            for key in some:
                scope.store.drop_state(scope.space, areas.QUESTION.name, key)
    return len(keys)


def question_name(scope: Scope, ids: Sequence[str]) -> StateName:
    """Return the name under which the question about two memories, by id, is stored."""
    return scope.space, areas.QUESTION.name, _key(ids)


def _key(ids: Sequence[str]) -> str:
    return "+".join(sorted(ids))
