"""Verification that two stores, of whatever backend, hold the same: by counts and digests of their parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from memcli.model import Link, State
from memcli.named_tuple import NamedTuple
from memcli.storage import Beginning, Store, Vectors, lookup
from memcli.storage.batches import in_batches
from memcli.times import to_iso
from memcli.upkeep.moving import parts

_SIZE = 32


class PartDigest(NamedTuple):
    """The number of rows, and the sum of the SHA-256 of each, which does not depend on their order."""

    rows: int
    sum: str


def digests(store: Store, *, halves: bool) -> dict[str, PartDigest]:
    """Return the digest of each part; with `halves`, vectors count in 16 bits a number, as on a server."""
    return {
        "memories": _digest(memory.to_record() for memory in parts.memories(store)),
        "vectors": _digest(_vectors(store, halves=halves)),
        "links": _digest(map(_link, parts.links(store))),
        "values": _digest(map(_value, parts.values(store))),
        "changes": _digest({**each._asdict(), "at": to_iso(each.at)} for each in parts.changes(store)),
        "clocks": _digest(each._replace(row="")._asdict() for each in parts.clocks_as_noted(store)),
    }


def _digest(records: Iterator[dict[str, Any]]) -> PartDigest:
    rows = total = 0
    for record in records:
        text = json.dumps(record, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        rows += 1
        total += int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    return PartDigest(rows, (total % (1 << 8 * _SIZE)).to_bytes(_SIZE, "big").hex())


def _link(link: Link) -> dict[str, Any]:
    at = {name: each and to_iso(each) for name, each in link._asdict().items() if name in _LINK_TIMES}
    return {**link._asdict(), **at}


_LINK_TIMES = ("valid_from", "valid_until", "created_at", "ended_at")


def _value(state: State) -> dict[str, Any]:
    at = {name: each and to_iso(each) for name, each in state._asdict().items() if name in _STATE_TIMES}
    return {**state._asdict(), **at}


_STATE_TIMES = ("created_at", "updated_at", "expires_at")


def _vectors(store: Store, *, halves: bool) -> Iterator[dict[str, Any]]:
    for some in in_batches(parts.memories(store), parts.BATCH):
        for memory_id, vectors in lookup.vectors_of(store, some).items():
            yield {
                "memory": memory_id,
                "begun": isinstance(vectors, Beginning),
                **_said(vectors, halves=halves),
            }


def _said(vectors: Vectors, *, halves: bool) -> dict[str, Any]:
    if not halves:
        return {"vectors": [vector.hex() for vector in vectors]}
    import numpy as np

    # Normalises -0.0 to 0.0: a server may keep either.
    rounded = (np.frombuffer(each, "<f4").astype("<f2") + np.float16(0) for each in vectors)
    return {"vectors": [each.tobytes().hex() for each in rounded]}
