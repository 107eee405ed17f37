"""The gate: the one decision point that every write passes, with its rules and their order."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from memcli.errors import BadInput
from memcli.model import KNOWLEDGE, Memory, is_past, is_statement
from memcli.scope import Scope
from memcli.text.printable import is_blank, value_without_escapes, without_escapes
from memcli.write_policy.decision import Case, Decision, Neighbour, without_judgement, without_verdicts
from memcli.write_policy.reader import StoreReader
from memcli.write_policy.related.neighbours import neighbours
from memcli.write_policy.rule_context import RuleContext, StoreRule, TextRule
from memcli.write_policy.rules.contradictions import note_contradiction
from memcli.write_policy.rules.dates import note_other_weekday, note_past
from memcli.write_policy.rules.duplicates import (
    confirm_duplicate,
    confirm_named,
    confirm_repetition,
    confirm_replacement,
    prolong_passing,
)
from memcli.write_policy.rules.echoes import refuse_echo
from memcli.write_policy.rules.judged import judge_kind, judge_lasting, keep_unlasting, note_judged
from memcli.write_policy.rules.owner import apply_owner_rules
from memcli.write_policy.rules.passing import keep_passing
from memcli.write_policy.rules.secrets import refuse_secret
from memcli.write_policy.rules.session_limit import limit_session
from memcli.write_policy.rules.supersession import supersede
from memcli.write_policy.rules.trust import hold_unverified, refuse_untrusted_policy
from memcli.write_policy.rules.unwanted import refuse_forgotten, refuse_rejected, tell_forgotten
from memcli.write_policy.settings import WriteOptions, write_settings

if TYPE_CHECKING:
    from memcli.judgement.statements import StatementJudgement
    from memcli.write_policy.related.lookup import RelatedMemories
    from memcli.write_policy.write_buffer import WriteBuffer

# Rules that apply to every write, also to imported exports (`carried`).
NEVER: tuple[TextRule, ...] = (refuse_untrusted_policy, refuse_secret, refuse_forgotten)
BY_TEXT: tuple[TextRule, ...] = (
    refuse_echo, *NEVER, refuse_rejected, apply_owner_rules, hold_unverified, note_past,
    note_other_weekday, keep_passing,
)  # fmt: skip
BY_STORE: tuple[StoreRule, ...] = (
    confirm_named, confirm_replacement, supersede, confirm_duplicate, keep_unlasting, prolong_passing,
    tell_forgotten, note_contradiction, limit_session,
)  # fmt: skip


class Gate:
    """Decides on memories one after the other; a memory taken earlier counts for the later ones."""

    def __init__(
        self, scope: Scope, options: WriteOptions, now: datetime, buffer: WriteBuffer | None = None
    ) -> None:
        self._scope = scope
        self._rules = NEVER if options.carried else BY_TEXT
        self._grounds = RuleContext(
            write_settings(scope.config), options, now, StoreReader(scope.store, buffer), scope.is_own
        )

    def examine(self, memory: Memory) -> Case:
        """Decide by the text alone; a case without a verdict is open and goes on to `compare`.

        Terminal escape sequences (colours) are removed before any rule reads the text. Raises BadInput if
        nothing else is in it.
        """
        # The owner's approval makes a memory trusted whatever its origin.
        approved = self._grounds.options.approved
        trusted = memory.trusted and (approved or not self._grounds.is_untrusted(memory))
        text = without_escapes(memory.text)
        if is_blank(text):
            raise BadInput("the text is empty but for what colours it; nothing to remember")
        data = value_without_escapes(memory.data)
        if not (trusted or self._grounds.options.approved or self._grounds.options.carried):
            data = without_verdicts(data)
        elif not self._grounds.options.carried:
            data = without_judgement(data)
        carried = self._grounds.options.carried
        origin = self._scope.carried(memory.origin) if carried else self._scope.signed(memory.origin)
        case = Case(replace(memory, trusted=trusted, origin=origin, text=text, data=data))
        for rule in self._rules:
            case = rule(case, self._grounds)
            if case.verdict:
                break
        return case

    def judge(self, case: Case, judgement: StatementJudgement, *, kind_is_open: bool) -> Case:
        """Let the learned judges say if an open case lasts and, if nobody stated it, of which kind it is.

        Further findings are noted. A trusted writer who states the kind of a memory is believed, and
        whether it lasts is not judged.
        """
        options = self._grounds.options
        if options.carried or case.memory.kind not in (*KNOWLEDGE, "episode"):
            return case
        case = note_judged(case, self._grounds, judgement)
        if options.approved or case.memory.kind not in KNOWLEDGE:
            return case
        if kind_is_open or self._grounds.is_untrusted(case.memory):
            case = judge_lasting(case, self._grounds, judgement)
        if not kind_is_open:
            return case
        return judge_kind(replace(case, kind_is_open=True), self._grounds, judgement)

    def compare(self, case: Case, related: RelatedMemories) -> Case:
        """Decide an open case by what the store holds; a case that no rule decides is taken."""
        for rule in BY_STORE:
            case = rule(case, self._grounds, related)
            if case.verdict:
                return self._with_neighbours(case, related)
        return self._with_neighbours(case.decided("take", "default", ""), related)

    def bring_back(self, memory: Memory) -> Decision:
        """Decide on restoring an ended memory: one in force that says the same is confirmed instead."""
        case, known = Case(memory), self._grounds.reader.standing_repetition(memory, self._grounds.now)
        case = confirm_repetition(case, self._grounds, known) if known else case
        case = case if case.verdict else case.decided("take", "default", "")
        assert case.verdict  # noqa: S101 - just decided
        return case.verdict

    def _with_neighbours(self, case: Case, related: RelatedMemories) -> Case:
        """Return the decided case with the nearest memories, which the writer may want to relate it to."""
        decision = case.verdict
        if decision is None or self._grounds.options.carried or decision.action == "refuse":
            return case
        settled = {decision.memory.id, decision.other or "", *decision.both_hold}
        if decision.action == "reinforce":
            # The writer may dispute that it is the same, unless it said so itself.
            same = Neighbour(decision.memory.id, "same", decision.judged.get(f"same: {decision.memory.id}"))
            near: tuple[Neighbour, ...] = () if decision.both_hold or case.told.same_as else (same,)
        elif is_statement(case.memory) and not is_past(case.memory, self._grounds.now):
            near = neighbours(related, settled)
        else:
            # A memory of the past, or without a statement, contradicts nothing.
            return case
        return replace(case, verdict=replace(decision, near=near))
