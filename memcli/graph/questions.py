"""Questions to the graph: the entities that a question mentions, their links, and those one hop further."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.graph.links import is_trusted_link
from memcli.graph.walk import MANY, Graph, is_unsupported
from memcli.model import Link
from memcli.named_tuple import NamedTuple
from memcli.text.naming import names
from memcli.text.stopwords import STOPWORDS
from memcli.text.words import query_terms

# A question that asks for a place, in English and related languages; and the relations that lead to one.
_ASKS_PLACE = (
    r"\b(?:where|country|countries|city|cities|town|village|state|region|continent|county|province|district|located"
    r"|wo|woher|wohin|land|stadt|où|pays|ville|d[oó]nde|pa[ií]s|ciudad|dove|paese|citt[aà]|onde|cidade|waar|где)\b"
)
_PLACE = (
    r"(?:^|_)(?:in|at|near|from|to)$|^(?:in|at|from)_|(?:^|_)(?:located|lies|based|capital|part|city|country|region|state)"
    r"(?:_|$)"
)
# Links that are returned at most of entities one hop on.
_FARTHER = 6


def mentioned_entities(graph: Graph, query: str) -> list[str]:
    """Return the names of the entities that a text mentions, in order; of overlapping ones the longer.

    In a space without links this costs two look-ups by key in the store.
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
        # "it" does not mention the department IT, nor "i" the owner.
        if key in STOPWORDS and (written != name or written == written.lower()):
            continue
        found[name] = None
        taken = end
    return list(found)


def facts_about(graph: Graph, entities: Sequence[str], limit: int = 20) -> list[Link]:
    """Return the links of these entities for a prompt: trusted first, then between two of them, sure, new.

    Links whose evidence is all forgotten are left out, as it is from every recall. Show them by
    `links.link_statement`.
    """
    keys = [graph.key(name) for name in entities]
    found = graph.links_of(keys)
    sources = graph.evidence(found)
    told = [link for link in found if not is_unsupported(link, sources)]
    asked = set(keys)

    def rank(link: Link) -> tuple[bool, int, float, float]:
        between = len(asked & {graph.key(link.subject), graph.key(link.object)})
        since = (link.valid_from or link.created_at).timestamp()
        # Untrusted links come last, so that no number of them crowds out the others.
        return (not is_trusted_link(link, sources), -between, -link.confidence, -since)

    return sorted(told, key=rank)[:limit]


class FartherLink(NamedTuple):
    """A link one hop on from the entities that a question mentions, and the entity it was reached through."""

    link: Link
    via: str


def one_hop_on(graph: Graph, entities: Sequence[str], near: Sequence[Link], query: str) -> list[FartherLink]:
    """Return links of the neighbours of `entities` (via `near`), if the question asks for them: surest first.

    It asks for them if it asks for a place by way of a place ("in which country is Acme": based_in Oslo,
    Oslo in Norway), or uses the words of the relation ("who manages the team that Ann is in").
    """
    asked = {graph.key(name) for name in entities}
    place = re.search(_ASKS_PLACE, query, re.IGNORECASE) is not None
    said = {part for term in query_terms(query) for part in term}
    ways: dict[str, tuple[str, str]] = {}
    for outward in (True, False):
        for link in near:
            end, name = (link.subject, link.object) if outward else (link.object, link.subject)
            if graph.key(end) in asked and graph.key(name) not in asked:
                # A link into the entity tells no place: where somebody lives who works there is not where
                # it is.
                ways.setdefault(graph.key(name), (name, link.relation if outward else ""))
    known = {link.id for link in near}
    found = [link for link in graph.links_of(list(ways)) if link.id not in known]
    sources = graph.evidence(found)
    farther = []
    for link in found:
        key = next(each for each in map(graph.key, (link.subject, link.object)) if each in ways)
        name, relation = ways[key]
        words = {part for term in query_terms(link.relation.replace("_", " ")) for part in term}
        onward = key == graph.key(link.subject) and _is_place(link.relation) and _is_place(relation)
        if is_unsupported(link, sources) or not ((place and onward) or words & said):
            continue
        farther.append(FartherLink(link, name))
    farther.sort(key=lambda each: (not is_trusted_link(each.link, sources), -each.link.confidence))
    return farther[:_FARTHER]


def _is_place(relation: str) -> bool:
    return re.search(_PLACE, relation) is not None
