"""Links: the evidence, origin, validity and change history of one link, and how it is written as text.

Beyond its columns a link keeps in `data`: `evidence` (further memories that state it), `confirmed` (how
often it was restated), `changes` (its values before each change, so that it can be read as of a past day),
and `origin` (the untrusted origin it came from; absent for the owner's links).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime, timedelta
from typing import Any

from memcli import times
from memcli.model import Link, Memory

_INSTANTS = ("valid_from", "valid_until", "ended_at")
_MOMENT = timedelta(milliseconds=1)
# The fields whose former values a change may record.
_RECORDED = ("space", "confidence", *_INSTANTS)


def evidence_of(link: Link) -> list[str]:
    """Return the ids of the memories that state the link, the first one first."""
    further = link.data.get("evidence")
    told = [link.evidence, *(further if isinstance(further, list) else ())]
    return list(dict.fromkeys(each for each in told if isinstance(each, str)))


def is_owners_link(link: Link) -> bool:
    """True if the owner stated it, whatever its evidence is."""
    return "origin" not in link.data


def untrusted_origin(link: Link) -> str | None:
    """Return the untrusted origin that it came from; None if the owner stated it."""
    return None if is_owners_link(link) else str(link.data["origin"])


def is_trusted_link(link: Link, evidence: Mapping[str, Memory]) -> bool:
    """True if the owner stated it and all of its evidence (by id) is trusted."""
    told = (evidence[each] for each in evidence_of(link) if each in evidence)
    return is_owners_link(link) and all(memory.trusted for memory in told)


def amended_link(
    link: Link,
    at: datetime,
    action: str,
    *,
    reason: str | None = None,
    within: str | None = None,
    evidence: Sequence[str] | None = None,
    **fields: Any,
) -> Link:
    """Return `link` with new values of `fields` and `evidence`; the old ones go into its change history.

    `within` is the id of the change to memories that this is a part of, and with which it is undone.
    Returns the link itself if nothing differs.
    """
    before = {
        name: _as_json(getattr(link, name)) for name, new in fields.items() if getattr(link, name) != new
    }
    data = dict(link.data)
    if evidence is not None and list(evidence) != evidence_of(link):
        before["evidence"] = evidence_of(link)
        fields["evidence"], data["evidence"] = evidence[0], list(evidence[1:])
        if not data["evidence"]:
            del data["evidence"]
    if not before:
        return link
    change = {"at": times.to_iso(at), "action": action, "before": before}
    if reason:
        change["reason"] = reason
    if within:
        change["change"] = within
    data["changes"] = [*recorded_changes(link), change]
    return link._replace(**fields, data=data)


def resting_only_on(link: Link, evidence: Sequence[str]) -> Link:
    """Return `link` with only these memories as evidence; ids of others are removed from its history too."""
    kept = set(evidence)
    changes = [
        {
            **change,
            "before": {
                **change["before"],
                "evidence": [e for e in change["before"]["evidence"] if e in kept],
            },
        }
        if "evidence" in change["before"]
        else change
        for change in recorded_changes(link)
    ]
    further = {"evidence": list(evidence[1:]), "changes": changes}
    data = {name: value for name, value in {**link.data, **further}.items() if value or name not in further}
    return link._replace(evidence=evidence[0], data=data)


def resting_on_others(links: Iterable[Link], gone: Set[str]) -> list[Link]:
    """Return the links that lose some but not all of their evidence, with the evidence that is left."""
    found = []
    for link in links:
        told = evidence_of(link)
        left = [each for each in told if each not in gone]
        if left and len(left) < len(told):
            found.append(resting_only_on(link, left))
    return found


def link_reasons(link: Link) -> list[str]:
    """Return the reasons for changes in its history."""
    return [change["reason"] for change in recorded_changes(link) if isinstance(change.get("reason"), str)]


def link_without_reasons(link: Link, reasons: Set[str]) -> Link:
    """Return the link with these reasons removed from its history."""
    changes = [
        {name: value for name, value in change.items() if name != "reason"}
        if change.get("reason") in reasons
        else change
        for change in recorded_changes(link)
    ]
    return link._replace(data={**link.data, "changes": changes})


def link_within(link: Link, change: str, at: datetime, *, made: bool) -> Link:
    """Return the link with its last change marked as part of a change to memories, and undone with it.

    `made`: the link is new, so undoing that change ends it.
    """
    changes = recorded_changes(link)
    if made:
        changes.append({"at": times.to_iso(at), "action": "made", "before": {"ended_at": times.to_iso(at)}})
    if changes:
        changes[-1] = {**changes[-1], "change": change}
    return link._replace(data={**link.data, "changes": changes}) if changes else link


def link_as_of(link: Link, at: datetime) -> Link | None:
    """Return the link as the store knew it at an instant (later changes undone); None if it did not exist."""
    if link.created_at > at:
        return None
    changes = recorded_changes(link)
    since = len(changes)
    before: dict[str, Any] = {}
    while since and times.from_iso(changes[since - 1]["at"]) > at:
        since -= 1
        before |= changes[since]["before"]
    known = link
    if since < len(changes):
        data = {**link.data, "changes": changes[:since]}
        if not since:
            del data["changes"]
        known = link._replace(**_before(before, data))
    return known._replace(ended_at=None) if known.ended_at and known.ended_at > at else known


def link_changed_at(link: Link) -> datetime:
    """Return when it was last changed, as far as recorded; else when it was made."""
    changes = recorded_changes(link)
    return times.from_iso(changes[-1]["at"]) if changes else link.created_at


def fields_before_change(link: Link, change: str) -> dict[str, Any]:
    """Return a link's fields before a change to memories that it was part of, as `amended_link` takes them.

    Fields that have been changed again since are left out.
    """
    fields: dict[str, Any] = {}
    for each in recorded_changes(link):
        fields = {name: value for name, value in fields.items() if name not in each["before"]}
        if each.get("change") == change:
            fields |= each["before"]
    evidence = {"evidence": fields["evidence"]} if fields.get("evidence") else {}
    return {name: value for name, value in _before(fields, {}).items() if name in _RECORDED} | evidence


def _before(before: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a link as recorded before a change; `data` with its evidence."""
    fields = {name: before[name] for name in _RECORDED if name in before}
    for name in _INSTANTS:
        if fields.get(name):
            fields[name] = times.from_iso(fields[name])
    if "evidence" in before:
        first, *further = before["evidence"] or [None]
        fields["evidence"] = first
        data = {**data, "evidence": further}
        if not further:
            del data["evidence"]
    return {**fields, "data": data}


