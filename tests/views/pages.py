"""Pages for tests: of a store that was filled past the gate, as an older version might have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memcli.graph import link_changes
from memcli.ids import derived_id
from memcli.memories import Memories
from memcli.model import Change, Memory
from memcli.views.page.content import page_content
from memcli.views.page.html import memories_page

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)

# What would be markup, a script's end, a line's end or a text's direction, if it were let.
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "<!-- <script> --> ]]> &lt;b&gt; &amp;",
    "{{style}} {{data}} ${alert(3)} {{nothing}}",
    "line\u2028separator\u2029paragraph",
    "right \u202eto left\u202c and \u2066isolated\u2069",
    "bell \x07 escape \x1b[31mred\x1b[0m nul-ish \x01",
    "\U0001f600",
    "e\u0301 \u200b zero \ufeff width \U000e0041",
    "'\"`\\ \\u003c \\",
    "javascript:alert(4) https://example.com/x.png",
    "<style>body{display:none}</style><base href=//evil.example><meta http-equiv=refresh content=0>",
)


def memory(number: int, text: str, **fields: Any) -> Memory:
    at = fields.pop("at", NOON - timedelta(days=number))
    made: dict[str, Any] = {
        "id": derived_id(f"memory {number}", at), "kind": "fact", "text": text, "happened_at": at,
        "created_at": at, "updated_at": at,
    }  # fmt: skip
    return Memory(**{**made, **fields})


def put(memories: Memories, some: Sequence[Memory]) -> None:
    memories.store.put(some, Change("add"), NOON)


def link(memories: Memories, subject: str, relation: str, obj: str, **fields: Any) -> None:
    """A link with any names, hostile ones too."""
    made = link_changes.link_entities(
        memories, "a", "b", f"c{subject}{relation}{obj}"[:60].strip() or "c"
    ).link
    memories.store.put_links([replace_link(made, subject=subject, relation=relation, object=obj, **fields)])


def replace_link(made: Any, **fields: Any) -> Any:
    return made._replace(**fields)


def page_of(memories: Memories, folder: Path, **options: Any) -> Path:
    """The page of all that is in the space, ended ones too, as a file."""
    asked = {"ended": True, "as_of": None, "narrowed": False, **options}
    content = page_content(memories, memories.within(live=False), **asked)
    path = folder / "page.html"
    path.write_bytes(memories_page(content).encode())
    return path


def ended(made: Memory, how: Any) -> Memory:
    return replace(made, ended_at=NOON, ended_as=how, ended_why="no longer wanted")
