"""HTML of a page in one file: its own style and scripts, allowed to the browser by their hashes, and data.

The page's content security policy lets nothing else run and nothing be fetched. A text is in the page twice
at most: as JSON, which the scripts insert as text, and escaped in the list for browsers without scripts.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from memcli.text.printable import one_line

# Scripts common to all pages, those of the graph, and those of memories, each in the order of dependency.
_COMMON = ("dom.js", "search.js")
_GRAPH = ("layout.js", "camera.js", "paint.js", "graph.js")
_MEMORIES = ("filters.js", "timeline.js", "list.js")
# Limits of the list for browsers without scripts: memories, and characters of each.
_PLAIN_MEMORIES = 500
_PLAIN_CUT = 400

# A browser looks for tags even inside a script; in JSON these characters occur only in strings.
_IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def memories_page(content: Mapping[str, Any]) -> str:
    """Return the page of memories and their graph; `content` comes from `page_content`."""
    plain = _plain_list(content["memories"])
    scripts = (*_COMMON, *_MEMORIES, *_GRAPH, "page.js")
    return _page("Memories", "page.html", scripts, content, plain)


def graph_page(content: Mapping[str, Any], title: str) -> str:
    """Return the page of a graph alone; `content` holds its `graph` as `graph_content` returns it."""
    entities, links = content["graph"]["entities"], content["graph"]["links"]
    lines = [
        f"{entities[link['from']]['name']} — {link['relation']} → {entities[link['to']]['name']}"
        for link in links[:_PLAIN_MEMORIES]
    ]
    plain = _items(lines, len(links), "links")
    return _page(title, "graph.html", (*_COMMON, *_GRAPH, "picture.js"), content, plain)


def _page(title: str, template: str, scripts: Sequence[str], content: Mapping[str, Any], plain: str) -> str:
    style = _asset("page.css")
    script = '"use strict";\n(() => {\n' + "\n".join(map(_asset, scripts)) + "})();\n"
    policy = (
        f"default-src 'none'; script-src {_hashed(script)}; style-src {_hashed(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "title": html.escape(one_line(title)), "policy": policy, "style": style, "plain": plain,
        "data": data_block(content), "script": script,
    }  # fmt: skip
    # In one pass, so that inserted text is not searched for placeholders.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _asset(template))


def data_block(content: Mapping[str, Any]) -> str:
    """Return JSON that is safe between `<script type="application/json">` and its end tag."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda found: _IN_SCRIPT[found[0]], text)


def _hashed(text: str) -> str:
    """Return the CSP source that allows this very text (https://www.w3.org/TR/CSP3/#source-list-syntax)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _asset(name: str) -> str:
    # A browser normalizes line ends to \n before it hashes.
    text = files("memcli.views.page").joinpath("web", name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


def _plain_list(memories: Sequence[Mapping[str, Any]]) -> str:
    lines = (
        f"{memory['happened_at'][:10]} {memory['kind']}{_marks(memory)}: {memory['text'][: _PLAIN_CUT + 1]}"
        for memory in memories[:_PLAIN_MEMORIES]
    )
    return _items(lines, len(memories), "memories")


def _marks(memory: Mapping[str, Any]) -> str:
    marks = [*filter(None, [memory.get("state")]), *(["untrusted"] if "trusted" in memory else [])]
    return f" ({', '.join(marks)})" if marks else ""


def _items(lines: Iterable[str], total: int, what: str) -> str:
    items = "\n".join(f"<li>{html.escape(_cut(one_line(line)))}</li>" for line in lines)
    told = (
        f"The first {_PLAIN_MEMORIES} of {total:,} {what}" if total > _PLAIN_MEMORIES else f"{total:,} {what}"
    )
    return (
        f"<p>{told}. With scripts allowed, they can be searched and looked at here.</p>\n<ol>\n{items}\n</ol>"
    )


def _cut(text: str) -> str:
    return text if len(text) <= _PLAIN_CUT else f"{text[:_PLAIN_CUT]}…"
