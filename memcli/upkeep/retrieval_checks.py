"""Retrieval checks: the owner's own tests, each a question and a memory that it must find.

Run them after a change of model or settings, or after consolidation: a store can be trusted as long as what
matters is still found. A check belongs to a space, and is a note on its memory: exported and synced with
the store, erased with the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memcli import ids
from memcli.doors import SETTING, Deed
from memcli.errors import BadInput, NotFound
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import Memory, State
from memcli.named_tuple import NamedTuple
from memcli.recall.records import degraded_fields
from memcli.recall.results import Recall
from memcli.storage import areas, states
from memcli.text.printable import is_blank
from memcli.text.secrets.redaction import refuse_secrets

# How many results are searched for a memory that is not on the page.
_DEPTH = 200


class RetrievalCheck(NamedTuple):
    """A question and the memory that it must find; `rank` is from when the check was made.

    Ranks count from 1; None: it was not found at all. `sure`: it was on the page of a sure answer then;
    None if an earlier version made the check.
    """

    id: str
    question: str
    memory: str
    rank: int | None
    sure: bool | None = None

    def to_record(self) -> dict[str, Any]:
        """Return the check as JSON types."""
        return self._asdict()


class CheckResult(NamedTuple):
    """The result of a check: the memory's rank `now`, and why it failed; empty if it passed.

    `memory` is the version in force, if the expected one was corrected or merged. `weak`: it is on the page
    of a weak answer. `degraded`: why not all was searched by meaning.
    """

    check: RetrievalCheck
    memory: str
    now: int | None
    why: str
    weak: bool = False
    degraded: str | None = None

    @property
    def passed(self) -> bool:
        """True if the memory is on the page that a recall shows, of a sure answer if it was so before."""
        return not self.why

    def to_record(self) -> dict[str, Any]:
        """Return the result as JSON types."""
        said = {"passed": self.passed, "rank_then": self.check.rank, "rank_now": self.now, "why": self.why}
        asked = {"id": self.check.id, "question": self.check.question, "memory": self.memory}
        return {**asked, **said, "weak": self.weak, **degraded_fields(self.degraded)}


def retrieval_checks(memories: Memories) -> Iterator[RetrievalCheck]:
    """Yield the checks of the current space, oldest first."""
    found = memories.store.states((memories.space,), areas.RETRIEVAL_CHECK.name)
    for state in sorted(found, key=lambda each: each.key):
        yield _read(state)


def add_check(memories: Memories, question: str, memory: Memory) -> CheckResult:
    """Add a check that a question finds a memory of this space, and run it once; it is kept either way.

    The same question for the same memory is one check. Raises BadInput for an empty question, Refused for a
    secret in it, and to an untrusted origin.
    """
    memories.require(SETTING, Deed.CHANGE, "what a recall is to find")
    question = " ".join(question.split())
    if is_blank(question):
        raise BadInput("the question is empty; say what is asked")
    refuse_secrets(question, "the question")
    now = memories.now()
    same = (
        each for each in retrieval_checks(memories) if (each.question, each.memory) == (question, memory.id)
    )
    key = next((each.id for each in same), None) or memories.new_id(now)
    result = run_check(memories, RetrievalCheck(key, question, memory.id, None))
    check = result.check._replace(rank=result.now, sure=result.passed and not result.weak)
    value = {"question": question, "memory": memory.id, "rank": check.rank, "sure": check.sure}
    states.write_state(memories.store, memories.space, areas.RETRIEVAL_CHECK.name, key, value, now)
    return result._replace(check=check)


def last_question(memories: Memories) -> str:
    """Return the question of the last logged recall in this space; raises NotFound."""
    return str(_last(memories)["query"])


def add_last(memories: Memories) -> CheckResult:
    """Add a check of the last question and its first result; raises as `last_question`.

    NotFound also if that was no memory: nothing, or a fact from links.
    """
    last = _last(memories)
    if not last.get("first"):
        raise NotFound(
            f"{last['query']!r:.80}, asked last, found no memory", by_hand="say which it must: --expects ID"
        )
    return add_check(memories, last["query"], memories.find(last["first"]))


def remove_check(memories: Memories, fragment: str) -> RetrievalCheck:
    """Drop the check with an id, or part of it; raises NotFound, BadInput if several fit."""
    memories.require(SETTING, Deed.CHANGE, "what a recall is to find")
    wanted = ids.normalise_fragment(fragment) or "-"
    fitting = [
        each for each in retrieval_checks(memories) if each.id.startswith(wanted) or each.id.endswith(wanted)
    ]
    if not fitting:
        raise NotFound(
            f"no check {fragment!r:.40} in the space {memories.space}",
            by_hand=message(Command("check list"), " shows them"),
        )
    if len(fitting) > 1:
        raise BadInput(f"{fragment!r:.40} names {len(fitting)} checks; give more of the id")
    memories.store.drop_state(memories.space, areas.RETRIEVAL_CHECK.name, fitting[0].id)
    return fitting[0]


def run_check(memories: Memories, check: RetrievalCheck) -> CheckResult:
    """Ask the question as `mem recall` does, leaving no trace, and return the memory's rank."""
    expected = next(iter(memories.store.get([check.memory])), None)
    if expected is None:
        return CheckResult(check, check.memory, None, "the memory is not in the store")
    memory = memories.current_version(expected)
    answer = memories.recall(check.question, touch=False)
    result = _placed(memories, check, memory, answer)
    return result._replace(degraded=answer.degraded)


