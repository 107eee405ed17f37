"""Reinforcement: a repetition of a known memory confirms it, or has its words recorded in the history."""

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
    """The effect of one write, at `now` and as one `change`, on memories that are known or held already.

    With `confirms` False known memories stay unchanged, and only the words are recorded. What is `carried`
    from another store is not subject to the daily limit for review.
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
        """Do not hold the same memory twice; refuse one beyond the origin's daily limit for review."""
        once = held.hold_only_once(self._store, decision, self._now, confirms=self._confirms)
        if once is not decision or self._carried:
            return once
        waiting = held.held_since(self._store, decision.memory.space, self._scope.origin)
        reason = flood_reason(self._scope, "memories to wait for review", waiting)
        return replace(decision, action="refuse", rule=RULE, reason=reason) if reason else once

    def within_limit(self, decision: Decision, new: Memory) -> Decision:
        """Refuse a repetition that exceeds the origin's daily limit of recorded repetitions."""
        if not self._scope.is_untrusted or self._new_line(decision, new) is None:
            return decision
        if self._said_again is None:
            # No index finds these lines; the whole history is read, once per write.
            self._said_again = list(said_again_by(self._store, self._scope.origin))
        reason = flood_reason(self._scope, LINES, self._said_again)
        if reason:
            return replace(decision, action="refuse", rule=RULE, reason=reason)
        self._said_again.append(self._now)
        return decision

    def makes_surer(self, decision: Decision) -> bool:
        """True if the decision changes the known memory."""
        return self._confirms and self._store.get([decision.memory.id]) != [decision.memory]

    def keep_words(self, decision: Decision, new: Memory) -> None:
        """Record the words for an unchanged memory in its history if new; in the caller's transaction."""
        if line := self._new_line(decision, new):
            # The store numbers the lines of one change on one memory, so the earlier ones are passed again.
            lines = self._lines.setdefault(decision.memory.id, [])
            lines.append(line)
            self._store.put_history(lines)

    def _new_line(self, decision: Decision, new: Memory) -> Event | None:
        """Return the history line with the new words for an unchanged memory; None if already recorded."""
        if decision.said is None or self.makes_surer(decision):
            return None
        actor = speaker(new, self._change.actor)
        line = repetition(decision.memory.id, decision.said, self._change, actor, self._now)
        return None if is_on_record(self._store, line) else line
