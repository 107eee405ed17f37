"""A second process that judges half of what a batch has to have judged.

Judging is Python, and a process runs Python on one core only; it is the better part of a batch's
time. Without a second core, or where the process is lost, all is judged here: the same, more slowly.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from memcli.model import Memory
from memcli.system.processors import usable_processors
from memcli.write_policy.related.lookup import RelatedMemory, judge_related

# A new memory, and what it is held against.
Case = tuple[Memory, Sequence[RelatedMemory]]

# Below so many new memories it is not worth a process, which takes a third of a second to be ready.
WORTH = 200
# So many new memories have their pairs judged at once: what was read of a pair is kept for some hundred.
_AT_ONCE = 12
_ANSWERS = ("verdict", "judgement")


def judge(cases: Sequence[Case]) -> None:
    """Judge what the rules will ask: every verdict and, of what is no duplicate, how the two are related.

    Now, and not inside the transaction.
    """
    for begin in range(0, len(cases), _AT_ONCE):
        some = cases[begin : begin + _AT_ONCE]
        judge_related([each for new, near in some if not _is_settled(new, near) for each in near])


def _is_settled(new: Memory, near: Sequence[RelatedMemory]) -> bool:
    """Whether one says the same in the same kind, which decides alone."""
    return any(each.verdict == "same" and each.memory.kind == new.kind for each in near)


class JudgingProcess:
    """The process, started when this is made; it ends with this, or with the process that made it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if usable_processors() < 2 or not sys.executable:
            return
        with suppress(OSError):
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )  # fmt: skip
            weakref.finalize(self, _end, self._process)

    def judge(self, cases: Sequence[Case]) -> None:
        """Judge each, every other one there."""
        theirs = self._hand_over(cases[1::2])
        judge(cases[::2])
        if not (theirs and self._take_back(cases[1::2])):
            judge(cases[1::2])

    def _hand_over(self, cases: Sequence[Case]) -> bool:
        if not (self._process and self._process.stdin):
            return False
        try:
            _write(self._process.stdin, cases)
        except OSError:
            return self._lose()
        return True

    def _take_back(self, cases: Sequence[Case]) -> bool:
        """Have its answers stand as if they had been found here; False where it is lost."""
        assert self._process and self._process.stdout  # noqa: S101 - it was given something to do
        try:
            answers = pickle.load(self._process.stdout)  # noqa: S301 - our own process
        except (OSError, EOFError, pickle.UnpicklingError):
            return self._lose()
        for (_, near), found in zip(cases, answers, strict=True):
            for each, known in zip(near, found, strict=True):
                vars(each).update(known)
        return True

    def _lose(self) -> bool:
        if self._process:
            _end(self._process)
            self._process = None
        return False


def _write(line: IO[bytes], something: object) -> None:
    line.write(pickle.dumps(something))
    line.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Without a caller it ends by itself."""
    for line in (process.stdin, process.stdout):
        with suppress(OSError):
            if line:
                line.close()
    process.wait()


def main() -> None:
    """Judge what comes on stdin, list by list, and say on stdout what was found; until nothing comes."""
    import gc
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for who waits for us
    gc.disable()  # what is made here has no cycles
    # Before the first comes: our caller is looking up what to compare.
    from memcli.judgement.pairs import packaged_weights

    packaged_weights(by_words=False), packaged_weights(by_words=True)
    with suppress(EOFError, OSError):
        while True:
            cases: Sequence[Case] = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own caller
            judge(cases)
            _write(sys.stdout.buffer, [[_found(each) for each in near] for _, near in cases])


def _found(related: RelatedMemory) -> dict[str, object]:
    return {name: vars(related)[name] for name in _ANSWERS if name in vars(related)}


if __name__ == "__main__":
    main()
    os._exit(0)  # taking numpy down would be waited for
