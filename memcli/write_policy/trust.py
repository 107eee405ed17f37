"""What whoever comes in through an untrusted door (`untrusted_origins`) may do: the one rule.

They may read; add what is then untrusted; change, correct, doubt, merge and
forget softly what is untrusted; and take back their own changes. All else is
its owner's: what is trusted, trust itself, bringing back what was ended, ending
links (they do not say who made them), moving anything through the wall of a
space, and erasing. A correction of something trusted waits for review
(`write_policy.gate`). This keeps honest programs in bounds and a record of the
others: who may write the file may write it by other means.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memcli.errors import Refused

if TYPE_CHECKING:
    from memcli.memories import Memories
from memcli.model import Event, Memory


def check_change(memories: Memories, some: Iterable[Memory], what: str) -> None:
    """Raise Refused where one of these is not theirs who work here to change; `what` says what is done."""
    if not memories.from_outside:
        return
    for memory in some:
        if memory.trusted or memory.kind == "policy":
            memories.owner_only(f"{what} {memory.id}, a trusted memory")


def check_undo(memories: Memories, events: Iterable[Event]) -> None:
    """Raise Refused where whoever works here would take back what somebody else did."""
    if not memories.from_outside:
        return
    origin = memories.config["origin"]
    for event in events:
        if event.actor != origin:
            raise Refused(
                f"the change {event.change or event.number} is by {event.actor}; "
                f"{origin}, an untrusted origin, takes back only its own",
                rule="untrusted-origin",
            )
