"""Canvas: a graph as JSON Canvas 1.0 (https://jsoncanvas.org/spec/1.0/), which Obsidian can open and edit.

A box's text is Markdown there, so its special characters are escaped. An edge's label is plain text.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from memcli.graph import drawing
from memcli.graph.walk import Walk
from memcli.text.printable import one_line
from memcli.views.picture.layout import Box, Point, lay_out
from memcli.views.picture.lettering import text_width

# Obsidian's sizes: font, padding of a text, line height, and the width at which a text is wrapped.
_FONT, _AROUND, _LINE, _WIDEST = 16.0, 52.0, 24.0, 360.0
# Characters with a meaning in Obsidian's Markdown, including HTML, [[links]], #tags and %%comments%%; and the
# beginnings of list items.
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~=^$%&]|^[-+]|(?<=^\d)[.)]|(?<=^\d\d)[.)])")
# One of the standard's six colours; a grey for ended links.
_ROOT_COLOUR, _OVER_COLOUR = "5", "#9e9e9e"


def canvas_document(walk: Walk, evidence: drawing.EvidenceById) -> str:
    """Return a walk as a `.canvas` file, laid out, with a node for each entity and an edge for each link."""
    place = {key: number for number, key in enumerate(walk.distance)}
    names = [drawing.shown_name(walk, key) for key in place]
    boxes = [_box(name) for name in names]
    links = list(drawing.edges(walk))
    labels = [one_line(link.relation) + drawing.notes_of(link, evidence) for _, _, link in links]
    ties = [
        (place[tail], place[head], min(240.0, 60 + text_width(label, _FONT)))
        for (tail, head, _), label in zip(links, labels, strict=True)
    ]
    centres = lay_out(boxes, ties)
    alone = len(walk.roots) == 1
    nodes = []
    for key, name, box, (x, y) in zip(place, names, boxes, centres, strict=True):
        node: dict[str, Any] = {
            "id": _id(key), "type": "text", "text": _MARKDOWN.sub(r"\\\1", name),
            "x": round(x - box.width / 2), "y": round(y - box.height / 2),
            "width": round(box.width), "height": round(box.height),
        }  # fmt: skip
        nodes.append({**node, "color": _ROOT_COLOUR} if alone and key in walk.roots else node)
    edges = []
    for (tail, head, link), label in zip(links, labels, strict=True):
        sides = _sides(centres[place[tail]], centres[place[head]])
        edge: dict[str, Any] = {
            "id": _id(link.id), "fromNode": _id(tail), "fromSide": sides[0], "toNode": _id(head),
            "toSide": sides[1], "label": label,
        }  # fmt: skip
        edges.append({**edge, "color": _OVER_COLOUR} if drawing.is_over(link, evidence) else edge)
    return json.dumps({"nodes": nodes, "edges": edges}, ensure_ascii=False, indent="\t")


def _box(name: str) -> Box:
    width = text_width(name, _FONT)
    lines = -(-width // (_WIDEST - _AROUND))
    return Box(min(_WIDEST, max(120.0, width + _AROUND)), 36 + _LINE * max(1.0, lines))


def _sides(tail: Point, head: Point) -> tuple[str, str]:
    """Return the sides at which an edge leaves and arrives: those that face each other."""
    dx, dy = head[0] - tail[0], head[1] - tail[1]
    if not (dx or dy):
        return "top", "right"
    if abs(dx) > abs(dy):
        return ("right", "left") if dx > 0 else ("left", "right")
    return ("bottom", "top") if dy > 0 else ("top", "bottom")


def _id(text: str) -> str:
    """Return sixteen hexadecimal digits, as Obsidian uses: the same for the same key."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
