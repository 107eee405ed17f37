"""Numerics: load numpy without its own threads if the matrices are small.

Its matrix library (OpenBLAS) starts a thread for each core as soon as it is loaded, and each one spins while
it waits: 40 ms of processor time before the first product.
"""

from __future__ import annotations

import os
import sys

# The variables that numpy's libraries read once, when they are loaded.
_NUMBERS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def load_numpy_for_little() -> None:
    """Import numpy with one thread, unless it is imported already or the owner has chosen a number.

    Code that multiplies matrices of thousands imports numpy itself, before anybody calls this.
    """
    if "numpy" in sys.modules or any(name in os.environ for name in _NUMBERS):
        return
    os.environ[_NUMBERS[0]] = "1"
    try:
        import numpy  # noqa: F401 - to be there
    finally:
        # Programs that we start must not inherit it.
        del os.environ[_NUMBERS[0]]