def is_true_within(link: Link, start: datetime, end: datetime) -> bool:
    """True if it was valid at any time from `start` to `end`, both included."""
    since, until = link.valid_from, link.valid_until
    return (since is None or since <= end) and (until is None or until > start)


def link_statement(link: Link) -> str:
    """Return the link in one line: `Ann works_at Acme (since 2024, confidence 0.8)`.

    The names are as stored: clean them (`one_line`) for display.
    """
    said = f"{link.subject} {link.relation} {link.object}"
    noted = link_remarks(link)
    return f"{said} ({', '.join(noted)})" if noted else said


def link_remarks(link: Link) -> list[str]:
    """Return remarks on a link besides its statement: validity, confidence below 1, and when it ended."""
    noted = []
    if link.valid_from:
        noted.append(f"since {_since(link.valid_from)}")
    if link.valid_until:
        noted.append(f"until {_until(link.valid_until)}")
    if link.confidence < 1:
        noted.append(f"confidence {link.confidence:.2g}")
    if link.ended_at:
        noted.append(f"unlinked {times.local_day(link.ended_at)}")
    return noted


def _since(instant: datetime) -> str:
    """Return the year if the instant begins one, the day if it begins one, else the time to the minute."""
    shown, here = times.local_time(instant), times.local(instant)
    if (here.hour, here.minute, here.second) != (0, 0, 0):
        return shown
    return shown[:4] if (here.month, here.day) == (1, 1) else shown[:10]


def _until(instant: datetime) -> str:
    """Return the last year or day in which it is valid, if it is so to its end; else the time of day too."""
    last = (
        max(instant, times.FIRST + _MOMENT) - _MOMENT
    )  # valid until midnight means until the end of the day before
    shown, here = times.local_time(last), times.local(last)
    if (here.hour, here.minute, here.second) != (23, 59, 59):
        return times.local_time(instant)
    return shown[:4] if (here.month, here.day) == (12, 31) else shown[:10]


def recorded_changes(link: Link) -> list[dict[str, Any]]:
    """Return its recorded changes, oldest first; malformed ones (from an import) are left out."""
    changes = link.data.get("changes")
    return [change for change in (changes if isinstance(changes, list) else ()) if _sound(change)]


def _sound(change: Any) -> bool:
    try:
        times.from_iso(change["at"])
        before = change["before"]
        for name in _INSTANTS:
            if before.get(name) is not None:
                times.from_iso(before[name])
        return (
            isinstance(before.get("confidence", 1.0), int | float)
            and isinstance(before.get("evidence", []), list)
            and all(isinstance(each, str) for each in before.get("evidence", ()))
            and isinstance(before.get("space", ""), str)
            and isinstance(change.get("reason") or "", str)
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return False


def _as_json(value: Any) -> Any:
    return times.to_iso(value) if isinstance(value, datetime) else value
