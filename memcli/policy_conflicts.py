"""Policies that contradict each other: one forbids what another demands or allows.

Judged by form, so a hint to the owner and no more. Two are about the same
where they share a pattern, one's pattern is found in the other's rule, or
their rules say nearly the same, by words or by meaning. They are opposite
where only one of them allows, or where only one of them says no (twice no, as
in "never without", is yes).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from memcli import words
from memcli.memories import Memories
from memcli.patterns import first_match
from memcli.policies import Policy
from memcli.policy_text import PolicyText

# English, and the commonest of its neighbours.
_NO = re.compile(
    r"\b(?:never|no|not|cannot|nor|without|avoid|refrain|refuse|forget|skip|omit|stop|"
    r"(?:forbid|prohibit|disallow|ban|deny)\w*|nie|niemals|nicht|kein\w*|ohne|jamais|pas|sans|nunca|sin)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(r"\b(?:unless|except|because|außer|sauf|salvo)\b", re.IGNORECASE)
# What makes a rule of a sentence, and says nothing about its subject.
_MODAL = frozenset(
    ("always", "must", "shall", "should", "may", "can", "allowed", "required", "permitted", "need", "ok",
     "please", "ensure")
)  # fmt: skip
# Set on fourteen pairs of our own: opposite rules are alike by 0.72 and more, others that differ in
# their no by 0.68 and less.
_SAME_WORDS = 0.6
_SAME_MEANING = 0.7


class Conflict(NamedTuple):
    """Two policies that contradict each other, and why that is thought."""

    one: Policy
    other: Policy
    why: str


def conflicts(memories: Memories, policies: Sequence[Policy], of: Policy | None = None) -> list[Conflict]:
    """The contradictions among policies, or those of one of them."""
    alike = _likeness(memories, policies)
    found = []
    for one, other in combinations(policies, 2):
        if of is not None and of.memory.id not in (one.memory.id, other.memory.id):
            continue
        subject = _same_subject(one.says, other.says, alike.get((one.memory.id, other.memory.id), 0.0))
        if subject and (opposed := _opposed(one.says, other.says, subject)):
            found.append(Conflict(one, other, f"{opposed}: {subject.why}"))
    return found


def forbids(rule: str) -> bool:
    """Whether a rule says no, by its form: an odd number of negations before any exception."""
    return len(_NO.findall(_EXCEPTION.split(rule)[0])) % 2 == 1


class _Subject(NamedTuple):
    """Why two policies are thought to be about the same."""

    why: str
    # Patterns decide checks, so there an allowance contradicts whatever else matches.
    by_pattern: bool


def _opposed(one: PolicyText, other: PolicyText, subject: _Subject) -> str | None:
    allows = [each.enforcement == "allow" for each in (one, other)]
    says_no = [forbids(each.rule) and not allow for each, allow in zip((one, other), allows, strict=True)]
    if allows[0] != allows[1] and (subject.by_pattern or says_no[0] != says_no[1]):
        return "one allows what the other does not"
    return "one demands what the other forbids" if says_no[0] != says_no[1] else None


def _same_subject(one: PolicyText, other: PolicyText, likeness: float) -> _Subject | None:
    for pattern in one.patterns:
        if pattern in other.patterns:
            return _Subject(f"both have the pattern '{pattern}'", by_pattern=True)
    for each, rule in ((one, other.rule), (other, one.rule)):
        if found := first_match(each.patterns, rule):
            why = f"the pattern '{found}' of {each.name!r} is found in the other's rule"
            return _Subject(why, by_pattern=True)
    if likeness >= _SAME_MEANING:
        return _Subject(f"their rules are alike in meaning ({likeness:.2f})", by_pattern=False)
    subjects = [_subject(each.rule) for each in (one, other)]
    shared, every = subjects[0] & subjects[1], subjects[0] | subjects[1]
    if every and len(shared) / len(every) >= _SAME_WORDS:
        return _Subject("their rules share most of their words", by_pattern=False)
    return None


def _subject(rule: str) -> set[words.Term]:
    terms = words.query_terms(_EXCEPTION.split(rule)[0])
    return {term for term in terms if not (_NO.fullmatch(term[0]) or term[0] in _MODAL)}


def _likeness(memories: Memories, policies: Sequence[Policy]) -> Mapping[tuple[str, str], float]:
    """The cosine of each two policies' texts, by their ids; empty where the store has no vectors."""
    refs = memories.store.references([policy.memory.id for policy in policies])
    vectors = memories.store.vectors(list(refs.values()))
    named = [memory_id for memory_id, ref in refs.items() if vectors.get(ref)]
    if len(named) < 2:
        return {}
    import numpy as np

    rows = np.stack([np.frombuffer(vectors[refs[memory_id]][0], dtype="<f4") for memory_id in named])
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    cosines = rows @ rows.T
    return dict(_pairs(named, cosines.tolist()))


def _pairs(
    named: Sequence[str], cosines: Sequence[Sequence[float]]
) -> Iterator[tuple[tuple[str, str], float]]:
    for (row, one), (column, other) in combinations(enumerate(named), 2):
        yield (one, other), cosines[row][column]
        yield (other, one), cosines[row][column]
