"""Why each result came, why the nearest others did not, and what the floor judged by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memcli import ids, times
from memcli.recall.ranking.events import Landmark
from memcli.recall.results import Hit, Miss, MissReason, Recall
from memcli.text.printable import one_line


def without(answer: Recall, reasons: Mapping[str, MissReason]) -> Recall:
    """The same where hits, by their ids, are misses for some reason."""
    left_out = [Miss(hit, reasons[hit.memory.id]) for hit in answer.hits if hit.memory.id in reasons]
    hits = [hit for hit in answer.hits if hit.memory.id not in reasons]
    return answer._replace(hits=hits, misses=[*left_out, *answer.misses])


def summary(answer: Recall) -> dict[str, Any]:
    """What is said beside the hits: `misses`, what the floor judged by, the event that tells the time."""
    e = answer.evidence
    return {
        "misses": [_miss_record(miss) for miss in answer.misses],
        "floor": {"min_score": answer.least, **(e._asdict() if e else {})},
        "event": _event_record(answer),
        "degraded": answer.degraded is not None,
    }


def lines(answer: Recall) -> Iterator[str]:
    """The same for people."""
    for hit in answer.hits:
        yield f"{hit.score:.2f}  {ids.tail(hit.memory.id)}  {_short(hit.memory.text, 90)}"
        parts = [f"{name} {value:+.3f}" for name, value in hit.parts.items() if abs(value) >= 0.0005]
        words = "-" if hit.words is None else f"{hit.words:.2f}"
        meaning = "-" if hit.meaning is None else f"{hit.meaning:.2f}"
        yield f"      {'  '.join(parts)}  = {hit.total:.3f}"
        yield f"      words score {words}, meaning score {meaning}"
    for miss in answer.misses:
        hit, (reason, detail) = miss
        walled = reason == "other space"
        text = "" if walled else f"  {_short(hit.memory.text, 70)}"
        total = "" if walled else f", total {hit.total:.3f}"
        said = f"{reason} ({one_line(detail)})" if detail else reason
        yield f"miss  {ids.tail(hit.memory.id)}{text}"
        yield f"      {said}: score {hit.score:.2f}{total}"
    if answer.landmark:
        anchor, memory, _ = answer.landmark
        yield f"event: {one_line(anchor.phrase)!r} is {ids.tail(memory.id)}  {_short(memory.text, 70)}"
        yield f"      preferred is what happened {_span(answer.landmark)}"
    if answer.evidence:
        e = answer.evidence
        nearest = "not searched" if e.meaning is None else f"{e.meaning:.2f}"
        yield (
            f"floor: nearest meaning {nearest}, most words in one memory {e.words:.2f}, names known "
            f"{e.known}, unknown {e.strangers}, about the owner: {'yes' if e.about_owner else 'no'}"
        )


def _short(text: str, longest: int) -> str:
    shown = one_line(text)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def scores(hit: Hit) -> dict[str, Any]:
    """How a hit's place came about: both searches, each signal and factor, their sum."""
    return {"words": hit.words, "meaning": hit.meaning, "parts": hit.parts, "total": hit.total}


def _miss_record(miss: Miss) -> dict[str, Any]:
    hit, (reason, detail) = miss
    score = round(hit.score, 4)
    if reason == "other space":
        # Spaces are walls: that there is something, and where, is all that is said.
        return {"id": hit.memory.id, "space": detail, "score": score, "reason": reason, "detail": detail}
    return {
        "id": hit.memory.id, "kind": hit.memory.kind, "text": hit.memory.text, "space": hit.memory.space,
        "score": score, "reason": reason, "detail": detail, "explain": scores(hit),
    }  # fmt: skip


def _event_record(answer: Recall) -> dict[str, Any] | None:
    if answer.landmark is None:
        return None
    anchor, memory, span = answer.landmark
    return {
        "phrase": anchor.phrase, "relation": anchor.relation, "days_away": anchor.away,
        "id": memory.id, "text": memory.text,
        "from": None if anchor.relation == "before" and not anchor.away else times.to_text(span.start),
        "to": None if anchor.relation == "after" and not anchor.away else times.to_text(span.end),
    }  # fmt: skip


def _span(landmark: Landmark) -> str:
    anchor, _, span = landmark
    if anchor.relation == "before" and not anchor.away:
        return f"before {times.day(span.end)}"
    if anchor.relation == "after" and not anchor.away:
        return f"from {times.day(span.start)} on"
    return f"from {times.day(span.start)} to {times.day(span.end)}, or soon after"
