"""Signs of vectors, one bit for each number, by which likely near vectors are chosen before measuring.

Measuring 100,000 vectors of 384 takes 90 ms of CPU, since all of them have to be read. Their signs are a
thirty-second of that, and suffice to find the few thousand that include the nearest (the asymmetric binary
search of Gordo et al., "Asymmetric Distances for Binary Embeddings", IEEE TPAMI 36, 2014): the question
keeps four bits a number. Those are then measured exactly.

Signs are derived data: `vector_signs` has a row for each 256 vectors, by their numbers. A trigger clears
the signs of a deleted vector.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import sqlcipher3.dbapi2 as sqlite

from memcli.storage.sqlite.tables.digests import undecoded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Vectors per row: with 384 numbers each it fills three quarters of a page.
BLOCK = 256
# The bits that a question keeps of each number; one more or less hardly changes the ranking.
_BITS = 4
# How many rows are counted at once: they fit into the processor's cache (0.2 ms).
_PORTION = 32
# The first bit of the last byte of a little-endian float32 is its sign.
_IS_POSITIVE = bytes(b"01"[byte < 0x80] for byte in range(256))

_PUT = """
INSERT INTO vector_signs (model, block, signs) VALUES (:model, :block, :new)
ON CONFLICT (model, block) DO UPDATE
SET signs = CAST(substr(signs, 1, :start) || :bits || substr(signs, :after) AS BLOB)
WHERE length(signs) = length(excluded.signs)
"""


def sign_bits(vector: bytes) -> bytes:
    """Return a bit for each number of a little-endian float32 vector: set if positive. Never all zero."""
    told = vector[3::4].translate(_IS_POSITIVE)
    bits = int(told.ljust(-(-len(told) // 8) * 8, b"0"), 2).to_bytes(-(-len(told) // 8), "big")
    # All zeros mean that there is no vector.
    return bits if any(bits) else bits[:-1] + b"\1"


def put_signs(db: sqlite.Connection, model: int, vectors: Mapping[int, bytes]) -> None:
    """Write the signs of vectors of a model, by row number; adjacent ones are written at once."""
    run: list[bytes] = []
    first = 0
    for number, vector in sorted(vectors.items()):
        bits = sign_bits(vector)
        goes_on = run and number == first + len(run) and number % BLOCK and len(bits) == len(run[0])
        if run and not goes_on:
            _put_run(db, model, first, run)
            run = []
        if not run:
            first = number
        run.append(bits)
    if run:
        _put_run(db, model, first, run)


def _put_run(db: sqlite.Connection, model: int, first: int, run: Sequence[bytes]) -> None:
    """Write the signs of adjacent vectors in one block."""
    bits, size, (block, place) = b"".join(run), len(run[0]), divmod(first, BLOCK)
    new = (bytes(place * size) + bits).ljust(BLOCK * size, b"\0")
    values = {"model": model, "block": block, "new": new, "bits": bits, "start": place * size}
    db.execute(_PUT, {**values, "after": place * size + len(bits) + 1})


def write_signs(db: sqlite.Connection) -> None:
    """Rebuild all signs from the vectors."""
    db.execute("DELETE FROM vector_signs")
    for model, block, signs in _made(db):
        db.execute("INSERT INTO vector_signs (model, block, signs) VALUES (?, ?, ?)", (model, block, signs))


def wrong_signs(db: sqlite.Connection) -> Iterator[object]:
    """Yield the blocks whose signs do not match their vectors."""
    with undecoded(db):
        there = {row[:2]: row[2] for row in db.execute("SELECT model, block, signs FROM vector_signs")}
    for model, block, signs in _made(db):
        if there.pop((model, block), None) != signs:
            yield f"block {block}"
    # A block whose vectors are all deleted is zero.
    for (_, block), signs in there.items():
        if not isinstance(signs, bytes) or any(signs):
            yield f"block {block}"


def _made(db: sqlite.Connection) -> Iterator[tuple[int, int, bytes]]:
    """Yield each model and block with the signs of its vectors; invalid vectors are left out."""
    sql = (
        "SELECT number, vector FROM vectors WHERE model = ? AND number >= ? AND number < ? "
        "AND typeof(vector) = 'blob' AND length(vector) = ?"
    )
    [(last,)] = db.execute("SELECT coalesce(max(number), -1) FROM vectors")
    for model, dimensions in db.execute("SELECT number, dimensions FROM models").fetchall():
        width = -(-dimensions // 8)
        for block in range(last // BLOCK + 1):
            signs = bytearray(BLOCK * width)
            within = (block * BLOCK, (block + 1) * BLOCK)
            for number, vector in db.execute(sql, (model, *within, 4 * dimensions)):
                start = (number - block * BLOCK) * width
                signs[start : start + width] = sign_bits(vector)
            if any(signs):
                yield model, block, bytes(signs)


def likely_near(
    rows: Iterable[tuple[int, Any]], vector: bytes, many: int, among: Sequence[int] | None = None
) -> list[int]:
    """Return the numbers of at most `many` vectors that are likely near, most likely first.

    Takes blocks with their signs; those of another size are ignored. With `among`, only these numbers are
    considered.
    """
    import numpy as np

    size = BLOCK * len(sign_bits(vector))
    told = _Question(np.frombuffer(vector, dtype="<f4"))
    whole = ((block, signs) for block, signs in rows if isinstance(signs, bytes) and len(signs) == size)
    blocks, scores = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.float32)]
    while some := list(islice(whole, _PORTION)):
        codes = np.frombuffer(b"".join(signs for _, signs in some), dtype=np.uint8)
        scores.append(told.scores(codes.reshape(-1, size // BLOCK)))
        blocks.append(np.array([block for block, _ in some], dtype=np.int64))
    places = (np.concatenate(blocks)[:, None] * BLOCK + np.arange(BLOCK)).ravel()
    likely = np.concatenate(scores)
    if among is not None:
        likely[~np.isin(places, np.fromiter(among, dtype=np.int64))] = -np.inf
    best = np.argpartition(-likely, many)[:many] if many < len(likely) else np.arange(len(likely))
    best = best[likely[best] > -np.inf]
    numbers: list[int] = places[best[np.argsort(-likely[best], kind="stable")]].tolist()
    return numbers


class _Question:
    """A vector with its numbers rounded to steps above the least one.

    So the sum of those at which a code has a bit is a weighted count of bits: least x all + step x (bits
    shared with the first plane + twice those with the second + …).
    """

    def __init__(self, vector: NDArray[np.float32]) -> None:
        import numpy as np

        self._least = vector.min()
        self._step = (vector.max() - self._least) / (2**_BITS - 1) or np.float32(1)
        # Padded, since bits are counted eight bytes at a time.
        steps = np.zeros(-(-len(vector) // 64) * 64, dtype=np.uint8)
        steps[: len(vector)] = np.round((vector - self._least) / self._step)
        self._planes = [np.packbits(steps >> bit & 1).view(np.uint64)[:, None] for bit in range(_BITS)]

    def scores(self, codes: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the sum for each code; minus infinity if it has no bit at all. (n, bytes) -> (n,)"""
        import numpy as np

        if codes.shape[1] % 8:
            codes = np.pad(codes, ((0, 0), (0, -codes.shape[1] % 8)))
        words = np.ascontiguousarray(codes.view(np.uint64).T)
        every = _counted(words)
        scores = self._least * every
        for bit, plane in enumerate(self._planes):
            scores += np.float32(self._step * 2**bit) * _counted(words & plane)
        return np.where(every > 0, scores, np.float32(-np.inf)).astype(np.float32)


def _counted(codes: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Count the set bits over the first axis: numpy's sum along it would take three times as long."""
    import numpy as np

    count: NDArray[np.uint16] = np.bitwise_count(codes[0]).astype(np.uint16)
    for words in codes[1:]:
        count += np.bitwise_count(words)
    return count
