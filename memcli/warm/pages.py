"""Memory pages that a call uses: a spare child has its own ones before it is called for. Linux only.

A child shares its keeper's pages until it writes to one, or first reads one of a file: 5,000 page faults
per call, a third of its time. So one call is tried out, and each spare child populates in one go (madvise)
the pages that it used, and the room that a call allocates, which the system would otherwise give it page by
page.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from memcli.named_tuple import NamedTuple

# madvise(2), since Linux 5.14: populate pages for reading or writing. Older kernels refuse.
_POPULATE_READ, _POPULATE_WRITE = 22, 23
# Bits of an entry of /proc/PID/pagemap: present; of a file or shared; exclusively mapped
# (proc_pid_pagemap(5)).
_PRESENT, _OF_A_FILE, _EXCLUSIVE = 1 << 63, 1 << 61, 1 << 56
_ENTRY = 8
# mallopt(3) of glibc: freed memory stays in the process, and a block of up to 32 MiB gets no mapping of its
# own, which would be new each time.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST = 32 << 20
# Bytes that a recall among 1,000 memories allocates beyond those of `preparation`.
_ROOM = 6 << 20


class Range(NamedTuple):
    """A range of memory in bytes, whole pages, and how a call uses it (a `madvise` advice)."""

    start: int
    length: int
    use: int


def used_by(call: Callable[[], object]) -> list[Range]:
    """Return the memory pages of this process that a call uses, found by running it in a forked child."""
    if sys.platform != "linux":
        return []
    _have_room()
    mapped = [*_mappings()]
    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            call()
            _ = bytearray(_ROOM)
            ranges = [each for start, end in mapped for each in _used(start, end)]
            with open(told, "wb") as line:
                line.write(" ".join(str(number) for each in ranges for number in each).encode())
        finally:
            os._exit(0)
    os.close(told)
    with open(heard, "rb") as line:
        numbers = [*map(int, line.read().split())]
    os.waitpid(child, 0)
    return [Range(*three) for three in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)]


def have(ranges: Sequence[Range]) -> None:
    """Populate these pages in this process. Those that are gone, or cannot be had, are skipped."""
    if not ranges:
        return
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for each in ranges:
        madvise(*each)


def _have_room() -> None:
    """Reserve free memory at the end of the heap, mapped but untouched; glibc only."""
    with suppress(AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_TRIM_THRESHOLD, 2**31 - 1)
        mallopt(_MMAP_THRESHOLD, _LARGEST)
        _ = bytearray(_ROOM)


def own_size(ranges: Iterable[Range]) -> int:
    """Return the bytes of these ranges that a process has for itself once it has populated them."""
    return sum(each.length for each in ranges if each.use == _POPULATE_WRITE)


def _mappings() -> Iterator[tuple[int, int]]:
    """Yield the readable memory mappings, as (start, end)."""
    with suppress(OSError):
        for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
            place, allowed, *rest = line.split(maxsplit=5)
            if allowed.startswith("r") and not rest[-1].startswith("[v"):  # not the kernel's own: vdso, vvar
                start, _, end = place.partition("-")
                yield int(start, 16), int(end, 16)


def _used(start: int, end: int) -> Iterator[Range]:
    """Yield the pages between two addresses that are this process's own, or a file's and mapped in."""
    import numpy as np

    size = os.sysconf("SC_PAGE_SIZE")
    try:
        with open("/proc/self/pagemap", "rb", buffering=0) as file:
            file.seek(start // size * _ENTRY)
            entries = np.frombuffer(file.read((end - start) // size * _ENTRY), "<u8")
    except OSError:
        return
    present = entries & np.uint64(_PRESENT) != 0
    of_a_file = entries & np.uint64(_OF_A_FILE) != 0
    own = entries & np.uint64(_EXCLUSIVE) != 0
    for wanted, use in ((present & own & ~of_a_file, _POPULATE_WRITE), (present & of_a_file, _POPULATE_READ)):
        edges = np.flatnonzero(np.diff(wanted.astype(np.int8), prepend=0, append=0)).tolist()
        for first, behind in zip(edges[::2], edges[1::2], strict=True):
            yield Range(start + first * size, (behind - first) * size, use)
