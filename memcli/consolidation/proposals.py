"""What a step would do: data that can be shown, saved, read back and carried out later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, get_args

from memcli import times
from memcli.errors import BadInput
from memcli.model import ENDINGS, Ending, Memory, memory_from_record

# How consolidation signs what it writes.
ORIGIN = "consolidation"

# An end says how, so it is proposed by a function of its own.
_OtherAction = Literal["fold", "keep", "merge", "relate", "ask", "purge", "link"]
ProposalAction = Literal["end", _OtherAction]
ACTIONS: tuple[ProposalAction, ...] = get_args(ProposalAction)
# Those that make a memory, and those that end the memories that they are about.
ADDING: frozenset[ProposalAction] = frozenset({"keep", "merge", "fold"})
ENDING: frozenset[ProposalAction] = frozenset({"end", "merge"})
# The names of a link that is proposed.
LINK = ("subject", "relation", "object")


class Proposal(NamedTuple):
    """One thing to do, and why.

    `propose_end` memories, `fold` a session, `keep` a new memory (`data`: its record),
    `merge` memories into one, `relate` an outdated memory to the one that
    updates it, `ask` the owner about a pair, `purge` ended memories, propose a
    `link` (`data`: its names). `why` quotes no memory, `told` does. `seen`
    holds when each memory it rests on was changed last: a plan is refused
    where that has moved.
    """

    step: str
    action: ProposalAction
    memories: tuple[str, ...]
    why: str
    seen: Mapping[str, str]
    data: Mapping[str, Any]

    @property
    def told(self) -> str:
        """Why, and the text that would be new."""
        new = self.data.get("memory") or self.data.get("link") or {}
        text = new.get("text") or " ".join(new[name] for name in LINK if name in new)
        return f"{self.why}: {text}" if text else self.why

    def to_record(self) -> dict[str, Any]:
        """The proposal as JSON types."""
        return {**self._asdict(), "memories": list(self.memories)}


def proposal(step: str, action: _OtherAction, some: Iterable[Memory], why: str, **data: Any) -> Proposal:
    """A proposal about memories as they are now; to end them see `propose_end`."""
    return _about(some, step, action, why, data)


def propose_end(step: str, some: Iterable[Memory], how: Ending, why: str, **data: Any) -> Proposal:
    """A proposal to end memories. In `data`: `reason`, where `why` quotes one; `replaced_by`."""
    return _about(some, step, "end", why, {"ended_as": how, **data})


def _about(
    some: Iterable[Memory], step: str, action: ProposalAction, why: str, data: dict[str, Any]
) -> Proposal:
    seen = {memory.id: times.to_iso(memory.updated_at) for memory in some}
    return Proposal(step, action, tuple(seen), why, seen, data)


def proposal_from_record(record: Any) -> Proposal:
    """Read `to_record` back; raises BadInput for anything else."""
    try:
        action, memories, data = record["action"], record["memories"], record["data"]
        texts = [record["step"], record["why"], *memories, *record["seen"], *record["seen"].values()]
        good = action in ACTIONS and isinstance(memories, list) and isinstance(data, dict)
        if not good or not all(isinstance(text, str) for text in texts):
            raise TypeError
        if action == "end" and (
            data["ended_as"] not in ENDINGS or not isinstance(data.get("replaced_by", ""), str)
        ):
            raise TypeError
        if action == "keep":
            memory_from_record(dict(data["memory"]))
        if action == "link" and not all(isinstance(data["link"][name], str) for name in LINK):
            raise TypeError
        return Proposal(
            record["step"], action, tuple(memories), record["why"], dict(record["seen"]), dict(data)
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput("a line of the plan is no proposal; make it anew with --plan") from error
