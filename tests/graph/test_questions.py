"""One hop on from what a question names: where it asks for a place, outward alone."""

from __future__ import annotations

import pytest

from memcli.graph.questions import facts_about, mentioned_entities, one_hop_on
from memcli.memories import Memories
from tests.graph.graphs import graph_of, link

LINKS = (
    "Acme based_in Oslo",
    "Oslo located_in Norway",
    "Priya works_at Acme",
    "Priya lives_in Lyon",
    "Lyon located_in France",
)


def farther(memories: Memories, query: str) -> list[str]:
    graph = graph_of(memories)
    entities = mentioned_entities(graph, query)
    found = one_hop_on(graph, entities, facts_about(graph, entities), query)
    return [f"{each.subject} {each.relation} {each.object} by {via}" for each, via in found]


@pytest.fixture
def linked(memories: Memories) -> Memories:
    for each in LINKS:
        link(memories, each)
    return memories


@pytest.mark.parametrize(
    "query",
    [
        "in which country is Acme?", "In welchem Land sitzt Acme?", "Dans quel pays se trouve Acme ?",
        "¿En qué país está Acme?", "In che paese si trova Acme?", "Em que país fica a Acme?",
        "In welk land zit Acme?",
    ],
)  # fmt: skip
def test_where_somebody_lives_who_works_there_is_not_where_it_is(linked: Memories, query: str) -> None:
    assert farther(linked, query) == ["Oslo located_in Norway by Oslo"]


def test_by_way_of_where_somebody_works_it_goes_on(linked: Memories) -> None:
    found = ["Acme based_in Oslo by Acme", "Lyon located_in France by Lyon"]
    assert sorted(farther(linked, "in which country does Priya work?")) == found
    assert farther(linked, "what does Priya like?") == []
