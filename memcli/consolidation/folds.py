"""Folds of closed sessions: summarise all turns, some at a time; carried out at once, or planned."""

from __future__ import annotations

from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.memory_data import is_folded
from memcli.scope import Scope
from memcli.storage.batches import in_batches
from memcli.tiers.sessions.episodes import read_session, turns_covered
from memcli.tiers.sessions.extracts import Summariser, SummaryRequest, extractive_summary
from memcli.tiers.sessions.folding import alike_turns, fold_turns, summary_room

# How many turns are folded at once: one fold is one transaction.
AT_ONCE = 100


def fold_session(memories: Memories, session: str, summarise: Summariser = extractive_summary) -> int:
    """Fold all turns of a session, some at a time; return how many."""
    folded = 0
    while turns := read_session(memories, session).unfolded:
        if fold_turns(memories, session, keep=max(len(turns) - AT_ONCE, 0), summarise=summarise) is None:
            break
        folded += min(len(turns), AT_ONCE)
    if folded and memories.config["folded_turns"] == "end":
        folded_turns = [turn.id for turn in read_session(memories, session).turns if is_folded(turn)]
        for some in in_batches(folded_turns, AT_ONCE):
            memories.end(some, f"session {session} folded", "folded")
    return folded


def planned_summaries(scope: Scope, session: str, summarise: Summariser) -> list[dict[str, object]]:
    """Return the summaries that folding a session would make, part by part: `turns` and `text`."""
    record = read_session(scope, session)
    before: dict[bool, SummaryRequest] = {}
    parts: list[dict[str, object]] = []
    for batch in in_batches(record.unfolded, AT_ONCE):
        for turns in alike_turns(batch):
            trusted, known = turns[0].trusted, record.summary_like(turns[0])
            said = before.get(trusted) or SummaryRequest(
                known.text if known else "", turns_covered(known), (), summary_room(scope), trusted
            )
            text = summarise(said._replace(turns=turns))
            parts.append({"turns": [each.id for each in turns], "text": text})
            before[trusted] = said._replace(previous=text, covered=said.covered + len(turns))
    return parts


def planned_summariser(parts: object) -> Summariser:
    """Return a summariser that gives the planned text for the turns it was planned for; else BadInput."""
    known: dict[tuple[str, ...], str] = {}
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict) and isinstance(part.get("turns"), list):
            known[tuple(part["turns"])] = str(part.get("text", ""))

    def say(fold: SummaryRequest) -> str:
        try:
            return known[tuple(each.id for each in fold.turns)]
        except KeyError:
            raise BadInput("its turns are not those that were summarised") from None

    return say