def _placed(memories: Memories, check: RetrievalCheck, memory: Memory, answer: Recall) -> CheckResult:
    """Return the rank of a memory in the answer to the question of its check."""
    from memcli.recall.recall import ask_again

    shown = [hit.memory.id for hit in answer.hits]
    if memory.id in shown:
        why = "the answer was sure, and is weak" if check.sure and answer.weak else ""
        return CheckResult(check, memory.id, shown.index(memory.id) + 1, why, answer.weak)
    if why := _out_of_reach(memories, memory):
        return CheckResult(check, memory.id, None, why)
    if answer.inquiry is None:
        return CheckResult(check, memory.id, None, "not found")
    settings = memories.settings(limit=_DEPTH, min_score=0.0)
    deep = [hit.memory.id for hit in ask_again(memories.store, answer.inquiry, memories.within(), settings)]
    place = deep.index(memory.id) + 1 if memory.id in deep else None
    why = "not found" if place is None else "below the floor" if not shown else "not on the page"
    return CheckResult(check, memory.id, place, why + (" (words only)" if answer.degraded else ""))


def _out_of_reach(memories: Memories, memory: Memory) -> str:
    """Return why no question in this space finds a memory; empty if nothing stands against it."""
    from memcli.recall.misses import miss_reason

    if memory.ended_at:
        return f"it was {memory.ended_as or 'forgotten'}"
    if memory.space != memories.space:
        return f"it is in the space {memory.space}"
    reason = miss_reason(memory, memories.within())
    return " ".join(filter(None, reason)) if reason else ""


def _last(memories: Memories) -> dict[str, Any]:
    log = memories.store.states((memories.space,), areas.RECALL_LOG.name)
    # A recall by time only has no question.
    asked = [state for state in log if not is_blank(state.value.get("query", ""))]
    if not asked:
        raise NotFound(
            "no recall is on record with its question",
            by_hand=message(
                "give a question and --expects ID, or ",
                Command("config set recall_log query"),
                " before you ask",
            ),
        )
    return dict(max(asked, key=lambda state: state.key).value)


def _read(state: State) -> RetrievalCheck:
    value = state.value
    return RetrievalCheck(state.key, value["question"], value["memory"], value.get("rank"), value.get("sure"))
