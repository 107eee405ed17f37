"""Policy checks: what the policies of a space say about one action, and the record of it.

A matching pattern decides: hard blocks, soft warns, allow permits, each unless an exception is met.
Similarity of meaning only ever warns: it is a guess. The model is loaded for it only if it could still
change the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, Literal

from memcli.errors import BadInput, ModelUnusable, StoreUnusable
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import State, new_state
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas
from memcli.text.checks import check_text
from memcli.text.patterns import Patterns
from memcli.tiers.policies.conditions import check_condition, clock_context, met_exception
from memcli.tiers.policies.policies import Policies, Policy

# How many checks stay on record; enforced once in a thousand checks, so there may be a few more.
MAX_CHECKS = 10_000
_ACTION_KEPT = 500

PolicyOutcome = Literal["allowed", "warned", "blocked"]
Effect = Literal["blocks", "warns", "permits", "excepted", "inactive"]


class PolicyMatch(NamedTuple):
    """A policy that concerns the action, why, and what it says about it.

    `effect` is `excepted` if `exception` is met, `inactive` if none of its `when` is, `permits` for one
    that allows; `likeness` is a cosine.
    """

    policy: Policy
    effect: Effect
    pattern: str | None = None
    likeness: float | None = None
    exception: str | None = None

    def to_record(self) -> dict[str, Any]:
        """Return the match as JSON types."""
        says = self.policy.says
        return {
            "name": says.name, "effect": self.effect, "enforcement": says.enforcement, "rule": says.rule,
            "why": says.why or None, "when": list(says.when), "unless": list(says.unless),
            "exception": self.exception,
            "matched_by": "pattern" if self.pattern is not None else "meaning", "pattern": self.pattern,
            "likeness": None if self.likeness is None else round(self.likeness, 4),
            "id": self.policy.memory.id,
        }  # fmt: skip


class PolicyDecision(NamedTuple):
    """The answer; `degraded` says why meaning was not compared although it should have been.

    `context` are the circumstances beside the action: the clock, and what the caller said.
    """

    outcome: PolicyOutcome
    findings: list[PolicyMatch]
    degraded: str | None = None
    context: Mapping[str, str] = {}

    def to_record(self) -> dict[str, Any]:
        """Return the decision as JSON types, as `--json` prints it."""
        findings = [finding.to_record() for finding in self.findings]
        return {
            "decision": self.outcome, "policies": findings, "context": dict(self.context),
            "degraded": self.degraded is not None,
        }  # fmt: skip


def check_action(
    memories: Memories, action: str, context: Mapping[str, str], *, words_only: bool = False
) -> PolicyDecision:
    """Return what the policies say about an action in a context (see `policies.conditions`); recorded.

    The clock is added to the context; what the caller says of it counts only if the caller is trusted:
    nobody else talks a Friday away. Raises BadInput for an action that is empty, or too long.
    """
    if not action.strip():
        raise BadInput("the action is empty; say what is to be done")
    check_text(action.encode("utf-8", "replace").decode(), memories.config["max_text"])
    said_of_clock = {} if memories.is_untrusted else context
    context = {**context, **clock_context(memories.now(), said_of_clock)}
    policies = [each for each in Policies(memories).live() if each.memory.trusted]
    findings, unmatched = [], []
    for policy in policies:
        pattern = _matching(policy, action)
        if pattern is None:
            unmatched.append(policy)
        else:
            findings.append(_finding(policy, context, pattern=pattern))
    degraded = None
    guessing = [policy for policy in unmatched if policy.says.enforcement != "allow"]
    least = memories.config["policy_likeness"]
    blocked = any(finding.effect == "blocks" for finding in findings)
    if guessing and least < 1 and not blocked and not words_only:
        degraded = memories.fill_gaps(memories.within(kinds=("policy",)))
        try:
            for policy, likeness in _alike(memories, guessing, action, least):
                findings.append(_finding(policy, context, likeness=likeness))
        except ModelUnusable as error:
            degraded = str(error)
    said = {key: value for key, value in context.items() if key != "action"}
    decision = PolicyDecision(_outcome(findings), sorted(findings, key=_weight), degraded, said)
    _record(memories, decision, action)
    return decision


def recorded_checks(scope: Scope, outcome: str | None = None) -> Iterator[State]:
    """Yield the recorded checks that have not expired, newest first; see `_record` for their fields."""
    now = scope.now()
    for state in sorted(
        scope.store.states((scope.space,), areas.POLICY_CHECK.name), key=lambda s: s.key, reverse=True
    ):
        if not (isinstance(state.value, dict) and isinstance(state.value.get("policies"), dict)):
            continue  # no record of ours: states may come from another store's export
        fits = outcome is None or state.value.get("decision") == outcome
        if fits and (state.expires_at is None or state.expires_at > now):
            yield state


def _matching(policy: Policy, action: str) -> str | None:
    try:
        pattern = Patterns(policy.says.patterns).first(action)
        for condition in (*policy.says.when, *policy.says.unless):
            check_condition(condition, "condition")
    except BadInput as error:
        # A broken pattern can only come in another way than by `add`; ignoring it would allow what it
        # forbids.
        raise BadInput(
            message(f"policy {policy.name!r} cannot be enforced: ", error),
            by_hand=message(Command("policy edit"), " it"),
        ) from error
    return pattern


def _alike(
    memories: Memories, policies: Sequence[Policy], action: str, least: float
) -> Iterator[tuple[Policy, float]]:
    """Yield policies whose rule is at least that similar to the action, with the cosine."""
    from memcli.embedding.scale import nearest_alike, store_scale

    embedder = memories.model.open()
    if memories.store.model() is None:
        raise ModelUnusable(
            f"{memories.store.location} was not embedded by the model {embedder.identity.name}"
        )
    memories.model.check(embedder.identity)
    refs = memories.store.refs_by_id([policy.memory.id for policy in policies])
    best: dict[int, float] = {}
    where = memories.within(kinds=("policy",))
    scale = store_scale(memories.store)
    for window in next(iter(embedder.documents([action]))):
        for ref, likeness in nearest_alike(memories.store, window.tobytes(), where, len(refs) + 50, scale):
            best[ref] = max(best.get(ref, -1.0), likeness)
    for policy in policies:
        likeness = best.get(refs.get(policy.memory.id, -1), -1.0)
        if likeness >= least:
            yield policy, likeness


def _finding(
    policy: Policy, context: Mapping[str, str], pattern: str | None = None, likeness: float | None = None
) -> PolicyMatch:
    effect: Effect = "warns"
    exception = met_exception(policy.says.unless, context)
    if policy.says.when and not met_exception(policy.says.when, context):
        effect = "inactive"
    elif policy.says.enforcement == "allow":
        effect = "permits"
    elif exception:
        effect = "excepted"
    elif policy.says.enforcement == "hard" and pattern is not None:
        effect = "blocks"
    return PolicyMatch(policy, effect, pattern, likeness, exception)


def _outcome(findings: Sequence[PolicyMatch]) -> PolicyOutcome:
    effects = {finding.effect for finding in findings}
    return "blocked" if "blocks" in effects else "warned" if "warns" in effects else "allowed"


def _weight(finding: PolicyMatch) -> tuple[int, float]:
    return ("blocks", "warns", "excepted", "inactive", "permits").index(finding.effect), -(
        finding.likeness or 1.0
    )


def _record(scope: Scope, decision: PolicyDecision, action: str) -> None:
    """Record a decision: which policies, by what; the action's text only if the owner wants it."""
    log = scope.config["policy_log"]
    if log == "off":
        return
    now = scope.now()
    entry: dict[str, Any] = {
        "decision": decision.outcome,
        "policies": {finding.policy.name: finding.effect for finding in decision.findings},
        "degraded": decision.degraded is not None,
    }
    if scope.untrusted_origin:
        entry["origin"] = scope.untrusted_origin
    if log == "action":
        from memcli.text.secrets.redaction import without_secrets_in

        # Redacted before it is cut: a truncated secret would not be recognised.
        clean = without_secrets_in(action.encode("utf-8", "replace").decode())
        entry["action"] = clean[:_ACTION_KEPT]
    expires = now + timedelta(seconds=scope.config["policy_log_ttl"])
    key, store = scope.new_id(now), scope.store
    # On a read-only store the answer is given without a record.
    with suppress(StoreUnusable), store.writing():
        store.put_state(new_state(scope.space, areas.POLICY_CHECK.name, key, entry, now, expires))
        store.drop_states(areas.POLICY_CHECK.name, now)
        # About one id in a thousand: its last ten bits are random.
        if key.endswith("00"):
            for state in list(store.states((scope.space,), areas.POLICY_CHECK.name))[:-MAX_CHECKS]:
                store.drop_state(scope.space, areas.POLICY_CHECK.name, state.key)
