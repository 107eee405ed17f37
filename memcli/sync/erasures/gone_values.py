"""Gone values: deleted keyed values, known by keyed hashes of their names, so that files reveal no name."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.model import State
from memcli.scope import Scope
from memcli.storage.ledger import Clock, state_key
from memcli.sync import replica
from memcli.sync.local import OWN_AREAS, nouns, records, take_note, tombstone_key
from memcli.sync.lost import is_owners_loss, keep_lost
from memcli.sync.outbound import gone_record
from memcli.sync.records.merge import Record, united
from memcli.sync.records.registers import STATE
from memcli.sync.records.stamps import clock_of


class GoneValues:
    """Compares deleted values with existing ones, here and in a segment; used within one transaction."""

    def __init__(self, scope: Scope, via: str) -> None:
        self._scope = scope
        self._store = scope.store
        self._via = via
        self._hashes: dict[str, dict[str, str]] = {}
        self.dropped = 0
        self.lost: list[State] = []

    def sort_out(self, foreign: dict[str, Record]) -> dict[str, Record]:
        """Delete the values that others deleted; return their values that are not deleted here."""
        alive = {key: record for key, record in foreign.items() if key.startswith("[")}
        for key, record in foreign.items():
            if key not in alive:
                self._apply_tombstone(record)
        salts = replica.known_salts(self._scope) if alive else []
        return {key: record for key, record in alive.items() if not self._is_gone(record, salts)}

    def _apply_tombstone(self, tombstone: Record) -> None:
        salt = tombstone.key.partition(":")[0]
        if len(salt) != 32 or set(salt) - set("0123456789abcdef"):
            return
        replica.note_salt(self._scope, salt)
        known = self._store.clocks(STATE, [tombstone.key]).get(tombstone.key)
        if known and gone_record(known).stamps["value"] >= tombstone.stamps["value"]:
            return
        if key := self._by_hash(salt).get(tombstone.key):
            if not self._store.is_clocked(STATE, [key]):
                take_note(self._scope, STATE, [key])
            for own in records(self._scope, STATE, [key]).values():
                if united(own, tombstone._replace(key=key)).fields["value"] is not None:
                    return
                for state in nouns(self._scope, STATE, [key]).values():
                    if not isinstance(state, State):
                        continue
                    if is_owners_loss(state, own, tombstone):
                        keep_lost(self._scope, state)
                        self.lost.append(state)
                    self._store.drop_state(state.space, state.area, state.key)
                self._store.drop_clocks(STATE, [key])
                self.dropped += 1
        revision = replica.next_revision(self._scope)
        self._store.put_clocks(
            [Clock(STATE, tombstone.key, revision, self._via, clock_of(tombstone, {"value": None}))]
        )

    def _is_gone(self, record: Record, salts: Sequence[str]) -> bool:
        tombstones = [tombstone_key(salt, record.key) for salt in salts]
        known = self._store.clocks(STATE, tombstones)
        for each in known.values():
            if united(record, gone_record(each)._replace(key=record.key)).fields["value"] is None:
                return True
        self._store.drop_clocks(STATE, list(known))
        return False

    def _by_hash(self, salt: str) -> dict[str, str]:
        if salt not in self._hashes:
            states = (each for each in self._store.states() if each.area not in OWN_AREAS)
            keys = (state_key(each.space, each.area, each.key) for each in states)
            self._hashes[salt] = {tombstone_key(salt, key): key for key in keys}
        return self._hashes[salt]
