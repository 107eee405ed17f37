"""The one decision point that every path into the store passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from memcli.model import EVERYWHERE, KNOWLEDGE, Filter, Memory
from memcli.prompt.echoes import ECHOED, without_echoes
from memcli.scope import is_untrusted
from memcli.storage import Store, Vector, areas
from memcli.write_policy import forgotten, rules
from memcli.write_policy.decision import Case

if TYPE_CHECKING:
    from memcli.write_policy.related import Near, Neighbourhood

# What repetition by somebody else adds to confidence, as `mem confirm` does.
CONFIRMED = 0.1


class Policy(NamedTuple):
    """The settings of the write policy, by the names under which they are configured."""

    inferred_floor: float = 0.7
    session_writes: int = 10
    transient_ttl: timedelta = timedelta(days=7)
    untrusted_origins: tuple[str, ...] = ("mcp:*", "import:http*")

    def from_outside(self, origin: str) -> bool:
        """Whether what comes in through this door is untrusted."""
        return is_untrusted(origin, self.untrusted_origins)


# The way out of a refused secret, at the doors that have it.
REDACTABLE = "; --redact keeps the rest"


class Asked(NamedTuple):
    """What the writer asked for: `force` overrides what may be overridden, `redact` takes secrets out.

    `carried` memories come from an export: they were decided on once, so only
    what must never come in is looked at. `by_hand`: a person at a terminal;
    `approved`: its owner has reviewed what was held. `reason` goes on record.
    """

    force: bool = False
    redact: bool = False
    carried: bool = False
    by_hand: bool = False
    approved: bool = False
    reason: str | None = None


class Gate:
    """Decides on memories, one after the other; what was taken before counts for what comes after."""

    def __init__(self, store: Store, policy: Policy, asked: Asked, now: datetime) -> None:
        self._store = store
        self._policy = policy
        self._asked = asked
        self._now = now
        self._rules: list[rules.Rule] | None = None
        self._keys: list[bytes] = []
        self._turns: frozenset[str] | None = None
        self._hashes: frozenset[str] | None = None
        self._written: dict[tuple[str, str], int] = {}

    # First what the text alone decides: no vector is made of what does not come in.

    def examine(self, memory: Memory) -> Case:
        """Decide what can be decided by the text; a case without a verdict goes on to `compare`."""
        memory = replace(memory, trusted=memory.trusted and not self._policy.from_outside(memory.origin))
        case = Case(memory)
        steps: tuple[Callable[[Case], Case], ...] = (self._untrusted_policy, self._secret, self._forgotten)
        if not self._asked.carried:
            steps = (self._echo, *steps, self._owners_rules, self._unverified, self._hedged)
        for step in steps:
            case = step(case)
            if case.verdict:
                return case
        return case

    def _may(self, case: Case, action: str, rule: str, reason: str) -> Case:
        """Refuse or hold, unless it is overridden; then that goes on record."""
        # Overridden where it comes from, and on record there: which only its owner's word proves.
        if self._asked.carried and case.memory.trusted and rule in case.memory.data.get("overrides", ()):
            return case
        if self._asked.force:
            return self._overridden(case, rule, reason)
        return case.decided(action, rule, reason)

    def _overridden(self, case: Case, rule: str, reason: str) -> Case:
        return replace(case, overrides=(*case.overrides, rule)).noting(f"overridden: {reason}")

    def _untrusted_policy(self, case: Case) -> Case:
        if case.memory.kind == "policy" and not case.memory.trusted:
            return case.decided(
                "refuse",
                "untrusted-policy",
                "a policy comes from its owner, and this text from an untrusted place",
            )
        return case

    def _echo(self, case: Case) -> Case:
        space = case.memory.space
        heard = without_echoes(
            case.memory.text,
            partial(self.recalled, space),
            partial(self._said, space),
            partial(self._labelled, space),
        )
        if not heard.echoes:
            return case
        if not heard.text:
            return self._may(case, "refuse", "echo", ECHOED)
        if self._asked.force:
            return self._overridden(case, "echo", f"{heard.echoes} recalled pieces in it (echo)")
        kept = replace(case, memory=replace(case.memory, text=heard.text))
        return kept.noting(f"{heard.echoes} recalled pieces in it were left out (echo)")

    def recalled(self, space: str, tail: str) -> str | None:
        """The text of the memory in a space whose id ends so; None where none or several do."""
        found = self._store.get(self._store.find_ids(tail, 2, (space,)))
        return found[0].text if len(found) == 1 else None

    def _said(self, space: str, text: str) -> bool:
        if self._turns is None:
            where = Filter(spaces=(space,), kinds=("episode",), live=False)
            self._turns = frozenset(each.text for each in self._store.select(where))
        return text in self._turns

    def _labelled(self, space: str) -> list[str]:
        """The blocks of a space as they are printed."""
        last = [
            (state.key, state.value["versions"][-1])
            for state in self._store.states((space,), areas.BLOCK.name)
        ]
        return [f"{label}: {version['text']}" for label, version in last]

    def _secret(self, case: Case) -> Case:
        from memcli.text.secrets import redaction as doors

        memory = case.memory
        labels = [
            secret
            for name in (*memory.tags, memory.session or "", memory.space, memory.origin)
            for secret in doors.found_in(name)
            if secret.rule not in doors.BY_LOOK  # the name of a session is often random
        ]
        if labels and not self._asked.force:
            reason = f"a name (tag, session, space or origin) holds a secret ({labels[0].name})"
            safe = replace(memory, tags=(), session=None, space="", origin="", text="", data={})
            return replace(case, memory=safe).decided("refuse", f"secret:{labels[0].rule}", reason)
        why = memory.ended_why or ""
        found = [*doors.found_in(memory.text), *doors.found_in(why), *doors.found_within(memory.data)]
        if not found:
            return case
        names = ", ".join(dict.fromkeys(secret.name for secret in found))
        clean = replace(
            memory,
            text=doors.without_secrets_in(memory.text),
            ended_why=memory.ended_why and doors.without_secrets_in(memory.ended_why),
            data=doors.without_secrets(memory.data),
        )
        without = replace(case, memory=clean)
        rule = f"secret:{found[0].rule}"
        forced = self._may(case, "refuse", rule, f"it holds a secret ({names}){REDACTABLE}")
        if forced.verdict is None:
            return forced
        if self._asked.redact or is_record(memory):
            return without.noting(f"redacted: {names}")
        return without.decided("refuse", rule, forced.verdict.reason)

    def _forgotten(self, case: Case) -> Case:
        if not self.was_forgotten(case.memory.text):
            return case
        return self._may(case, "refuse", "forgotten", "this text was forgotten for good")

    def was_forgotten(self, text: str) -> bool:
        """Whether a text was forgotten for good, here or in a store whose export came in."""
        hashes = self._forgotten_hashes()
        if not hashes:
            return False
        return any(not hashes.isdisjoint(forgotten.digests(key, text)) for key in self._keys)

    def _forgotten_hashes(self) -> frozenset[str]:
        if self._hashes is None:
            states = list(self._store.states((EVERYWHERE,), areas.FORGOTTEN.name))
            self._hashes = frozenset(state.key for state in states if not forgotten.is_key(state.key))
            self._keys = [bytes.fromhex(state.value) for state in states if forgotten.is_key(state.key)]
        return self._hashes

    def _owners_rules(self, case: Case) -> Case:
        fitting = [rule for rule in self._rules_in_force() if rule.fits(case.memory)]
        effects = {rule.effect: rule for rule in reversed(fitting)}
        never = effects.get("never")
        if never and never.topic and is_record(case.memory):
            kept = replace(case.memory, text=rules.without(never.topic, case.memory.text))
            return replace(case, memory=kept).noting(f"left out: {never.topic} details")
        if never:
            about = never.why or (f"private {never.topic} details" if never.topic else never.describe())
            reason = f"your rule {never.name!r} says never: {about} (`mem rule list`)"
            return self._may(case, "refuse", f"rule:{never.name}", reason)
        if "always" in effects:
            return replace(case, overrides=(*case.overrides, f"rule:{effects['always'].name}"))
        if rule := effects.get("temporarily"):
            return self._passing(case, f"your rule {rule.name!r} says: only for a time")
        return case

    def _rules_in_force(self) -> list[rules.Rule]:
        if self._rules is None:
            self._rules = rules_in_force(self._store)
        return self._rules

    def _hedged(self, case: Case) -> Case:
        if case.memory.kind not in KNOWLEDGE or case.overrides:
            return case
        from memcli.text.english.hedges import speculative, transient

        if phrase := transient(case.memory.text):
            rule, why = "transient", f"{phrase!r} sounds passing"
        elif phrase := speculative(case.memory.text):
            rule, why = "speculative", f"{phrase!r} sounds undecided"
        else:
            return case
        return self._overridden(case, rule, why) if self._asked.force else self._passing(case, why)

    def _passing(self, case: Case, why: str) -> Case:
        """To the episodic tier, with an end."""
        memory = case.memory
        until = memory.expires_at or memory.valid_until or self._now + self._policy.transient_ttl
        kept = replace(memory, kind="episode", expires_at=until)
        note = f"{why}: kept as an episode until {until:%Y-%m-%d}, not as a {memory.kind} (--force keeps it)"
        return replace(case, memory=kept, passing=True).noting(note)

    def _unverified(self, case: Case) -> Case:
        memory = case.memory
        if memory.source != "inferred" or memory.kind not in KNOWLEDGE or case.overrides:
            return case
        if self._asked.approved:
            return case
        floor = self._policy.inferred_floor
        if memory.confidence < floor:
            reason = f"inferred, and its confidence {memory.confidence:g} is below {floor:g}"
            return self._may(case, "hold", "unverified", reason)
        if not memory.trusted:
            return self._may(case, "hold", "unverified", "inferred from an untrusted source")
        return case

    # Then what the store knows: inside the transaction that writes.

    def compare(self, case: Case, vector: Vector | None, known: Neighbourhood) -> Case:
        """Decide by what is there: superseded, duplicate, contradiction, limit of the session."""
        memory = case.memory
        if case.supersedes and case.supersedes.trusted and self._from_outside(memory):
            reason = f"it would replace {case.supersedes.id}, which is trusted, and {memory.origin} is not"
            return case.decided("hold", "untrusted-correction", reason, case.supersedes.id)
        if case.supersedes:
            return case.decided("supersede", "supersede", "replaces it, as asked", case.supersedes.id)
        if case.passing and not is_record(memory) and (known_as := known.passing(memory, vector)):
            from memcli.write_policy.repetition import said_again

            again = said_again(known_as, memory, self._now)
            reason = f"known already; it is kept until {again.expires_at:%Y-%m-%d}"
            return replace(case, memory=again, notes=()).decided("reinforce", "duplicate", reason, again.id)
        if self._asked.carried or memory.kind not in KNOWLEDGE:
            return self._limited(case)
        doubted: Near | None = None
        for near in known.of(memory, vector):
            same = near.verdict == "same" and near.memory.kind == memory.kind
            if same and _may_stand_for(near.memory, memory):
                if not self._asked.force:
                    if known_as := self._still(near.memory):
                        return self._repeated(case, known_as)
                    continue
                if "duplicate" not in case.overrides:
                    case = self._overridden(case, "duplicate", f"known already ({near.memory.id})")
            # One is enough to make its owner look; the nearest is the likeliest.
            if not doubted and near.objection:
                doubted = near
        # What claims another value of the same thing is surer still.
        doubted = next(iter(known.claiming(memory)), None) or doubted
        if doubted:
            case = replace(case, contradicts=(doubted.memory.id,)).noting(
                f"may contradict {doubted.memory.id} ({doubted.objection}): mem correct {doubted.memory.id} …"
            )
        return self._limited(case)

    def _still(self, known: Memory) -> Memory | None:
        """A memory as it is now; None where a neighbour has changed what it says, ended or erased it."""
        here = next(iter(self._store.get([known.id])), None)
        same = here and (here.text, here.space, here.ended_at) == (known.text, known.space, known.ended_at)
        return here if same else None

    def _from_outside(self, memory: Memory) -> bool:
        return self._policy.from_outside(memory.origin) and not self._asked.approved

    def _repeated(self, case: Case, known: Memory) -> Case:
        new = case.memory
        if known.trusted and not new.trusted:
            return replace(case, memory=known).decided(
                "reinforce", "duplicate", "known already; an untrusted source confirms nothing", known.id
            )
        confirmed = replace(
            known,
            confidence=min(1.0, round(known.confidence + CONFIRMED, 6)),
            importance=max(known.importance, new.importance),
            tags=tuple(sorted({*known.tags, *new.tags})),
            trusted=known.trusted or new.trusted,
            confirm_count=known.confirm_count + 1,
            confirmed_at=self._now,
            updated_at=self._now,
        )
        return replace(case, memory=confirmed).decided(
            "reinforce", "duplicate", "known already; it is confirmed", known.id
        )

    def _limited(self, case: Case) -> Case:
        memory = case.memory
        agent = self._policy.from_outside(memory.origin)
        if not self._counts(memory) or not (memory.session or agent):
            return case.decided("take", "default", "")
        # An agent without a session has the day.
        session = memory.session or f"of {memory.origin} today"
        key = (memory.space, session)
        if key not in self._written:
            where = Filter(spaces=(memory.space,), kinds=KNOWLEDGE, live=False)
            if memory.session:
                written = self._store.select(replace(where, sessions=(memory.session,)))
            else:
                today = self._now.replace(hour=0, minute=0, second=0, microsecond=0)
                since = self._store.select(replace(where, created_since=today))
                written = (each for each in since if each.origin == memory.origin)
            self._written[key] = sum(1 for each in written if self._counts(each))
        limit = self._policy.session_writes
        if limit and self._written[key] >= limit and not case.overrides:
            reason = f"session {session} has written {limit} memories, its limit (session_writes)"
            case = self._may(case, "refuse", "session-limit", reason)
        if not case.verdict:
            self._written[key] += 1
            case = case.decided("take", "default", "")
        return case

    def _counts(self, memory: Memory) -> bool:
        """Whether a memory counts against its session: what programs write one by one."""
        by_program = memory.origin not in ("batch",) and not memory.origin.startswith("import:")
        return memory.kind in KNOWLEDGE and by_program and not self._asked.by_hand and not self._asked.carried


def _may_stand_for(known: Memory, new: Memory) -> bool:
    """Whether what is known may be confirmed by something new that means the same.

    What a trusted source says in other words vouches for no untrusted text: that
    would be trusted for what nobody trusted has said.
    """
    from memcli.text.comparison.duplicates import compare

    return known.trusted or not new.trusted or compare(new.text, known.text, None).verdict == "same"


def is_record(memory: Memory) -> bool:
    """Whether a memory records what was said, rather than being knowledge: a turn of a session."""
    return memory.kind == "episode" and (memory.session is not None or "role" in memory.data)


def rules_in_force(store: Store) -> list[rules.Rule]:
    """The owner's rules, and the topics that are on though nobody said so."""
    stored = {state.key: state.value for state in store.states((EVERYWHERE,), areas.WRITE_RULES.name)}
    given = [rules.rule_from_record({"name": name, **value}) for name, value in stored.items() if value]
    default = [rules.Rule(topic, "never", topic=topic) for topic in rules.TOPICS_ON if topic not in stored]
    return given + default
