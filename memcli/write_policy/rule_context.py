"""RuleContext of a decision: what a rule may consult beside the case, and the signatures of rules."""

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
    """The context of a rule besides the case: settings, the writer's options, the time, a store reader."""

    settings: WriteSettings
    options: WriteOptions
    now: datetime
    reader: StoreReader
    is_own: Callable[[str | None], bool]
    """See `memcli.scope.Scope.is_own`."""

    def decided(self, case: Case, action: WriteAction, rule: str, reason: str, *, by_hand: str = "") -> Case:
        """Return the case refused or held by a rule; if the rule is overridden, undecided with a record."""
        # An exported memory may record that the rule was overridden when it was written; only a trusted one
        # is believed.
        if self.options.carried and case.memory.trusted and rule in forced_rules(case.memory):
            return case
        if self.options.force:
            return case.overriding(rule, reason)
        return case.decided(action, rule, reason, by_hand=by_hand)

    def is_inferred(self, memory: Memory) -> bool:
        """True if a program concluded it: distilled, claimed by an LLM, or written by an untrusted agent."""
        if memory.kind not in KNOWLEDGE:
            return False
        said_by_agent = self.is_untrusted(memory) and memory.source == "explicit"
        return memory.source in ("inferred", "learned") or said_by_agent

    def may_change(self, known: Memory, new: Memory) -> bool:
        """True if the writer of a new memory may change a known one; an untrusted origin only its own."""
        return new.trusted or self.is_own(known.untrusted_origin)

    def is_untrusted(self, memory: Memory) -> bool:
        """True if the memory's origin is untrusted."""
        return is_untrusted(memory.origin, self.settings.untrusted_origins)


# A rule that decides by the text alone: called before embedding, outside of a transaction.
TextRule = Callable[[Case, RuleContext], Case]
# A rule that decides by what the store holds: called inside the writing transaction.
StoreRule = Callable[[Case, RuleContext, "RelatedMemories"], Case]
