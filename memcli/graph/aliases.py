"""Aliases, further names of an entity: add, remove and list. Links keep the name they were written with."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from memcli.doors import ALIAS, Deed
from memcli.errors import BadInput, NotFound
from memcli.graph.link_changes import ALWAYS, as_first_written
from memcli.graph.walk import Graph, alias_states
from memcli.messages import Command, message
from memcli.model import new_state
from memcli.scope import Scope
from memcli.storage import areas
from memcli.text.naming import names


def add_aliases(scope: Scope, name: str, others: Sequence[str]) -> list[str]:
    """Make other names mean the entity `name`; return those of them that had links of their own.

    Raises BadInput if one of them is an alias of another entity, Refused if one holds a secret or the
    origin is untrusted.
    """
    from memcli.text.secrets.redaction import refuse_secrets

    scope.require(ALIAS, Deed.ADD, f"the name of {name!r:.60}")
    refuse_secrets("\n".join((name, *others)), "the alias")
    name = names.check_entity_name("name", name)
    had = []
    store = scope.store
    with store.writing():
        now = scope.now()
        for other in (names.check_entity_name("alias", other) for other in others):
            graph = Graph(store, scope.space, ALWAYS)
            main, key = graph.key(name), names.spelling_key(other)
            if graph.key(other) == main:
                continue
            if graph.key(other) != key:
                owner = graph.name(graph.key(other))
                raise BadInput(
                    f"{other!r:.60} is an alias of {owner!r:.60} already",
                    by_hand=message(
                        "take it back first: ", Command(f"graph alias --remove {shlex.quote(other)}")
                    ),
                )
            if graph.links_of([key]):
                had.append(other)
            value = {"alias": other, "of": as_first_written(graph, name, owners=True)}
            for state in alias_states(store, scope.space):
                if names.spelling_key(state.value["of"]) == key:  # its own aliases move with it
                    moved = {**state.value, "of": value["of"]}
                    store.put_state(state.changed(moved, now))
            store.put_state(new_state(scope.space, areas.ALIAS.name, key, value, now))
    return had


def remove_aliases(scope: Scope, others: Sequence[str]) -> None:
    """Remove aliases, all or none. Raises NotFound, Refused."""
    scope.require(ALIAS, Deed.END, "taking an alias back")
    with scope.store.writing():
        for other in others:
            if not scope.store.drop_state(scope.space, areas.ALIAS.name, names.spelling_key(other)):
                raise NotFound(
                    f"no alias {other!r:.60} in space {scope.space!r}",
                    by_hand=message(Command("graph alias"), " lists them"),
                )


def list_aliases(scope: Scope, name: str | None = None) -> list[tuple[str, str]]:
    """Return the aliases of an entity, or of all entities, as (name, alias), sorted."""
    graph = Graph(scope.store, scope.space, ALWAYS)
    keys = graph.aliases(None if name is None else graph.key(names.check_entity_name("entity", name)))
    graph.load(list(keys.values()))
    return sorted((graph.name(key), graph.spelling_of(other)) for other, key in keys.items())
