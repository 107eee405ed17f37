"""Conflicts between policies: one forbids what another demands or allows.

Judged by form, so only a hint to the owner. Two policies are about the same thing if they share a pattern,
one's pattern is found in the other's rule, or their rules say nearly the same, by words or by meaning. They
are opposite if only one of them allows, or only one of them is negated (a double negation, as in "never
without", cancels out).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.text import words
from memcli.text.patterns import Patterns
from memcli.tiers.policies.policies import Policy

# Negations in English, and the commonest ones in neighbouring languages.
_NO = re.compile(
    r"\b(?:never|no|not|cannot|nor|without|avoid|refrain|refuse|forget|skip|omit|stop|"
    r"(?:forbid|prohibit|disallow|ban|deny)\w*|nie|niemals|nicht|kein\w*|ohne|jamais|pas|sans|nunca|sin)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(r"\b(?:unless|except|because|außer|sauf|salvo)\b", re.IGNORECASE)
# Words that make a sentence a rule, and say nothing about its subject.
_MODAL = frozenset(
    ("always", "must", "shall", "should", "may", "can", "allowed", "required", "permitted", "need", "ok",
     "please", "ensure")
)  # fmt: skip
# Thresholds set on fourteen pairs of our own: opposite rules have a similarity of at least 0.72, others that
# differ in their negation at most 0.68.
_SAME_WORDS = 0.6
_SAME_MEANING = 0.7


class PolicyConflict(NamedTuple):
    """Two policies that contradict each other, and the reason for thinking so."""

    one: Policy
    other: Policy
    why: str


def policy_conflicts(
    scope: Scope, policies: Sequence[Policy], of: Policy | None = None
) -> list[PolicyConflict]:
    """Return the conflicts among policies, or those of one of them."""
    sides = [_Side.of(policy) for policy in policies]
    alike = _likeness(scope, policies)
    found = []
    for one, other in combinations(sides, 2):
        if of is None or of.memory.id in (one.policy.memory.id, other.policy.memory.id):
            why = _contradiction(one, other, alike.get((one.policy.memory.id, other.policy.memory.id), 0.0))
            found += [PolicyConflict(one.policy, other.policy, why)] if why else []
    return found


def is_prohibition(rule: str) -> bool:
    """True if a rule forbids, by its form: an odd number of negations before any exception."""
    return len(_NO.findall(_EXCEPTION.split(rule)[0])) % 2 == 1


class _Side(NamedTuple):
    """One policy of a pair, and what is compared."""

    policy: Policy
    allows: bool
    says_no: bool
    patterns: Patterns
    subject: frozenset[words.Term]

    @staticmethod
    def of(policy: Policy) -> _Side:
        says = policy.says
        allows = says.enforcement == "allow"
        terms = words.query_terms(_EXCEPTION.split(says.rule)[0])
        subject = (term for term in terms if not (_NO.fullmatch(term[0]) or term[0] in _MODAL))
        return _Side(
            policy,
            allows,
            is_prohibition(says.rule) and not allows,
            Patterns(says.patterns, f"policy {says.name!r}: pattern"),
            frozenset(subject),
        )


def _contradiction(one: _Side, other: _Side, likeness: float) -> str | None:
    differ = one.says_no != other.says_no
    if one.allows != other.allows:
        opposed = "one allows what the other does not"
    elif differ:
        opposed = "one demands what the other forbids"
    else:
        return None
    # Patterns decide checks, so there an allowance contradicts any other policy that matches.
    subject = _shared_pattern(one, other) or (_same_rule(one, other, likeness) if differ else None)
    return f"{opposed}: {subject}" if subject else None


def _shared_pattern(one: _Side, other: _Side) -> str | None:
    for pattern in one.policy.says.patterns:
        if pattern in other.policy.says.patterns:
            return f"both have the pattern '{pattern}'"
    for each, rule in ((one, other.policy.says.rule), (other, one.policy.says.rule)):
        if found := each.patterns.first(rule):
            return f"the pattern '{found}' of {each.policy.name!r} is found in the other's rule"
    return None


def _same_rule(one: _Side, other: _Side, likeness: float) -> str | None:
    if likeness >= _SAME_MEANING:
        return f"their rules are alike in meaning ({likeness:.2f})"
    every = one.subject | other.subject
    if every and len(one.subject & other.subject) / len(every) >= _SAME_WORDS:
        return "their rules share most of their words"
    return None


def _likeness(scope: Scope, policies: Sequence[Policy]) -> Mapping[tuple[str, str], float]:
    """Return the cosine of each two policies' texts, by their ids; empty if the store has no vectors."""
    refs = scope.store.refs_by_id([policy.memory.id for policy in policies])
    vectors = scope.store.vectors(list(refs.values()))
    named = [memory_id for memory_id, ref in refs.items() if vectors.get(ref)]
    if len(named) < 2:
        return {}
    from memcli.embedding.scale import as_likeness, comparable_rows, store_scale

    scale = store_scale(scope.store)
    rows = comparable_rows([vectors[refs[memory_id]][0] for memory_id in named], scale)
    cosines = rows @ rows.T
    return {pair: as_likeness(cosine, scale) for pair, cosine in _pairs(named, cosines.tolist())}


def _pairs(
    named: Sequence[str], cosines: Sequence[Sequence[float]]
) -> Iterator[tuple[tuple[str, str], float]]:
    for (row, one), (column, other) in combinations(enumerate(named), 2):
        yield (one, other), cosines[row][column]
        yield (other, one), cosines[row][column]
