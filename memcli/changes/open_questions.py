"""Open questions: pairs that only their owner can decide on. `mem audit` shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from memcli import times
from memcli.doors import REVIEW, Deed
from memcli.errors import NotFound
from memcli.memories import in_batches
from memcli.model import Filter, Memory, State, judged_updates
from memcli.scope import Scope
from memcli.storage import areas

# So many stand open at once, the newest: nobody answers more, and `mem audit` finds all contradictions.
MAX_QUESTIONS = 50
# Earlier versions of a memory that are looked at for a question closed before.
_BACK = 20
# Memories of which was doubted whether they hold that are read in one go.
_READ_AT_ONCE = 512
# Settled ones that one transaction drops.
_DROPPED_AT_ONCE = 64


class OpenQuestion(NamedTuple):
    """Two memories, both in force, and what is asked about them: `contradiction` or `duplicate`."""

    asked: str
    older: Memory
    newer: Memory


def put_question(scope: Scope, ids: Sequence[str], asked: str, closed: ClosedQuestions | None = None) -> bool:
    """Put a question; whether it is a new one. One that was closed by its owner is not put again.

    Who puts many reads those that are `closed` once.
    """
    if (closed or ClosedQuestions(scope)).holds(*ids):
        return False
    now = scope.now()
    value = {"asked": asked, "ids": list(ids), "change": scope.change_id()}
    return scope.store.put_state(
        State(scope.space, areas.QUESTION.name, _key(ids), value, 1, now, now, None), expected_version=0
    )


def open_questions(scope: Scope) -> Iterator[OpenQuestion]:
    """The questions both of whose memories are still in force, oldest first."""
    for state in _states(scope):
        if not state.value.get("closed"):
            found = scope.store.get(state.value["ids"])
            pair = [each for each in found if each.ended_at is None and each.space == scope.space]
            if len(pair) == 2:
                yield OpenQuestion(state.value["asked"], pair[0], pair[1])


def unsettled_pairs(scope: Scope, some: Sequence[Memory]) -> list[OpenQuestion]:
    """The open questions, and what a judge doubted when one of `some` was written, before any night asks.

    The newest first; both in force.
    """
    found = {_key((each.older.id, each.newer.id)): each for each in open_questions(scope)}
    closed = ClosedQuestions(scope)
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
    """Say that both hold: the question is not put again, also not of what they are merged into.

    One may stand open before any night puts it: see `unsettled_pairs`. Raises NotFound where
    there is none, Refused for an untrusted origin.
    """
    scope.require(REVIEW, Deed.END, "closing a question")
    ids = [memory.id for memory in pair]
    for state in _states(scope, _key(ids)):
        now = scope.now()
        value = {"asked": state.value["asked"], "ids": state.value["ids"], "closed": times.to_iso(now)}
        scope.store.put_state(state._replace(value=value, version=state.version + 1, updated_at=now))
        return
    for one, other in (pair, pair[::-1]):
        if one.id in judged_updates(other):
            note_both_hold(scope, other, [one.id])
            return
    raise NotFound(
        f"no question about {' and '.join(ids)}", by_hand="`mem audit --check questions` shows them"
    )


def note_both_hold(scope: Scope, memory: Memory, others: Iterable[str]) -> None:
    """Say of a memory and some others, by id, that both hold: no question is put about them from now on.

    Whether it is theirs to say was asked when the memory was written (`write_policy.drafts`).
    """
    now = scope.now()
    for other in others:
        ids = [other, memory.id]
        value = {"asked": "contradiction", "ids": ids, "closed": times.to_iso(now)}
        for state in _states(scope, _key(ids)):
            if not state.value.get("closed"):
                value["asked"] = state.value["asked"]
                scope.store.put_state(state._replace(value=value, version=state.version + 1, updated_at=now))
            break
        else:
            state = State(scope.space, areas.QUESTION.name, _key(ids), value, 1, now, now, None)
            scope.store.put_state(state, expected_version=0)


def drop_settled_questions(scope: Scope) -> int:
    """Forget the questions that nobody has to decide on any more; how many.

    A closed one stays known as long as both of its memories are there, ended or not.
    """
    store, asked = scope.store, _states(scope)
    # Their memories are not read: only whether they are there, and in force.
    refs = store.refs_by_id(list({memory: None for state in asked for memory in state.value["ids"]}))
    standing = store.filter_refs(list(refs.values()), Filter(spaces=(scope.space,)))
    needed = {True: set(refs.values()), False: standing}
    settled = [
        state.key
        for state in asked
        if not all(refs.get(each) in needed[bool(state.value.get("closed"))] for each in state.value["ids"])
    ]
    return _dropped(scope, settled)


def put_off_questions(scope: Scope) -> list[tuple[str, str]]:
    """Keep the open questions about what is newest, then most believed; the pairs that were put off."""
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


def _key(ids: Sequence[str]) -> str:
    return "+".join(sorted(ids))


def _states(scope: Scope, key: str | None = None) -> list[State]:
    """The questions as they are kept; what has another shape is left out."""
    return [
        state for state in scope.store.states((scope.space,), areas.QUESTION.name, key) if _sound(state.value)
    ]


def _sound(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("asked"), str)
        and isinstance(value.get("ids"), list)
        and all(isinstance(each, str) for each in value["ids"])
    )


class ClosedQuestions:
    """The pairs of a space of which its owner said that both hold, as they stood when this was made."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._pairs = [set(state.value["ids"]) for state in _states(scope) if state.value.get("closed")]
        self._lineages: dict[str, set[str]] = {}

    def holds(self, one: str, other: str) -> bool:
        """Whether both hold: these, by id, or what they were merged from."""
        if not self._pairs:
            return False
        ours, theirs = self._lineage(one), self._lineage(other)
        return any(
            len(pair & ours) == 1 and len(pair & theirs) == 1 and pair <= ours | theirs
            for pair in self._pairs
        )

    def without_closed(self, some: Sequence[Memory]) -> list[Memory]:
        """Some memories, in their order, without those that hold beside one before them."""
        if not self._pairs:
            return list(some)
        named = set().union(*self._pairs)
        kept: list[Memory] = []
        # Few of many are named in a question at all.
        asked: list[str] = []
        for memory in some:
            if not named.isdisjoint(self._lineage(memory.id)):
                if any(self.holds(other, memory.id) for other in asked):
                    continue
                asked.append(memory.id)
            kept.append(memory)
        return kept

    def _lineage(self, memory_id: str) -> set[str]:
        # One is asked about beside many.
        if memory_id not in self._lineages:
            self._lineages[memory_id] = _lineage(self._scope, memory_id)
        return self._lineages[memory_id]


def _lineage(scope: Scope, memory_id: str) -> set[str]:
    """A memory and those that it was merged from, all the way back."""
    found, waiting = {memory_id}, [memory_id]
    while waiting and len(found) < _BACK:
        for memory in scope.store.get([waiting.pop()]):
            merged = memory.data.get("merged_from")
            for each in merged if isinstance(merged, list) else ():
                if isinstance(each, str) and each not in found:
                    found.add(each)
                    waiting.append(each)
    return found
