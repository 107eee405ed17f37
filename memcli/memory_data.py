"""What memcli keeps in a memory's `data` for itself, by name: read here, whatever an import has put there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcli.model import Memory

# Of what was distilled: the ids of the turns that say so.
CITES = "cites"
# Of a summary: the ids of the turns that it stands for. Of such a turn: the id of its summary.
FOLDS, FOLDED = "folds", "folded"
# Of one that was made of several that say the same: their ids.
MERGED_FROM = "merged_from"
# By the id of a newer memory: which sorts of value it updates, and what about.
UPDATED_BY = "updated_by"
# The rules of writing that were overridden when it was kept.
OVERRIDES = "overrides"
_OF_SECRETS = "secret:"


def ids_in(data: Mapping[str, Any], name: str) -> list[str]:
    """The texts in a list of that name; none where there is no list."""
    found = data.get(name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def cited_ids(memory: Memory) -> list[str]:
    """The ids of the memories that one rests on."""
    return ids_in(memory.data, CITES)


def merged_ids(memory: Memory) -> list[str]:
    """The ids of the memories that one was merged from."""
    return ids_in(memory.data, MERGED_FROM)


def folded_ids(memory: Memory) -> list[str]:
    """The ids of the turns that a summary stands for."""
    return ids_in(memory.data, FOLDS)


def is_summary(memory: Memory) -> bool:
    """Whether a memory stands for turns of a session, if only for such as are gone."""
    return isinstance(memory.data.get(FOLDS), list)


def is_folded(turn: Memory) -> bool:
    """Whether a summary was made of a turn, be it that it is gone."""
    return FOLDED in turn.data


def summary_id(turn: Memory) -> str | None:
    """The id of the summary that was made of a turn; None where there was none."""
    found = turn.data.get(FOLDED)
    return found if isinstance(found, str) else None


def without_fold(turn: Memory) -> dict[str, Any]:
    """The data of a turn as if no summary were made of it."""
    return {name: value for name, value in turn.data.items() if name != FOLDED}


def made_from(memory: Memory) -> set[str]:
    """Return the ids of the memories that one was made from: those it cites, folds, or was merged from."""
    return {*cited_ids(memory), *folded_ids(memory), *merged_ids(memory)}


def updates_noted(memory: Memory) -> Mapping[str, Any]:
    """What was noted of each memory that updates one, by its id."""
    found = memory.data.get(UPDATED_BY)
    return found if isinstance(found, dict) else {}


def forced_rules(memory: Memory) -> list[str]:
    """The rules of writing that a memory was forced past."""
    return ids_in(memory.data, OVERRIDES)


def is_forced_past_secrets(data: Mapping[str, Any]) -> bool:
    """Whether what has such data was kept by force although it looks like a secret."""
    return any(rule.startswith(_OF_SECRETS) for rule in ids_in(data, OVERRIDES))
