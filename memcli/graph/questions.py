"""What the graph says of the entities that a question names."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.graph.links import is_trusted_link
from memcli.graph.walk import MANY, Graph, is_unsupported
from memcli.model import Link
from memcli.text import names
from memcli.text.stopwords import STOPWORDS


def mentioned_entities(graph: Graph, query: str) -> list[str]:
    """The names of entities that a text names, in order of appearance; of overlapping ones the longer.

    Where the space has no links this is two queries of the store by key.
    """
    places = [
        (begin, end, names.spelling_key(query[begin:end])) for begin, end in names.name_stretches(query)
    ]
    keys = {key: graph.key(key) for _, _, key in places if key}
    wanted = list(dict.fromkeys(keys.values()))
    for start in range(0, len(wanted), MANY):
        graph.load(wanted[start : start + MANY])
    found: dict[str, None] = {}
    taken = 0
    for begin, end, key in places:
        if begin < taken or not key or not graph.links_of([keys[key]]):
            continue
        name = graph.name(keys[key])
        written = query[begin:end]
        # "it" is no mention of the department IT, nor "i" of the owner.
        if key in STOPWORDS and (written != name or written == written.lower()):
            continue
        found[name] = None
        taken = end
    return list(found)


def facts_about(graph: Graph, entities: Sequence[str], limit: int = 20) -> list[Link]:
    """The links of these entities for a prompt: between two of them first, then the surest and newest.

    Links all of whose evidence was forgotten are left out: what is forgotten
    is out of every recall. Show them by `links.link_statement`.
    """
    keys = [graph.key(name) for name in entities]
    found = graph.links_of(keys)
    sources = graph.evidence(found)
    told = [link for link in found if not is_unsupported(link, sources)]
    asked = set(keys)

    def rank(link: Link) -> tuple[bool, int, float, float]:
        between = len(asked & {graph.key(link.subject), graph.key(link.object)})
        since = (link.valid_from or link.created_at).timestamp()
        # However many there are, untrusted ones push out none of the others.
        return (not is_trusted_link(link, sources), -between, -link.confidence, -since)

    return sorted(told, key=rank)[:limit]
