"""A walk through the graph as a tree, as one line, as JSON, and for Graphviz and Mermaid.

Names and relations are data: none of them can end a label, a line or a tag.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from memcli import times
from memcli.errors import BadInput
from memcli.graph.links import evidence_of, is_trusted_link, link_remarks
from memcli.graph.walk import Hop, Walk, is_unsupported
from memcli.model import Link, Memory
from memcli.prompt import formats
from memcli.text.printable import one_line

EvidenceById = Mapping[str, Memory]

# What XML cannot hold, and with it no SVG.
_NO_XML = re.compile("[\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff]")
# What has a meaning somewhere in Mermaid's labels, Markdown or HTML.
_MERMAID = re.compile(r"[^\w\s.,:()/@+'-]", re.ASCII)
# Graphviz' time grows faster than the graph; a picture of thousands shows nothing.
_PATIENCE = 60


def draw_tree(walk: Walk, evidence: EvidenceById) -> Iterator[str]:
    """Lines of a tree, each link once; (*) marks an entity whose own links stand elsewhere in it."""
    below: dict[str, list[Hop]] = {}
    for step in walk.hops:
        below.setdefault(step.source, []).append(step)

    def branches(key: str, indent: str) -> Iterator[str]:
        steps = below.get(key, [])
        for number, step in enumerate(steps, start=1):
            last = number == len(steps)
            elsewhere = not step.first and step.target in below
            arrow = "→" if step.forward else "←"
            said = f"{one_line(step.link.relation)} {arrow} {_shown(walk, step.target)}"
            yield f"{indent}{'└' if last else '├'}── {said}{_noted(step.link, evidence)}{' (*)' * elsewhere}"
            if step.first:
                yield from branches(step.target, f"{indent}{'    ' if last else '│   '}")

    yield _shown(walk, walk.root)
    yield from branches(walk.root, "")


def draw_path(walk: Walk, evidence: EvidenceById) -> str:
    """A path on one line: `Ann —works_at→ Acme ←owns— Bob`."""
    parts = [_shown(walk, walk.root)]
    for step in walk.hops:
        said = one_line(step.link.relation) + _noted(step.link, evidence)
        parts += [f"—{said}→" if step.forward else f"←{said}—", _shown(walk, step.target)]
    return " ".join(parts)


def hop_records(walk: Walk, evidence: EvidenceById) -> Iterator[dict[str, Any]]:
    """Each link as JSON types, with the distance at which it was walked."""
    for step in walk.hops:
        hops = min(walk.distance[step.source], walk.distance[step.target]) + 1
        yield {"hops": hops, "forward": step.forward, **link_record(step.link, evidence)}


def link_record(link: Link, evidence: EvidenceById) -> dict[str, Any]:
    """A link as JSON types; of its evidence the id, the text, and whether it is ended (or erased).

    `origin` is the untrusted door through which it came in, if any.
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
    """The whole walk as one object of nodes and links, as D3 and networkx read it."""
    nodes = [{"id": walk.names[key], "hops": hops} for key, hops in walk.distance.items()]
    links = [
        {"source": walk.names[tail], "target": walk.names[head], "key": record["id"], **record}
        for (tail, head, _), record in zip(_edges(walk), hop_records(walk, evidence), strict=True)
    ]
    return {"directed": True, "multigraph": True, "graph": {"entity": walk.names[walk.root]},
            "nodes": nodes, "links": links}  # fmt: skip


def draw_dot(walk: Walk, evidence: EvidenceById) -> Iterator[str]:
    """The walk in Graphviz' language; what is unlinked or forgotten is dashed."""
    yield "digraph memory {"
    yield '  graph [rankdir=LR]; node [shape=box, style=rounded, fontname="sans-serif"];'
    yield '  edge [fontname="sans-serif", fontsize=10];'
    number = {key: f"n{place}" for place, key in enumerate(walk.distance)}
    for key, node in number.items():
        bold = ", penwidth=2" if key == walk.root else ""
        yield f'  {node} [label="{_in_dot(_shown(walk, key))}"{bold}];'
    for tail, head, link in _edges(walk):
        noted = _noted(link, evidence).strip()
        label = _in_dot(one_line(link.relation)) + (f"\\n{_in_dot(noted)}" if noted else "")
        dashed = ", style=dashed" if _over(link, evidence) else ""
        yield f'  {number[tail]} -> {number[head]} [label="{label}"{dashed}];'
    yield "}"


def draw_mermaid(walk: Walk, evidence: EvidenceById) -> Iterator[str]:
    """The walk as a Mermaid flowchart, which Markdown shows on GitHub and elsewhere."""
    yield "flowchart LR"
    number = {key: f"n{place}" for place, key in enumerate(walk.distance)}
    for key, node in number.items():
        yield f'  {node}["{_in_mermaid(_shown(walk, key))}"]'
    for tail, head, link in _edges(walk):
        arrow = "-.->" if _over(link, evidence) else "-->"
        label = _in_mermaid(one_line(link.relation) + _noted(link, evidence))
        yield f'  {number[tail]} {arrow}|"{label}"| {number[head]}'


def draw_svg(walk: Walk, evidence: EvidenceById) -> str:
    """The walk as a picture, by Graphviz. Raises BadInput where it is not installed or does not cope."""
    program = shutil.which("dot")
    if program is None:
        raise BadInput(
            "--format svg needs Graphviz' `dot`, which is not on the PATH: install it (apt install graphviz, "
            "brew install graphviz, winget install graphviz), or take --format dot or mermaid"
        )
    source = "\n".join(draw_dot(walk, evidence))
    try:
        done = subprocess.run(
            [program, "-Tsvg"],
            input=source, capture_output=True, encoding="utf-8", timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise BadInput(
            f"{program} did not draw {len(walk.hops)} links in {_PATIENCE} s: narrow the graph with --hops "
            "or --relation, or take --format dot"
        ) from None
    if done.returncode or not done.stdout:
        raise BadInput(f"{program} failed: {one_line(done.stderr)[:200]}; take --format dot")
    return done.stdout.rstrip("\n")


def _edges(walk: Walk) -> Iterator[tuple[str, str, Link]]:
    """Each link as it points: from subject's key to object's."""
    for step in walk.hops:
        ends = (step.source, step.target) if step.forward else (step.target, step.source)
        yield (*ends, step.link)


def _noted(link: Link, evidence: EvidenceById) -> str:
    noted = [*link_remarks(link), *(["evidence forgotten"] if is_unsupported(link, evidence) else [])]
    noted += [] if is_trusted_link(link, evidence) else [formats.UNTRUSTED]
    return f" ({', '.join(noted)})" if noted else ""


def _over(link: Link, evidence: EvidenceById) -> bool:
    return link.ended_at is not None or is_unsupported(link, evidence)


def _shown(walk: Walk, key: str) -> str:
    return one_line(walk.names[key]) or "?"


def _in_dot(text: str) -> str:
    # Graphviz reads entities even in quoted labels.
    text = _NO_XML.sub("\ufffd", text).replace("&", "&amp;")
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _in_mermaid(text: str) -> str:
    # What is not ASCII has no meaning there; what is and might have goes as its number.
    return _MERMAID.sub(lambda sign: f"#{ord(sign[0])};" if sign[0].isascii() else sign[0], text)
