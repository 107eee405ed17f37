"""Judging process: a second process that judges half of the pairs of a batch.

Judging is pure Python, which uses one core per process, and takes most of a batch's time. Without a second
core, or if the process is lost, everything is judged here: the same results, more slowly.
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

# A new memory, and the stored ones it is judged against.
Case = tuple[Memory, Sequence[RelatedMemory]]

# The least number of new memories for which a process, ready after a third of a second, is worth starting.
WORTH = 200
# How many new memories have their pairs judged at once: the features of some hundred pairs are cached.
_AT_ONCE = 12
_ANSWERS = ("verdict", "judgement")


def judge(cases: Sequence[Case]) -> None:
    """Compute, outside the transaction, the verdict and judgement of each pair that the rules will ask for.

    Pairs of a new memory that is settled as a duplicate need no judgement.
    """
    for begin in range(0, len(cases), _AT_ONCE):
        some = cases[begin : begin + _AT_ONCE]
        judge_related([each for new, near in some if not _is_settled(new, near) for each in near])


def _is_settled(new: Memory, near: Sequence[RelatedMemory]) -> bool:
    """True if one of the memories says the same and is of the same kind, which decides by itself."""
    return any(each.verdict == "same" and each.memory.kind == new.kind for each in near)


class JudgingProcess:
    """The second process, started by the constructor; ends with this object, or with the parent process."""

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
        """Judge all cases: every other one in the second process."""
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
        """Copy the other process's results into the given cases; return False if the process is lost."""
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
    """Close the pipes, upon which the process ends by itself, and wait for it."""
    for line in (process.stdin, process.stdout):
        with suppress(OSError):
            if line:
                line.close()
    process.wait()


def main() -> None:
    """Judge the pickled lists of cases that arrive on stdin, and write the results to stdout."""
    import gc
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent process
    gc.disable()  # what is made here has no cycles
    # Loaded before the first cases arrive, while the caller is still looking up what to compare.
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
