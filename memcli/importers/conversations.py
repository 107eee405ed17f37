"""Turns of conversations, carried into sessions: a conversation that has grown adds its new turns."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memcli.errors import BadInput, Refused
from memcli.importers import fields
from memcli.importers.missing_times import first_times, shifted
from memcli.importers.one_import import OneImport
from memcli.importers.records import Turn, known
from memcli.model import Memory
from memcli.text.extraction.outputs import condense
from memcli.text.secrets.redaction import secrets_in_value
from memcli.tiers.sessions.episodes import put_turns, read_turns
from memcli.write_policy.direct import vet_memory
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.gate import Gate


class Conversations:
    """Those of one import, whose turns stand one after the other, portion after portion."""

    def __init__(self, one: OneImport) -> None:
        self._import, self._memories, self._report = one, one.memories, one.report
        # The current conversation: its id, its session here, the time of its last turn, whether that is told.
        self._conversation = self._session = ""
        self._last: datetime | None = None
        self._dated = False

    def carry(self, turns: Sequence[Turn]) -> None:
        """Take in some of these in their order, as one transaction, and tell of them.

        May raise ModelUnusable, StoreUnusable.
        """
        derived_id = self._import.derived_id
        keyed = [(derived_id(f"{turn.conversation}\0{turn.id}", known(turn.at)), turn) for turn in turns]
        times = first_times(turns)
        here = {memory.id: memory for memory in self._memories.store.get([each for each, _ in keyed])}
        gate = Gate(self._memories, self._import.options, self._memories.now())
        new: dict[str, Memory] = {}
        for memory_id, turn in keyed:
            before = here.get(memory_id)
            self._follow(turn, before, times)
            if (before and not _has_grown(before, turn)) or memory_id in new:
                self._report.turns_known += 1
                # A turn that has expired was not ended by its owner.
                if before and before.ended_as in ("forgotten", "undone"):
                    self._report.ended.append(before.id)
                continue
            try:
                memory = self._turn(memory_id, turn, gate)
            except (BadInput, Refused) as error:
                self._import.left_out(turn.place, error)
                continue
            if before:
                memory = replace(before, text=memory.text, data=memory.data, updated_at=memory.updated_at)
                self._report.turns_grown += 1
            new[memory_id] = memory
        self._report.turns_added += len(new.keys() - here.keys())
        if not self._import.dry_run and new:
            vectors, _, gap = read_turns(self._memories, list(new.values()))
            self._report.gap = self._report.gap or gap
            change = self._memories.change("import", door=self._import.origin)
            put_turns(self._memories, list(new.values()), change, vectors)

    def _follow(self, turn: Turn, before: Memory | None, times: Mapping[str, datetime]) -> None:
        """Track a turn's conversation and time; without a time it is put right after the turn before it."""
        if turn.conversation != self._conversation:
            self._conversation, self._last, self._session = turn.conversation, None, ""
            self._dated = False
            self._report.conversations += 1
        if before and before.session:
            self._session = before.session
        if not self._session:
            mark = hashlib.sha256(turn.conversation.encode("utf-8", "replace")).hexdigest()[:8]
            title = "" if secrets_in_value(turn.title) else fields.one_line(turn.title)
            self._session = f"{title or self._import.source} {mark}"
        self._dated = self._dated or turn.conversation in times
        first = times.get(turn.conversation) or self._memories.now()
        at = known(turn.at) or (shifted(self._last, 1) if self._last else first)
        # Keep the order of the file, also if two turns have the same time.
        self._last = at if self._last is None or at > self._last else shifted(self._last, 1)

    def _turn(self, memory_id: str, turn: Turn, gate: Gate) -> Memory:
        text, data = turn.text, {**self._import.data_of(turn), "role": turn.role}
        if not self._dated:
            # A conversation without any times is dated to now, and marked as undated.
            data["undated"] = True
        limit = self._memories.config["output_limit"]
        if turn.role == "tool" and len(text) > limit:
            data["length"] = len(text)
            text = condense(text, limit)
        draft = Draft(
            text=text, kind="episode", session=self._session, source="imported", origin=self._import.origin,
            trusted=turn.trusted and not self._import.untrusted, happened_at=self._last, data=data,
        )  # fmt: skip
        memory = replace(new_memory(self._memories, draft), id=memory_id)
        return vet_memory(self._memories, memory, gate)


def _has_grown(known: Memory, turn: Turn) -> bool:
    """True if a turn continues the known one: that was imported while it was still being written."""
    here, there = known.text.strip(), turn.text.strip()
    return known.ended_at is None and len(there) > len(here) and there.startswith(here)
