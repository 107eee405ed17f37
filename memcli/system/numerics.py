"""numpy, loaded without threads of its own where its matrices are small.

What multiplies them (OpenBLAS) starts a thread for each core as soon as it is loaded,
and each spins while it waits: 40 ms of processor time before the first product.
"""

from __future__ import annotations

import os
import sys

# What the libraries under numpy read, once, when they are loaded.
_NUMBERS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def load_numpy_for_little() -> None:
    """Import numpy with one thread, unless it is imported already or the owner has chosen a number.

    What is to multiply matrices of thousands imports numpy itself, before anybody does this.
    """
    if "numpy" in sys.modules or any(name in os.environ for name in _NUMBERS):
        return
    os.environ[_NUMBERS[0]] = "1"
    try:
        import numpy  # noqa: F401 - to be there
    finally:
        # It is not for the programs that we start.
        del os.environ[_NUMBERS[0]]
