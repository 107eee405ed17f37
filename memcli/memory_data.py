"""Memory data: the fields of a memory's `data` that memcli itself writes, by name, and their readers.

An import may have put anything there, so what is read is checked for its type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcli.model import Memory

# In a distilled memory: the ids of the turns that support it.
CITES = "cites"
# In a summary: the ids of the turns that it replaces. In such a turn: the id of its summary.
FOLDS, FOLDED = "folds", "folded"
# In a memory merged from several that say the same: their ids.
MERGED_FROM = "merged_from"
# In a memory that newer ones update: by their ids, the sorts of value updated, and the subject.
UPDATED_BY = "updated_by"
# The rules of the write policy that were overridden when it was kept.
OVERRIDES = "overrides"
_OF_SECRETS = "secret:"


def ids_in(data: Mapping[str, Any], name: str) -> list[str]:
    """Return the strings in a list of that name; [] if there is no list."""
    found = data.get(name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def cited_ids(memory: Memory) -> list[str]:
    """Return the ids of the memories that one cites."""
    return ids_in(memory.data, CITES)


def merged_ids(memory: Memory) -> list[str]:
    """Return the ids of the memories that one was merged from."""
    return ids_in(memory.data, MERGED_FROM)


def folded_ids(memory: Memory) -> list[str]:
    """Return the ids of the turns that a summary replaces."""
    return ids_in(memory.data, FOLDS)


def is_summary(memory: Memory) -> bool:
    """True if a memory is a summary of turns of a session, even if these are gone."""
    return isinstance(memory.data.get(FOLDS), list)


def is_folded(turn: Memory) -> bool:
    """True if a summary was made of a turn, even if the summary is gone."""
    return FOLDED in turn.data


def summary_id(turn: Memory) -> str | None:
    """Return the id of the summary that was made of a turn; None if there is none."""
    found = turn.data.get(FOLDED)
    return found if isinstance(found, str) else None


def without_fold(turn: Memory) -> dict[str, Any]:
    """Return the data of a turn as if it had no summary."""
    return {name: value for name, value in turn.data.items() if name != FOLDED}


def made_from(memory: Memory) -> set[str]:
    """Return the ids of the memories that one was made from: those it cites, folds, or was merged from."""
    return {*cited_ids(memory), *folded_ids(memory), *merged_ids(memory)}


def updates_noted(memory: Memory) -> Mapping[str, Any]:
    """Return what was noted of each newer memory that updates this one, by its id."""
    found = memory.data.get(UPDATED_BY)
    return found if isinstance(found, dict) else {}


def forced_rules(memory: Memory) -> list[str]:
    """Return the rules of the write policy that were overridden for a memory."""
    return ids_in(memory.data, OVERRIDES)


def is_forced_past_secrets(data: Mapping[str, Any]) -> bool:
    """True if a text with such data was kept by force although it looks like a secret."""
    return any(rule.startswith(_OF_SECRETS) for rule in ids_in(data, OVERRIDES))
