"""From an id, or part of one, to the memory that it means; never across the wall of a space."""

from __future__ import annotations

from memcli import ids
from memcli.errors import BadInput, NotFound
from memcli.model import Filter, Memory
from memcli.storage import Store

# So many candidates are shown where several fit.
_SHOWN = 5


def find(store: Store, fragment: str, where: Filter) -> Memory:
    """The memory in the spaces of `where` with this id, or whose id alone begins or ends so.

    Raises NotFound, in the same words whether or not another space has it;
    BadInput where several fit, with the candidates.
    """
    wanted = ids.normalise_fragment(fragment)
    found = store.find_ids(wanted, _SHOWN + 1, where.spaces) if wanted else []
    if not found:
        raise NotFound(not_there(fragment, where))
    if len(found) > 1:
        shown = "; ".join(
            f"{each.id} {' '.join(each.text.split())[:40]!r}" for each in store.get(found[:_SHOWN])
        )
        more = "; …" if len(found) > _SHOWN else ""
        raise BadInput(f"{fragment!r} fits several memories, give more of the id: {shown}{more}")
    return store.get(found)[0]


def not_there(fragment: str, where: Filter) -> str:
    """That no memory of these spaces has such an id, and where else one may look."""
    if where.spaces is None:
        return f"no memory {fragment!r:.60}; `mem list --all-spaces` shows ids"
    spaces = ", ".join(map(repr, where.spaces))
    return f"no memory {fragment!r:.60} in space {spaces:.60}; `mem list` shows ids, --space names another"
