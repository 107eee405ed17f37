"""Link proposals: relations stated outright, or concluded by an LLM, each citing its evidence."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator, Sequence
from contextlib import suppress

from memcli import times
from memcli.consolidation.proposals import Proposal, proposal
from memcli.consolidation.reasoner import Conclusion
from memcli.errors import BadInput
from memcli.graph.proposed_links import KnownLinks
from memcli.model import KNOWLEDGE, Memory
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.text.extraction.relations import OWNER, StatedLink, stated_links
from memcli.text.semantics.reported import own_words
from memcli.tiers.sessions.episodes import turn_role

# The confidence that the form of a statement, and the memory, must exceed for a proposal.
_SURE = 0.8
# How an LLM may name the owner of these memories.
_OWNER = re.compile(r"(?:the )?(?:owner|user|speaker|narrator|i|me|myself)", re.IGNORECASE)
_DAY = re.compile(r"(?:(?P<month>[A-Z][a-z]{2,}) )?(?:(?P<day>\d{1,2}),? )?(?P<year>\d{4})")
# The most memories that one proposal cites.
_MOST_EVIDENCE = 8


class _Candidate(NamedTuple):
    link: StatedLink
    evidence: list[Memory]
    why: str


def propose_links(
    scope: Scope,
    step: str,
    some: Sequence[Memory],
    concluded: Sequence[tuple[Conclusion, Sequence[Memory]]] = (),
) -> Iterator[Proposal]:
    """Yield a proposal for each new relation: neither linked, unlinked, proposed nor rejected before.

    An untrusted memory is never evidence beside a trusted one.
    """
    known = KnownLinks(scope)
    found: dict[tuple[str, str, str], _Candidate] = {}
    told = [
        _Candidate(link, [memory], "stated")
        for memory in some
        if _speaks_for_itself(memory)
        for link in stated_links(own_words(memory.text), known.entity)
        if min(link.confidence, memory.confidence) > _SURE
    ]
    told += [
        _Candidate(link, list(evidence), "concluded") for fact, evidence in concluded for link in _named(fact)
    ]
    for each in sorted(told, key=lambda each: not each.evidence[0].trusted):
        ends = (each.link.subject, each.link.relation, each.link.object)
        if known.link(*ends, trusted=each.evidence[0].trusted):
            continue
        first = found.setdefault(known.key(*ends), each)
        if first is not each and first.evidence[0].trusted == each.evidence[0].trusted:
            here = {memory.id for memory in first.evidence}
            room = _MOST_EVIDENCE - len(here)
            first.evidence.extend([memory for memory in each.evidence if memory.id not in here][:room])
    for each in found.values():
        link = each.link
        record = {
            "subject": link.subject, "relation": link.relation, "object": link.object,
            "confidence": link.confidence, "since": _since(scope, link.since),
        }  # fmt: skip
        yield proposal(step, "link", each.evidence, each.why, link=record)


def _speaks_for_itself(memory: Memory) -> bool:
    """True for what the owner said or wrote; a conclusion adds nothing to what it was drawn from."""
    if memory.kind == "episode":
        return turn_role(memory) in ("user", "note", "decision", "event")
    return memory.kind in KNOWLEDGE and memory.source in ("explicit", "merged", "imported")


def _named(fact: Conclusion) -> Iterator[StatedLink]:
    """Yield the relations of a conclusion, with the owner and the verbs in memcli's notation."""
    for subject, relation, obj in fact.links:
        verb = "_".join(re.findall(r"\w+", relation.casefold()))
        ends = [OWNER if _OWNER.fullmatch(end.strip()) else end for end in (subject, obj)]
        if verb and ends[0].casefold() != ends[1].casefold():
            yield StatedLink(ends[0], verb, ends[1], fact.confidence)


def _since(scope: Scope, said: str | None) -> str | None:
    """Return the instant that "2021", "March 2021" or "March 3, 2021" means; None if it is no date."""
    found = _DAY.fullmatch(said or "")
    if not found:
        return None
    month = next((n for n in range(1, 13) if found["month"] and month_name[n].startswith(found["month"])), 0)
    parts = [found["year"], month, found["day"]] if month else [found["year"]]
    with suppress(BadInput):
        written = "-".join(f"{int(part):02}" for part in parts if part)
        return times.to_iso(times.parse_instant(written, scope.now()))
    return None
