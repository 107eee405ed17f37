"""Planned: answer a question that asks only for events in some times to come, or only for open errands."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memcli.model import Filter
from memcli.recall.agenda.answer import agenda
from memcli.recall.agenda.open_errands import open_errands
from memcli.recall.results import RankingSettings, Recall
from memcli.storage import Store
from memcli.text.dates.time_span import TimeSpan


def planned(
    store: Store,
    query: str,
    where: Filter,
    to_come: Sequence[TimeSpan],
    now: datetime,
    settings: RankingSettings,
) -> Recall | None:
    """Return the agenda of the spans `to_come`, or without spans the open errands; None if empty."""
    if to_come:
        found = agenda(store, query, where, to_come, now, settings)
    else:
        found = open_errands(store, query, where, now, settings)
    return found if found.hits else None
