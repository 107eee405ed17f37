"""What comes in and is known, or waits, already: it makes that surer, or leaves its words on record."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memcli.model import Change, Event, Memory
from memcli.scope import Scope
from memcli.write_policy import held
from memcli.write_policy.decision import Decision
from memcli.write_policy.flood import RULE, flood_reason
from memcli.write_policy.said_again import LINES, is_on_record, repetition, said_again_by, speaker


class Reinforcement:
    """What one write does to what is known, `now` and by one `change`.

    Without `confirms` that stays as it is, and the words are kept beside it. What is `carried` from elsewhere
    is no flood: it was let in there.
    """

    def __init__(
        self, scope: Scope, change: Change, now: datetime, *, confirms: bool = True, carried: bool = False
    ) -> None:
        self._scope = scope
        self._store = scope.store
        self._change = change
        self._now = now
        self._confirms = confirms
        self._carried = carried
        self._lines: dict[str, list[Event]] = {}
        self._said_again: list[datetime] | None = None

    def held_once(self, decision: Decision) -> Decision:
        """What waits already waits once; what would flood its owner's review is refused."""
        once = held.hold_only_once(self._store, decision, self._now, confirms=self._confirms)
        if once is not decision or self._carried:
            return once
        waiting = held.held_since(self._store, decision.memory.space, self._scope.origin)
        reason = flood_reason(self._scope, "memories to wait for review", waiting)
        return replace(decision, action="refuse", rule=RULE, reason=reason) if reason else once

    def within_limit(self, decision: Decision, new: Memory) -> Decision:
        """What would flood the record of what is known is refused: its words would be nowhere."""
        if not self._scope.is_untrusted or self._new_line(decision, new) is None:
            return decision
        if self._said_again is None:
            # Nothing finds these lines but a look at the whole record: once is enough.
            self._said_again = list(said_again_by(self._store, self._scope.origin))
        reason = flood_reason(self._scope, LINES, self._said_again)
        if reason:
            return replace(decision, action="refuse", rule=RULE, reason=reason)
        self._said_again.append(self._now)
        return decision

    def makes_surer(self, decision: Decision) -> bool:
        """Whether a decision changes what is known."""
        return self._confirms and self._store.get([decision.memory.id]) != [decision.memory]

    def keep_words(self, decision: Decision, new: Memory) -> None:
        """Put the words for what stays as it is on its record, if they are not there; in a transaction."""
        if line := self._new_line(decision, new):
            # A store counts the lines of one change on one memory: it is given those that it has, too.
            lines = self._lines.setdefault(decision.memory.id, [])
            lines.append(line)
            self._store.put_history(lines)

    def _new_line(self, decision: Decision, new: Memory) -> Event | None:
        """The line that keeps the words for what stays as it is; None where they are on record."""
        if decision.said is None or self.makes_surer(decision):
            return None
        actor = speaker(new, self._change.actor)
        line = repetition(decision.memory.id, decision.said, self._change, actor, self._now)
        return None if is_on_record(self._store, line) else line
