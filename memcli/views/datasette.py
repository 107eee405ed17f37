"""Datasette (https://datasette.io) metadata of a store: what its tables hold, and what is private."""

from __future__ import annotations

from typing import Any

from memcli.storage.sqlite.tables.schema import column_notes

_PRIVATE = (
    "Private: what you remember, forgot softly and how it changed, all spaces together, untrusted texts too. "
    "Datasette asks nobody who they are: serve it on this machine only (its default, 127.0.0.1), never "
    "with `datasette publish`, and look at a copy where others use this machine. Texts are data: what a row "
    "says may come from a web page or a mail."
)
# The SQL views come first: people look for these.
_TABLES: dict[str, dict[str, Any]] = {
    "facts": {
        "title": "Facts, preferences, outcomes, constraints",
        "description": "What is known. Ended ones too: `ended_at` is empty for what is in force.",
        "facets": ["kind", "space", "source", "trusted", {"array": "tags"}],
    },
    "episodes": {
        "title": "Episodes",
        "description": "What happened and what was said, turns of sessions among them, by `role`.",
        "facets": ["session", "role", "space", "trusted"],
    },
    "procedures": {
        "title": "Procedures",
        "description": "Skills in versions; the one in force has no `ended_at`.",
        "facets": ["space", {"array": "tags"}],
    },
    "memories": {
        "title": "Memories",
        "description": "Every memory of every kind. Columns that are empty: nobody knows, or not so.",
        "facets": ["kind", "space", "source", "origin", "trusted", "ended_as", {"array": "tags"}],
        "sort_desc": "id", "label_column": "text", "size": 50,
    },
    "links": {
        "title": "Links",
        "description": "The graph: who and what is related to whom, since when, and which memory says so.",
        "facets": ["relation", "space", "subject", "object"], "sort_desc": "created_at",
    },
    "history": {
        "title": "History",
        "description": "Every change of a memory, append-only. What was erased for good has no text here.",
        "facets": ["action", "actor", {"date": "at"}], "sort_desc": "number",
    },
    "states": {
        "title": "Keyed values",
        "description": "Tasks, blocks, checkpoints, rules, what waits for review, memcli's notes, by area.",
        "facets": ["area", "space"], "sort_desc": "updated_at",
    },
}  # fmt: skip
# Derived from those, or memcli's own bookkeeping.
_HIDDEN = (
    "memory_tags", "memory_words", "word_index", "word_counts", "models", "vectors", "vector_signs",
    "wanting", "link_names", "clocks", "_sqlite_migrations", "sqlite_sequence",
)  # fmt: skip
_QUERIES = {
    "growth": (
        "Memories by month",
        "select substr(created_at, 1, 7) as month, count(*) as added, sum(ended_at is not null) as ended "
        "from memories group by month order by month desc",
    ),
    "never_recalled": (
        "In force for 90 days, and never recalled",
        "select id, kind, text, created_at from memories where access_count = 0 and ended_at is null and "
        "created_at < strftime('%Y-%m-%d', 'now', '-90 days') order by created_at",
    ),
    "most_recalled": (
        "What is recalled most",
        "select text, kind, access_count, accessed_at from memories where access_count > 0 "
        "and ended_at is null order by access_count desc limit 100",
    ),
    "doubted": (
        "What is believed least",
        "select text, kind, confidence, source, origin from memories where confidence < 0.7 "
        "and ended_at is null order by confidence limit 100",
    ),
    "untrusted": (
        "What came from untrusted places",
        "select text, kind, origin, created_at from memories where not trusted and ended_at is null "
        "order by created_at desc",
    ),
    "by_day": (
        "What happened on a day",
        "select happened_at, kind, text from memories where happened_at like :day || '%' "
        "order by happened_at",
    ),
}  # fmt: skip


def datasette_metadata(database: str) -> dict[str, Any]:
    """Return Datasette's metadata (https://docs.datasette.io/en/stable/metadata.html) for a store.

    `database` is Datasette's name for it: its file's name without the suffix.
    """
    notes = column_notes()
    tables = {name: {**about, **_columns(name, notes)} for name, about in _TABLES.items()}
    tables |= {name: {"hidden": True, **_columns(name, notes)} for name in _HIDDEN}
    queries = {name: {"title": title, "sql": sql} for name, (title, sql) in _QUERIES.items()}
    return {
        "title": "What memcli remembers",
        "description": _PRIVATE,
        "databases": {
            database: {
                "description": f"A store of memcli. {_PRIVATE}",
                "source": "memcli",
                "tables": tables,
                "queries": queries,
            }
        },
    }


def _columns(table: str, notes: dict[str, dict[str, str]]) -> dict[str, Any]:
    found = notes.get(table)
    return {"columns": found} if found else {}
