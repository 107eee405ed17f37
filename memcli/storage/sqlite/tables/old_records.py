"""Old records in migrations: fill in fields that older versions had in words, rebuild words and names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from memcli import ids
from memcli.model import Event
from memcli.storage import areas
from memcli.storage.old_records import QUESTION_HEAD, OldRecords, undone_by
from memcli.storage.rows import UNREADABLE, to_json
from memcli.text import words
from memcli.text.naming import names
from memcli.times import from_iso

if TYPE_CHECKING:
    from sqlite_utils.db import Database

_MEMORY = ("id", "session", "ended_at", "ended_why", "supersedes")
# The columns `ended_as` and `replaced_by` of a memory in force.
_IN_FORCE = (None, None)
_LINE = "number, at, memory, action, actor, reason, before, after, change"


def fill_in(db: Database) -> None:
    """Fill in how each ended memory ended, and what each undo undid. See `memcli.storage.old_records`."""
    records = OldRecords(_memories(db), _lines(db))
    for event in _events(db, "action = 'undo'"):
        if key := undone_by(event, lambda key: _change(db, key)):
            db.execute("UPDATE history SET undoes = ? WHERE number = ?", (key, event.number))
    for memory in _memories(db, "WHERE ended_at IS NOT NULL"):
        if end := records.end_of(memory, memory):
            sql = "UPDATE memories SET ended_as = ?, replaced_by = ? WHERE id = ?"
            db.execute(sql, (*end, memory["id"]))
    known: dict[str, dict[str, Any]] = {}
    ended = "instr(before, '\"ended_at\"') OR instr(after, '\"ended_at\"')"
    for event in list(_events(db, ended)):
        if event.memory not in known:
            known |= {each["id"]: each for each in _memories(db, "WHERE id = ?", event.memory)}
        if event.memory in known:
            _fill_in_line(db, event, records, known[event.memory])


def move_questions(db: Database) -> None:
    """Move the questions out of the area of consolidation into one of their own."""
    db.execute(
        "UPDATE states SET area = :to, key = substr(key, length(:head) + 1) "
        "WHERE area = :old AND substr(key, 1, length(:head)) = :head",
        {"to": areas.QUESTION.name, "old": areas.CONSOLIDATION.name, "head": QUESTION_HEAD},
    )


def derive_anew(db: Database) -> None:
    """Rebuild the words of memories and the names of links, which older code derived differently."""
    rows = "SELECT w.memory, w.words, m.text, m.tags FROM memory_words w JOIN memories m ON m.seq = w.memory"
    for memory, held, text, tags in db.execute(rows).fetchall():
        with suppress(*UNREADABLE, AttributeError):  # a damaged row, which doctor reports
            if held != (made := words.index_text(text, tuple(json.loads(tags)))):
                db.execute("UPDATE memory_words SET words = ? WHERE memory = ?", (made, memory))
    db.execute("DELETE FROM link_names")
    for link, space, *ends in db.execute("SELECT id, space, subject, object FROM links").fetchall():
        for name in {names.spelling_key(end) for end in ends}:
            db.execute("INSERT INTO link_names (space, name, link) VALUES (?, ?, ?)", (space, name, link))


def _fill_in_line(db: Database, event: Event, records: OldRecords, memory: dict[str, Any]) -> None:
    said, says = ({} if fields is None else dict(fields) for fields in (event.before, event.after))
    was, became = (records.end_of(memory, fields) or _IN_FORCE for fields in (said, says))
    for name, old, new in zip(("ended_as", "replaced_by"), was, became, strict=True):
        if old != new:
            said[name], says[name] = old, new
    before = None if event.before is None else to_json(said)
    sql = "UPDATE history SET before = ?, after = ? WHERE number = ?"
    db.execute(sql, (before, to_json(says), event.number))


def _memories(db: Database, where: str = "", *values: str) -> Iterator[dict[str, Any]]:
    for *row, data in db.execute(
        f"SELECT {', '.join(_MEMORY)}, data FROM memories {where}", values
    ).fetchall():
        yield {**dict(zip(_MEMORY, row, strict=True)), "data": {} if data == "{}" else json.loads(data)}


def _lines(db: Database) -> Iterator[Event]:
    """Yield all history lines, only with what they say of an end: that leaves out the texts."""
    told = ", ".join(
        f"CASE WHEN {column} IS NULL OR instr({column}, '\"ended_at\"') THEN {column} ELSE '{{}}' END"
        for column in ("before", "after")
    )
    columns = _LINE.replace("before, after", told)
    return map(_event, db.execute(f"SELECT {columns} FROM history ORDER BY number"))


def _change(db: Database, key: str) -> list[Event]:
    """Return the lines of a change by its id; from before changes had ids, by its number."""
    return list(_events(db, "change = ?" if ids.is_id(key) else "number = ? AND change IS NULL", key))


def _events(db: Database, where: str, *values: str) -> Iterator[Event]:
    rows = db.execute(f"SELECT {_LINE} FROM history WHERE {where} ORDER BY number", values).fetchall()
    return map(_event, rows)


def _event(row: Any) -> Event:
    number, at, memory, action, actor, reason, before, after, change = row
    return Event(
        number, from_iso(at), memory, action, actor, reason,
        json.loads(before) if before else None, json.loads(after) if after else None, change,
    )  # fmt: skip
