"""Drawing a walk through the graph: as a tree, one line, JSON, Graphviz (DOT) or Mermaid.

Names and relations are untrusted text: they are escaped, so that none of them can end a label, a line or a
tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memcli import times
from memcli.graph.links import evidence_of, is_trusted_link, link_remarks
from memcli.graph.walk import Hop, Walk, is_unsupported
from memcli.model import Link, Memory
from memcli.prompt import formats
from memcli.text.printable import one_line

EvidenceById = Mapping[str, Memory]

# Characters that XML, and thus SVG, cannot hold.
_NO_XML = re.compile("[\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff]")
# Every character but those that are plain text in Mermaid's labels, Markdown and HTML alike.
_MERMAID = re.compile(r"[^\w\s.,:()/@+'-]", re.ASCII)


def draw_tree(walk: Walk, evidence: EvidenceById) -> Iterator[str]:
    """Yield the lines of a tree, each link once; (*) marks an entity whose links are drawn elsewhere."""
    below: dict[str, list[Hop]] = {}
    for step in walk.hops:
        below.setdefault(step.source, []).append(step)

    def branches(key: str, indent: str) -> Iterator[str]:
        steps = below.get(key, [])
        for number, step in enumerate(steps, start=1):
            last = number == len(steps)
            elsewhere = not step.first and step.target in below
            arrow = "→" if step.forward else "←"
            said = f"{one_line(step.link.relation)} {arrow} {shown_name(walk, step.target)}"
            said += notes_of(step.link, evidence) + " (*)" * elsewhere
            yield f"{indent}{'└' if last else '├'}── {said}"
            if step.first:
                yield from branches(step.target, f"{indent}{'    ' if last else '│   '}")

    for root in walk.roots:
        yield shown_name(walk, root)
        yield from branches(root, "")


def draw_path(walk: Walk, evidence: EvidenceById) -> str:
    """Return a path on one line: `Ann —works_at→ Acme ←owns— Bob`."""
    parts = [shown_name(walk, walk.roots[0])]
    for step in walk.hops:
        said = one_line(step.link.relation) + notes_of(step.link, evidence)
        parts += [f"—{said}→" if step.forward else f"←{said}—", shown_name(walk, step.target)]
    return " ".join(parts)


def hop_records(walk: Walk, evidence: EvidenceById) -> Iterator[dict[str, Any]]:
    """Yield each link as JSON types, with its distance from the root in hops."""
    for step in walk.hops:
        hops = min(walk.distance[step.source], walk.distance[step.target]) + 1
        yield {"hops": hops, "forward": step.forward, **link_record(step.link, evidence)}


def link_record(link: Link, evidence: EvidenceById) -> dict[str, Any]:
    """Return a link as JSON types; of its evidence the id, the text, and whether it ended (or was erased).

    `origin` is the untrusted origin that the link came from, if any.
    """
    told = [
        {"id": each, "text": evidence[each].text, "ended": evidence[each].ended_at is not None}
        if each in evidence
        else {"id": each, "text": None, "ended": True}
        for each in evidence_of(link)
    ]
    instants = {
        name: times.to_iso(at) if (at := getattr(link, name)) else None
        for name in ("valid_from", "valid_until", "created_at", "ended_at")
    }
    said = {"subject": link.subject, "relation": link.relation, "object": link.object}
    return {"id": link.id, **said, "confidence": link.confidence, **instants,
            "confirmed": link.data.get("confirmed", 0), "evidence": told, "space": link.space,
            "trusted": is_trusted_link(link, evidence), "origin": link.data.get("origin")}  # fmt: skip


def graph_document(walk: Walk, evidence: EvidenceById) -> dict[str, Any]:
    """Return the whole walk as one object of nodes and links (node-link JSON), as D3 and networkx read it."""
    nodes = [{"id": walk.names[key], "hops": hops} for key, hops in walk.distance.items()]
    links = [
        {"source": walk.names[tail], "target": walk.names[head], "key": record["id"], **record}
        for (tail, head, _), record in zip(edges(walk), hop_records(walk, evidence), strict=True)
    ]
    entity = walk.names[walk.roots[0]] if len(walk.roots) == 1 else None
    return {"directed": True, "multigraph": True, "graph": {"entity": entity},
            "nodes": nodes, "links": links}  # fmt: skip


def draw_dot(walk: Walk, evidence: EvidenceById) -> Iterator[str]:
    """Yield the walk in Graphviz' DOT language; links that ended or lost all evidence are dashed."""
    yield "digraph memory {"
    yield '  graph [rankdir=LR]; node [shape=box, style=rounded, fontname="sans-serif"];'
    yield '  edge [fontname="sans-serif", fontsize=10];'
    number = {key: f"n{place}" for place, key in enumerate(walk.distance)}
    for key, node in number.items():
        bold = ", penwidth=2" if key in walk.roots else ""
        yield f'  {node} [label="{_in_dot(shown_name(walk, key))}"{bold}];'
    for tail, head, link in edges(walk):
        noted = notes_of(link, evidence).strip()
        label = _in_dot(one_line(link.relation)) + (f"\\n{_in_dot(noted)}" if noted else "")
        dashed = ", style=dashed" if is_over(link, evidence) else ""
        yield f'  {number[tail]} -> {number[head]} [label="{label}"{dashed}];'
    yield "}"


def draw_mermaid(walk: Walk, evidence: EvidenceById) -> Iterator[str]:
    """Yield the walk as a Mermaid flowchart, which GitHub and others render in Markdown."""
    yield "flowchart LR"
    number = {key: f"n{place}" for place, key in enumerate(walk.distance)}
    for key, node in number.items():
        yield f'  {node}["{_in_mermaid(shown_name(walk, key))}"]'
    for tail, head, link in edges(walk):
        arrow = "-.->" if is_over(link, evidence) else "-->"
        label = _in_mermaid(one_line(link.relation) + notes_of(link, evidence))
        yield f'  {number[tail]} {arrow}|"{label}"| {number[head]}'


def edges(walk: Walk) -> Iterator[tuple[str, str, Link]]:
    """Yield each link in its own direction: key of the subject, key of the object, the link."""
    for step in walk.hops:
        ends = (step.source, step.target) if step.forward else (step.target, step.source)
        yield (*ends, step.link)


def notes_of(link: Link, evidence: EvidenceById) -> str:
    """Return remarks on a link (validity, confidence, evidence, trust) in brackets after a space, or ""."""
    noted = [*link_remarks(link), *(["evidence forgotten"] if is_unsupported(link, evidence) else [])]
    noted += [] if is_trusted_link(link, evidence) else [formats.UNTRUSTED]
    return f" ({', '.join(noted)})" if noted else ""


def is_over(link: Link, evidence: EvidenceById) -> bool:
    """True if the link was removed, or all of its evidence was."""
    return link.ended_at is not None or is_unsupported(link, evidence)


def shown_name(walk: Walk, key: str) -> str:
    """Return the display name of the entity with this key: on one line, and "?" if empty."""
    return one_line(walk.names[key]) or "?"


def _in_dot(text: str) -> str:
    # Graphviz decodes HTML entities even in quoted labels.
    text = _NO_XML.sub("\ufffd", text).replace("&", "&amp;")
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _in_mermaid(text: str) -> str:
    # Non-ASCII characters have no syntax meaning; ASCII ones that might are written as character references.
    return _MERMAID.sub(lambda found: f"#{ord(found[0])};" if found[0].isascii() else found[0], text)
