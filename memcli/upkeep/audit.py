"""Audit of a space's memories: duplicates, doubts, secrets, unused memories, each with a remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cached_property

from memcli.changes import revision
from memcli.changes.open_questions import OpenQuestion, unsettled_pairs
from memcli.consolidation.mergeable import are_mergeable, merge_key
from memcli.consolidation.news import brought_back
from memcli.memories import Memories
from memcli.memory_data import is_forced_past_secrets
from memcli.messages import Command, joined, message
from memcli.model import EVERYWHERE, KINDS, KNOWLEDGE, Memory
from memcli.named_tuple import NamedTuple
from memcli.prompt.echoes import without_echoes
from memcli.recall.closed_questions import ClosedQuestions
from memcli.scope import Scope
from memcli.storage import areas
from memcli.text.counting import counted
from memcli.text.printable import quoted
from memcli.upkeep.audited_pairs import AuditedPairs
from memcli.upkeep.reindex import reindex_store
from memcli.write_policy.originals import StoredOriginals

# Below this confidence a memory should be confirmed or forgotten.
LOW_CONFIDENCE = 0.5
# How long a memory may be unconfirmed, or unused, before it is reported.
STALE = timedelta(days=90)
# The most memories that a suggested merge command names.
_NAMED = 8
_REVIEW = message(Command("review list", bare=True))
_NO_KNOWLEDGE = tuple(kind for kind in KINDS if kind not in KNOWLEDGE)
# The check that reports a pair, by the question that may be open about it.
_CHECK_OF = {"duplicate": "duplicates", "contradiction": "contradictions"}


class AuditIssue(NamedTuple):
    """An issue: the memories, what is wrong, and the command that fixes it.

    `safe`: it can be fixed without asking, since nothing is lost.
    """

    check: str
    ids: list[str]
    detail: str
    remedy: str
    safe: bool = False


class Audited:
    """A space under audit; what several checks need is read once, when first needed."""

    def __init__(self, scope: Scope, progress: Callable[[int], None] = lambda done: None) -> None:
        self.scope = scope
        self.pairs = AuditedPairs(scope, progress)
        # The groups reported as duplicates, and the pairs reported as contradictions.
        self.told: dict[str, list[frozenset[str]]] = {"duplicate": [], "contradiction": []}

    @cached_property
    def live(self) -> list[Memory]:
        """The memories in force, oldest first."""
        told = self.pairs.knowledge
        others = self.scope.store.select(self.scope.within(kinds=_NO_KNOWLEDGE))
        return sorted((*told, *others), key=lambda each: each.id)

    @cached_property
    def questions(self) -> list[OpenQuestion]:
        """Questions that only the owner can decide, newest first: of consolidation, or raised on writing."""
        return unsettled_pairs(self.scope, self.live)

    @cached_property
    def _asked(self) -> set[tuple[str, frozenset[str]]]:
        return {(each.asked, frozenset((each.older.id, each.newer.id))) for each in self.questions}

    def tell(self, asked: str, older: Memory, newer: Memory, detail: str, mend: str) -> AuditIssue:
        """Return an issue about two memories, with the command that closes an open question about them."""
        pair = frozenset((older.id, newer.id))
        self.told[asked].append(pair)
        if (asked, pair) in self._asked:
            mend = message(mend, _both_hold(older, newer))
        return AuditIssue(_CHECK_OF[asked], [older.id, newer.id], detail, mend)


def audit_memories(
    memories: Memories,
    only: tuple[str, ...] = (),
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[AuditIssue]:
    """Yield every issue of the space's live memories, by check in the order of AUDIT_CHECKS.

    Changes nothing. `progress` is called with how many memories were compared with the others.
    """
    audited = Audited(memories, progress)
    for name, check in AUDIT_CHECKS.items():
        if not only or name in only:
            yield from check(audited)


def fix_issue(memories: Memories, issue: AuditIssue) -> str | None:
    """Fix a safe issue; return a line on what was done, None if it is not safe."""
    if not issue.safe:
        return None
    if issue.check == "duplicates":
        some = [each for each in memories.store.get(issue.ids) if each.ended_at is None]
        if len(some) < 2 or not are_mergeable(some):
            return None
        return f"merged into {revision.merge_memories(memories, some).id}"
    reindex_store(memories, missing_only=True)
    return "embedded"


def _duplicates(audited: Audited) -> Iterator[AuditIssue]:
    closed = ClosedQuestions(audited.scope.store, (audited.scope.space,))
    found: list[tuple[datetime, AuditIssue]] = []
    for group in audited.pairs.groups:
        some = closed.without_closed(group)
        if len(some) > 1:
            audited.told["duplicate"].append(frozenset(each.id for each in some))
            # A memory restored after consolidation had merged it is merged again by its owner only.
            safe = not any(brought_back(audited.scope, each) for each in some)
            found.append((some[1].created_at, _say_the_same(some, safe=safe)))
    for new, near in audited.pairs.near:
        old = near.memory
        if merge_key(new) != merge_key(old):
            continue
        if near.verdict == "same" and not closed.holds(old.id, new.id):
            detail = f"{quoted(new.text)} means the same as {quoted(old.text)}"
            mend = _merging(old.id, new.id)
            found.append((new.created_at, audited.tell("duplicate", old, new, detail, mend)))
    yield from (issue for _, issue in sorted(found, key=lambda each: each[0]))


def _say_the_same(some: Sequence[Memory], *, safe: bool) -> AuditIssue:
    """Return the issue about memories of the same text, oldest first; `safe` if `--fix` may merge them."""
    old, new = some[0], some[-1]
    detail = f"{quoted(new.text)} says the same as {quoted(old.text)}"
    if len(some) > 2:
        detail = f"{quoted(new.text)} is there {len(some):,} times"
    ids = [each.id for each in some]
    all_of_them = message(Command("audit", "--check duplicates --fix", bare=True))
    mend = _merging(*ids) if len(ids) <= _NAMED or not safe else all_of_them
    return AuditIssue("duplicates", ids, detail, mend, safe)


def _contradictions(audited: Audited) -> Iterator[AuditIssue]:
    """Yield one issue for each newer memory, by its strongest evidence; newest first, then most confident."""
    found: dict[str, tuple[Memory, Memory, str]] = {}
    closed = ClosedQuestions(audited.scope.store, (audited.scope.space,))
    for new, old, objection in _disagreeing(audited):
        if closed.holds(old.id, new.id):
            continue
        found.setdefault(new.id, (new, old, objection))
    newest = sorted(
        found.values(), key=lambda each: (each[0].created_at, min(each[0].confidence, each[1].confidence))
    )
    for new, old, objection in reversed(newest):
        detail = f"{quoted(new.text)} may contradict {quoted(old.text)} ({objection})"
        yield audited.tell("contradiction", old, new, detail, _correcting(old))


def _disagreeing(audited: Audited) -> Iterator[tuple[Memory, Memory, str]]:
    """Yield the newer memory, the older, and the objection, as judged when the newer was written."""
    yield from audited.pairs.updates()


# The areas of keyed values whose text somebody wrote.
_WRITTEN = (
    areas.BLOCK, areas.ALIAS, areas.TASK, areas.PROPOSED_LINK, areas.HELD, areas.WRITE_RULES,
    areas.CHECKPOINT_SAVE, areas.CHECKPOINT_STEP, areas.CHECKPOINT_OUTPUT,
)  # fmt: skip
_CHANGE_IT = "(and change the secret: it stands here in plain text)"


def _secrets(audited: Audited) -> Iterator[AuditIssue]:
    """Yield secrets in memories stored by force or import, ended ones too: the file still holds them."""
    scope = audited.scope
    from memcli.changes.forgetting.targets import removal_command
    from memcli.text.secrets.redaction import secret_kinds_in

    in_texts: dict[str, list[str]] = {}
    for memory in scope.store.select(scope.within(live=False, at=None), order="oldest"):
        beside = [memory.ended_why or "", memory.data, *memory.tags]
        if memory.text not in in_texts:
            in_texts[memory.text] = secret_kinds_in(memory.text)
        names = list(
            dict.fromkeys([*in_texts[memory.text], *(secret_kinds_in(beside) if any(beside) else ())])
        )
        if names:
            forced = is_forced_past_secrets(memory.data)
            how = f"{', kept by force' if forced else ''}{', ended' if memory.ended_at else ''}"
            detail = f"looks like a secret ({', '.join(names)}){how}"
            remedy = message(removal_command(scope, [memory.id]), " ", _CHANGE_IT)
            yield AuditIssue("secrets", [memory.id], detail, remedy)
    yield from _secrets_beside(scope)


def _secrets_beside(scope: Scope) -> Iterator[AuditIssue]:
    """Yield secrets in links, blocks, tasks, checkpoints and rules."""
    from memcli.changes.forgetting.targets import address_of, link_address, removal_command
    from memcli.graph.links import link_statement
    from memcli.text.secrets.redaction import secret_kinds_in, without_secrets

    for link in scope.store.links((scope.space,)):
        told = [link.subject, link.relation, link.object, link_statement(link).replace("_", " "), link.data]
        if names := secret_kinds_in(told):
            detail = f"a link holds what looks like a secret ({', '.join(names)})"
            remedy = message(removal_command(scope, [link_address(link.id)]), " ", _CHANGE_IT)
            yield AuditIssue("secrets", [link.id], detail, remedy)
    states = [*scope.store.states((scope.space,)), *scope.store.states((EVERYWHERE,))]
    for state in states:
        if areas.area_named(state.area) in _WRITTEN and (names := secret_kinds_in([state.key, state.value])):
            key = without_secrets(state.key)
            detail = f"{state.area} {quoted(key)} holds what looks like a secret ({', '.join(names)})"
            address = without_secrets(address_of(state, states))
            remedy = message(removal_command(scope, [address]), " ", _CHANGE_IT)
            yield AuditIssue("secrets", [f"{state.area}/{key}"], detail, remedy)


def _echoes(audited: Audited) -> Iterator[AuditIssue]:
    originals = StoredOriginals(audited.scope.store, audited.scope.space)
    for memory in audited.live:
        if without_echoes(memory.text, originals).echoes:
            detail = f"{quoted(memory.text)} holds what memcli itself printed"
            yield AuditIssue("echoes", [memory.id], detail, _for(memory, "forget"))


def _unused(audited: Audited) -> Iterator[AuditIssue]:
    now = audited.scope.now()
    for memory in audited.live:
        if memory.kind in KNOWLEDGE and not memory.access_count and now - memory.created_at > STALE:
            detail = f"never recalled since {memory.created_at:%Y-%m-%d}: {quoted(memory.text)}"
            yield AuditIssue("unused", [memory.id], detail, _either(memory, "confirm", "forget"))


def _unconfirmed(audited: Audited) -> Iterator[AuditIssue]:
    now = audited.scope.now()
    for memory in audited.live:
        known_since = memory.confirmed_at or memory.created_at
        if memory.kind in KNOWLEDGE and memory.source != "explicit" and now - known_since > STALE:
            detail = f"{memory.source}, unconfirmed since {known_since:%Y-%m-%d}: {quoted(memory.text)}"
            yield AuditIssue("unconfirmed", [memory.id], detail, _either(memory, "confirm", "doubt"))


def _doubtful(audited: Audited) -> Iterator[AuditIssue]:
    for memory in audited.live:
        if memory.confidence < LOW_CONFIDENCE:
            detail = f"confidence {memory.confidence:g}: {quoted(memory.text)}"
            yield AuditIssue("low-confidence", [memory.id], detail, _either(memory, "confirm", "forget"))


def _untrusted(audited: Audited) -> Iterator[AuditIssue]:
    scope = audited.scope
    for memory in scope.store.select(scope.within(trusted=False), order="oldest"):
        detail = f"from {memory.origin}: {quoted(memory.text)}"
        way = joined(", or ", [_for(memory, "edit", " --trusted"), _for(memory, "forget")])
        yield AuditIssue("untrusted", [memory.id], detail, way)


def _without_vectors(audited: Audited) -> Iterator[AuditIssue]:
    scope = audited.scope
    refs = scope.store.wanting(scope.within())[::-1]
    if ids := [memory.id for memory in scope.store.memories_by_ref(refs).values()]:
        yield AuditIssue(
            "missing-vectors",
            ids,
            f"{len(ids)} not found by meaning, or by their beginning only",
            message(Command("reindex", "--missing", bare=True)),
            safe=True,
        )


def _questions(audited: Audited) -> Iterator[AuditIssue]:
    """Yield open questions to the owner, except about pairs that another check has reported already."""
    for asked, older, newer in audited.questions:
        if any({older.id, newer.id} <= some for some in audited.told.get(asked, ())):
            continue
        says = "may contradict" if asked == "contradiction" else "seems to say the same as"
        way = _correcting(older) if asked == "contradiction" else _merging(older.id, newer.id)
        remedy = message(way, _both_hold(older, newer))
        yield AuditIssue(
            "questions", [older.id, newer.id], f"{quoted(newer.text)} {says} {quoted(older.text)}", remedy
        )


def _held(audited: Audited) -> Iterator[AuditIssue]:
    scope = audited.scope
    from memcli.graph.proposed_links import list_proposed_links
    from memcli.write_policy.review import list_held

    waiting = [each.memory.id for each in list_held(scope)]
    if waiting:
        yield AuditIssue("review", waiting, _waits(len(waiting), "memory", "memories"), _REVIEW)
    links = [each.id for each in list_proposed_links(scope)]
    if links:
        yield AuditIssue("review", links, _waits(len(links), "proposed link", "proposed links"), _REVIEW)


def _for(memory: Memory, verb: str, rest: str = "") -> str:
    """Return the command that does something with a memory."""
    return message(Command(verb, f"{memory.id}{rest}", bare=True))


def _either(memory: Memory, *verbs: str) -> str:
    return joined(", or ", [_for(memory, verb) for verb in verbs])


def _correcting(memory: Memory) -> str:
    return joined(", or ", [_for(memory, "correct", " …"), _for(memory, "forget")])


def _merging(*ids: str) -> str:
    return message(Command("merge", " ".join(ids), bare=True))


def _both_hold(older: Memory, newer: Memory) -> str:
    """Return how to close the open question about two memories, to be added to another remedy."""
    return message("; if both hold: ", Command("review close", f"{older.id} {newer.id}", bare=True))


def _waits(number: int, one: str, many: str) -> str:
    return f"{counted(number, one, many)} {'waits' if number == 1 else 'wait'} for review"


AUDIT_CHECKS: dict[str, Callable[[Audited], Iterator[AuditIssue]]] = {
    "secrets": _secrets,
    "duplicates": _duplicates,
    "contradictions": _contradictions,
    "echoes": _echoes,
    "low-confidence": _doubtful,
    "unconfirmed": _unconfirmed,
    "unused": _unused,
    "untrusted": _untrusted,
    "questions": _questions,
    "missing-vectors": _without_vectors,
    "review": _held,
}
