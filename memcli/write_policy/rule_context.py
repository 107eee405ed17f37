"""What a rule of writing is: a function from a case to the case as it stands after it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from memcli.memory_data import forced_rules
from memcli.model import KNOWLEDGE, Memory
from memcli.named_tuple import NamedTuple
from memcli.scope import is_untrusted
from memcli.write_policy.decision import Case, WriteAction
from memcli.write_policy.reader import StoreReader
from memcli.write_policy.settings import WriteOptions, WriteSettings

if TYPE_CHECKING:
    from memcli.write_policy.related.lookup import RelatedMemories


class RuleContext(NamedTuple):
    """What rules decide on, beside the case: settings, what the writer asks, what the store knows."""

    settings: WriteSettings
    options: WriteOptions
    now: datetime
    reader: StoreReader
    is_own: Callable[[str | None], bool]
    """See `memcli.scope.Scope.is_own`."""

    def decided(self, case: Case, action: WriteAction, rule: str, reason: str, *, by_hand: str = "") -> Case:
        """Refused or held by a rule, unless it is overridden: then that goes on record."""
        # Overridden where it comes from, and on record there: which only its owner's word proves.
        if self.options.carried and case.memory.trusted and rule in forced_rules(case.memory):
            return case
        if self.options.force:
            return case.overriding(rule, reason)
        return case.decided(action, rule, reason, by_hand=by_hand)

    def is_inferred(self, memory: Memory) -> bool:
        """Whether a program concluded it: distilled, claimed by an LLM, or written by an untrusted agent."""
        if memory.kind not in KNOWLEDGE:
            return False
        said_by_agent = self.is_untrusted(memory) and memory.source == "explicit"
        return memory.source in ("inferred", "learned") or said_by_agent

    def may_change(self, known: Memory, new: Memory) -> bool:
        """Whether who says something new may change what is known: what is untrusted only its own."""
        return new.trusted or self.is_own(known.untrusted_origin)

    def is_untrusted(self, memory: Memory) -> bool:
        """Whether a memory comes in through an untrusted door."""
        return is_untrusted(memory.origin, self.settings.untrusted_origins)


# Decides by the text alone: before any vector is made, and outside of a transaction.
TextRule = Callable[[Case, RuleContext], Case]
# Decides by what the store holds: inside the transaction that writes.
StoreRule = Callable[[Case, RuleContext, "RelatedMemories"], Case]
