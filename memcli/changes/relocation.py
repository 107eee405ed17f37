"""Relocation: what moves with memories into another space, or with a renamed space, and its undo."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from memcli.graph.links import amended_link, fields_before_change
from memcli.model import Change, ChangeAction, Event, Link
from memcli.scope import Scope
from memcli.storage import Store, areas

RENAME: ChangeAction = "rename"


def move_links(store: Store, links: Iterable[Link], to: str, change: Change, now: datetime) -> None:
    """Move links into another space, recorded in them as a part of `change`."""
    store.put_links(
        amended_link(link, now, change.action, within=change.id, space=to) for link in list(links)
    )


def move_states(store: Store, old: str, new: str, until: datetime | None = None) -> list[str]:
    """Move the keyed values of a space (created up to `until`) into another, unless their key is taken there.

    Returns those that stayed (`area key`).
    """
    stay = []
    for state in list(store.states((old,))):
        if not areas.area_named(state.area).in_spaces or (until and state.created_at > until):
            continue
        if store.put_state(state._replace(space=new), expected_version=0):
            store.drop_state(old, state.area, state.key)
        else:
            stay.append(f"{state.area} {state.key!r}")
    return stay


def undo_links_and_states(
    scope: Scope, key: str, events: Sequence[Event], undone: Change, now: datetime, left: list[str]
) -> list[Link]:
    """Undo a change's effect on links, and on keyed values if it renamed a space.

    `events` are the lines of the change `key`, `undone` is the change that undoes it. Returns the links as
    they are now; adds to `left` what had to stay.
    """
    store = scope.store
    back = []
    for link in list(store.links()):
        if before := fields_before_change(link, key):
            back.append(amended_link(link, now, undone.action, within=undone.id, **before))
    store.put_links(back)
    if _renamed(scope, events):
        spaces = {((each.after or {}).get("space"), (each.before or {}).get("space")) for each in events}
        for now_in, was_in in spaces:
            if now_in and was_in:
                stay = move_states(store, now_in, was_in, events[0].at)
                left += [f"{each} of {now_in}: {was_in} has one again" for each in stay]
                if walls := store.walls():
                    walls.rename(now_in, was_in)
    return back


def _renamed(scope: Scope, events: Sequence[Event]) -> bool:
    """True if a change renamed a space, or undid a renaming."""
    seen: set[str] = set()
    while events and (undone := events[0].undoes) and undone not in seen:
        seen.add(undone)
        events = list(scope.store.history(change=undone))
    return bool(events) and events[0].action == RENAME
