"""Explanation of an answer: each hit's score, why the nearest misses are none, the floor's evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memcli import ids, times
from memcli.prompt import formats
from memcli.recall.ranking.landmarks import Landmark
from memcli.recall.results import Hit, Miss, MissReason, Recall
from memcli.text.printable import one_line


def without_hits(answer: Recall, reasons: Mapping[str, MissReason]) -> Recall:
    """Return the answer with the hits that `reasons` names (by memory id) moved to its misses."""
    left_out = [Miss(hit, reasons[hit.memory.id]) for hit in answer.hits if hit.memory.id in reasons]
    hits = [hit for hit in answer.hits if hit.memory.id not in reasons]
    return answer._replace(hits=hits, misses=[*left_out, *answer.misses])


def explanation_summary(answer: Recall) -> dict[str, Any]:
    """Return what `--explain` adds to JSON: misses, floor, the event that names the time, degradation."""
    e = answer.evidence
    misses = [_miss_record(miss) for miss in answer.misses]
    floor = {"min_score": answer.least, **(e._asdict() if e else {})}
    floor |= {"sureness": answer.sureness, "weak": answer.weak, "zone": answer.zone}
    if answer.inquiry:
        floor |= {"min_sure": answer.inquiry.settings.min_sure, "best": _best_score(answer)}
    if answer.attribution:
        floor["attribution"] = answer.attribution._asdict()
    rest = (misses, floor, _event_record(answer), answer.degraded is not None)
    return dict(zip(formats.MISSES, rest, strict=True))


def explanation_lines(answer: Recall) -> Iterator[str]:
    """Yield lines for people: how each hit's score came about, and the nearest misses."""
    weak = formats.WEAK_MARK if answer.weak else ""
    for hit in answer.hits:
        tail, text = ids.short_id(hit.memory.id), _short(hit.memory.text, 90)
        newer = formats.UPDATED_MARK.format(stranger=ids.short_id(hit.updated_by)) if hit.updated_by else ""
        older = formats.FOUND_AS_MARK.format(stranger=ids.short_id(hit.found_as)) if hit.found_as else ""
        yield formats.EXPLAINED.format(score=hit.score, id=tail, text=text) + older + newer + weak
        if not hit.parts:
            # Only a time was asked for: nothing was scored.
            continue
        parts = [
            formats.PART.format(name=name, part=value)
            for name, value in hit.parts.items() if abs(value) >= 0.0005
        ]  # fmt: skip
        yield formats.PARTS.format(parts="  ".join(parts), sum=hit.total)
        yield formats.SCORES.format(words=_score(hit.words, "-"), meaning=_score(hit.meaning, "-"))
    for miss in answer.misses:
        yield from _miss_lines(miss)
    if answer.landmark:
        anchor, memory, _ = answer.landmark
        named, text = repr(one_line(anchor.phrase)), _short(memory.text, 70)
        yield formats.EVENT.format(phrase=named, id=ids.short_id(memory.id), text=text)
        yield formats.PREFERRED.format(span=_span(answer.landmark))
    if e := answer.evidence:
        yield formats.FLOOR.format(
            nearest=_score(e.meaning, "not searched"), share=e.words, count=e.known, total=e.strangers,
            answer="yes" if e.about_owner else "no",
        )  # fmt: skip
    if answer.evidence and answer.sureness is not None and answer.inquiry:
        yield formats.SURE.format(
            share=answer.sureness, score=answer.inquiry.settings.min_sure,
            answer="yes" if answer.evidence.asks_measure else "no",
        )  # fmt: skip
        best = _score(_best_score(answer), "not searched")
        yield formats.ZONE.format(zone=answer.zone, nearest=best, score=answer.least)
    if answer.attribution:
        named, speaker, _ = answer.attribution
        yield formats.SAID_BY_ANOTHER.format(name=one_line(speaker), label=one_line(named))


def _miss_lines(miss: Miss) -> Iterator[str]:
    hit, (reason, detail) = miss
    tail = ids.short_id(hit.memory.id)
    said = f"{reason} ({one_line(detail)})" if detail else reason
    if reason == "other space":
        yield formats.MISSED_ELSEWHERE.format(stranger=tail)
        yield formats.WHY_MISSED_ELSEWHERE.format(reason=said, score=hit.score)
    else:
        yield formats.MISSED.format(id=tail, text=_short(hit.memory.text, 70))
        yield formats.WHY_MISSED.format(reason=said, score=hit.score, sum=hit.total)


def _best_score(answer: Recall) -> float | None:
    """Return the score of the best candidate, shown or not; None if there is none."""
    scores = [hit.score for hit in (*answer.hits, *(miss.hit for miss in answer.misses))]
    return max(scores, default=None)


def _score(score: float | None, none: str) -> str:
    return none if score is None else f"{score:.2f}"


def _short(text: str, longest: int) -> str:
    return one_line(text, longest)


def score_parts(hit: Hit) -> dict[str, Any]:
    """Return how a hit's place came about: both searches, each signal and factor, their sum."""
    return {"words": hit.words, "meaning": hit.meaning, "parts": hit.parts, "total": hit.total}


def _miss_record(miss: Miss) -> dict[str, Any]:
    hit, (reason, detail) = miss
    score = round(hit.score, 4)
    if reason == "other space":
        # Spaces are walled off: only that there is a memory, and in which space, is said.
        return {"id": hit.memory.id, "space": detail, "score": score, "reason": reason, "detail": detail}
    return {
        "id": hit.memory.id, "kind": hit.memory.kind, "text": hit.memory.text, "space": hit.memory.space,
        "score": score, "reason": reason, "detail": detail, "explain": score_parts(hit),
    }  # fmt: skip


def _event_record(answer: Recall) -> dict[str, Any] | None:
    if answer.landmark is None:
        return None
    anchor, memory, span = answer.landmark
    return {
        "phrase": anchor.phrase, "relation": anchor.relation, "days_away": anchor.away,
        "id": memory.id, "text": memory.text,
        "from": None if anchor.relation == "before" and not anchor.away else times.to_iso(span.start),
        "to": None if anchor.relation == "after" and not anchor.away else times.to_iso(span.end),
    }  # fmt: skip


def _span(landmark: Landmark) -> str:
    anchor, _, span = landmark
    if anchor.relation == "before" and not anchor.away:
        return f"before {times.local_day(span.end)}"
    if anchor.relation == "after" and not anchor.away:
        return f"from {times.local_day(span.start)} on"
    return f"from {times.local_day(span.start)} to {times.local_day(span.end)}, or soon after"
