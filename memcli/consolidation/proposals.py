"""What a step would do: data that can be shown, saved, read back and carried out later."""

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

# How consolidation signs what it writes.
ORIGIN = "consolidation"

ProposalAction = Literal["end", "fold", "keep", "merge", "relate", "ask", "purge", "link"]
ACTIONS: tuple[ProposalAction, ...] = get_args(ProposalAction)
# Those that make a memory, and those that end the memories that they are about.
ADDING: frozenset[ProposalAction] = frozenset({"keep", "merge", "fold"})
ENDING: frozenset[ProposalAction] = frozenset({"end", "merge"})
# The names of a link that is proposed.
LINK = ("subject", "relation", "object")


class EndData(TypedDict, total=False):
    """Of an `end`: how, by what, and the reason where `why` quotes a memory."""

    ended_as: Required[Ending]
    replaced_by: str | None
    reason: str


class FoldData(TypedDict, total=False):
    """Of a `fold`: its session, and in a plan the text for which turns."""

    session: Required[str]
    summaries: Sequence[Mapping[str, Any]]


class KeepData(TypedDict):
    """Of a `keep`: the record of what is to be kept."""

    memory: Mapping[str, Any]


class RelateData(TypedDict):
    """Of a `relate`: what is noted of each that updates, by its id."""

    updated_by: Mapping[str, Any]


class AskData(TypedDict, total=False):
    """Of an `ask`: of which sort the question is."""

    question: str


class LinkData(TypedDict):
    """Of a `link`: its names, how sure it is, and since when."""

    link: Mapping[str, Any]


class Proposal(NamedTuple):
    """One thing to do, and why.

    `propose_end` memories, `fold` a session, `keep` a new memory (`data`: its record),
    `merge` memories into one, `relate` an outdated memory to the one that
    updates it, `ask` the owner about a pair, `purge` ended memories, propose a
    `link` (`data`: its names). `why` quotes no memory, `told` does. `seen`
    holds when each memory it rests on was changed last: a plan is refused
    where that has moved. `data` is JSON; what an action has in it is read by
    the property of its name.
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
        """Why, and the text that would be new."""
        new = self.data.get("memory") or self.data.get("link") or {}
        said = new.get("text") or " ".join(new[name] for name in LINK if name in new)
        return f"{self.why}: {said}" if said else self.why

    def to_record(self) -> dict[str, Any]:
        """The proposal as JSON types."""
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
    """A proposal about memories as they are now, and its action's data; to end them see `propose_end`."""
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
    """A proposal to end memories; `reason` where `why` quotes one, and the id of what replaces them."""
    more = {"reason": reason, "replaced_by": replaced_by}
    told = {name: each for name, each in more.items() if each is not None}
    return _about(some, step, "end", why, {"ended_as": how, **told})


def _about(
    some: Iterable[Memory], step: str, action: ProposalAction, why: str, data: dict[str, Any]
) -> Proposal:
    seen = {memory.id: times.to_iso(memory.updated_at) for memory in some}
    return Proposal(step, action, tuple(seen), why, seen, data)


def proposal_from_record(record: Any) -> Proposal:
    """Read `to_record` back; raises BadInput, which names the field, for anything else."""
    _check_proposal(record, "")
    _DATA[record["action"]](record["data"], "data")
    return Proposal(
        record["step"], record["action"], tuple(record["memories"]), record["why"], dict(record["seen"]),
        dict(record["data"]),
    )  # fmt: skip
