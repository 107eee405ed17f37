"""Proposals of steps: data that can be shown, saved, read back and carried out later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Required, TypedDict, cast, get_args, overload

from memcli import times
from memcli.model import ENDINGS, Ending, Memory
from memcli.named_tuple import NamedTuple
from memcli.storage.records import check_memory
from memcli.text.shapes import (
    Shape,
    anything,
    by_name,
    fields,
    fraction,
    instant,
    many,
    maybe,
    memory_id,
    one_of,
    text,
)

# The origin of what consolidation writes.
ORIGIN = "consolidation"

ProposalAction = Literal["end", "fold", "keep", "merge", "relate", "ask", "purge", "link"]
ACTIONS: tuple[ProposalAction, ...] = get_args(ProposalAction)
# The actions that make a memory, and those that end the memories that they are about.
ADDING: frozenset[ProposalAction] = frozenset({"keep", "merge", "fold"})
ENDING: frozenset[ProposalAction] = frozenset({"end", "merge"})
# The fields of a proposed link that name its ends and relation.
LINK = ("subject", "relation", "object")


class EndData(TypedDict, total=False):
    """The data of an `end`: its manner, the replacement, and a reason if `why` quotes a memory."""

    ended_as: Required[Ending]
    replaced_by: str | None
    reason: str


class FoldData(TypedDict, total=False):
    """The data of a `fold`: its session, and in a plan the summaries with the turns that each stands for."""

    session: Required[str]
    summaries: Sequence[Mapping[str, Any]]


class KeepData(TypedDict):
    """The data of a `keep`: the record of the new memory."""

    memory: Mapping[str, Any]


class RelateData(TypedDict):
    """The data of a `relate`: the note on each memory that updates it, by id."""

    updated_by: Mapping[str, Any]


class AskData(TypedDict, total=False):
    """The data of an `ask`: the sort of the question."""

    question: str


class LinkData(TypedDict):
    """The data of a `link`: its names, its confidence, and since when it holds."""

    link: Mapping[str, Any]


class Proposal(NamedTuple):
    """One thing to do, and why.

    `end` memories, `fold` a session, `keep` a new memory (`data`: its record), `merge` memories into one,
    `relate` an outdated memory to the one that updates it, `ask` the owner about a pair, `purge` ended
    memories, propose a `link` (`data`: its names). `why` quotes no memory, `told` does. `seen` maps each
    memory to the time of its last change: a proposal is refused if that has moved. `data` is JSON; the
    property named after an action gives its data with types.
    """

    step: str
    action: ProposalAction
    memories: tuple[str, ...]
    why: str
    seen: Mapping[str, str]
    data: Mapping[str, Any]

    @property
    def end(self) -> EndData:
        """The data of an `end`."""
        return cast(EndData, self.data)

    @property
    def fold(self) -> FoldData:
        """The data of a `fold`."""
        return cast(FoldData, self.data)

    @property
    def keep(self) -> KeepData:
        """The data of a `keep`."""
        return cast(KeepData, self.data)

    @property
    def relate(self) -> RelateData:
        """The data of a `relate`."""
        return cast(RelateData, self.data)

    @property
    def ask(self) -> AskData:
        """The data of an `ask`."""
        return cast(AskData, self.data)

    @property
    def link(self) -> LinkData:
        """The data of a `link`."""
        return cast(LinkData, self.data)

    @property
    def told(self) -> str:
        """The reason, with the text that would be new."""
        new = self.data.get("memory") or self.data.get("link") or {}
        said = new.get("text") or " ".join(new[name] for name in LINK if name in new)
        return f"{self.why}: {said}" if said else self.why

    def to_record(self) -> dict[str, Any]:
        """Return the proposal as JSON types."""
        return {**self._asdict(), "memories": list(self.memories)}


_check_proposal = fields(
    {"step": text, "action": one_of(*ACTIONS), "memories": many(memory_id), "why": text,
     "seen": by_name(instant), "data": by_name(anything)},
    {"check": text},
)  # fmt: skip
_LINK = fields(
    {**dict.fromkeys(LINK, text), "confidence": fraction}, {"since": maybe(instant)}, others=True
)  # fmt: skip
_SUMMARY = fields({"turns": many(memory_id), "text": text}, others=True)
_DATA: Mapping[ProposalAction, Shape] = {
    "end": fields(
        {"ended_as": one_of(*ENDINGS)}, {"replaced_by": maybe(memory_id), "reason": text}, others=True
    ),
    "fold": fields({"session": text}, {"summaries": many(_SUMMARY)}, others=True),
    "keep": fields({"memory": check_memory}, others=True),
    "merge": by_name(anything),
    "relate": fields({"updated_by": by_name(anything)}, others=True),
    "ask": fields({}, {"question": text}, others=True),
    "purge": by_name(anything),
    "link": fields({"link": _LINK}, others=True),
}


@overload
def proposal(
    step: str, action: Literal["fold"], some: Iterable[Memory], why: str, *, session: str
) -> Proposal: ...
@overload
def proposal(
    step: str, action: Literal["keep"], some: Iterable[Memory], why: str, *, memory: Mapping[str, Any]
) -> Proposal: ...
@overload
def proposal(
    step: str, action: Literal["relate"], some: Iterable[Memory], why: str, *, updated_by: Mapping[str, Any]
) -> Proposal: ...
@overload
def proposal(
    step: str, action: Literal["ask"], some: Iterable[Memory], why: str, *, question: str = ...
) -> Proposal: ...
@overload
def proposal(
    step: str, action: Literal["link"], some: Iterable[Memory], why: str, *, link: Mapping[str, Any]
) -> Proposal: ...
@overload
def proposal(step: str, action: Literal["merge", "purge"], some: Iterable[Memory], why: str) -> Proposal: ...
def proposal(step: str, action: ProposalAction, some: Iterable[Memory], why: str, **data: Any) -> Proposal:
    """Return a proposal about memories in their current state; to end them see `propose_end`."""
    return _about(some, step, action, why, data)


def propose_end(
    step: str,
    some: Iterable[Memory],
    how: Ending,
    why: str,
    *,
    reason: str | None = None,
    replaced_by: str | None = None,
) -> Proposal:
    """Return a proposal to end memories, with the id of their replacement if there is one.

    `reason` goes on record instead of `why` if that quotes a memory.
    """
    more = {"reason": reason, "replaced_by": replaced_by}
    told = {name: each for name, each in more.items() if each is not None}
    return _about(some, step, "end", why, {"ended_as": how, **told})


def _about(
    some: Iterable[Memory], step: str, action: ProposalAction, why: str, data: dict[str, Any]
) -> Proposal:
    seen = {memory.id: times.to_iso(memory.updated_at) for memory in some}
    return Proposal(step, action, tuple(seen), why, seen, data)


def proposal_from_record(record: Any) -> Proposal:
    """Read `to_record` back; raise BadInput, naming the field, for anything else."""
    _check_proposal(record, "")
    _DATA[record["action"]](record["data"], "data")
    return Proposal(
        record["step"], record["action"], tuple(record["memories"]), record["why"], dict(record["seen"]),
        dict(record["data"]),
    )  # fmt: skip
