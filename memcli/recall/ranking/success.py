"""Success factor: the worth of a procedure's outcomes, by a confidence bound instead of the raw rate.

Wilson's score interval (E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
Journal of the American Statistical Association 22, 1927, pp. 209-212). One success of one says little, nine
of ten say more; with no outcome at all the interval is 0 to 1.
"""

from __future__ import annotations

from math import sqrt

# The normal quantile of a two-sided interval of 95 %.
Z = 1.96


def success_interval(ok: int, failed: int) -> tuple[float, float]:
    """Return the least and the greatest rate of success that these outcomes allow with 95 % confidence."""
    total = ok + failed
    if total <= 0:
        return 0.0, 1.0
    rate, spread = ok / total, Z * Z / total
    centre = rate + spread / 2
    half = Z * sqrt(rate * (1 - rate) / total + spread / (4 * total))
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    # Rounding may put a bound slightly outside 0 to 1.
    return max(low, 0.0), min(high, 1.0)


def success_bound(ok: int, failed: int) -> float:
    """Return the least rate of success that these outcomes allow, 0 to 1; 0 without outcomes."""
    return success_interval(ok, failed)[0]


def success_factor(ok: int, failed: int) -> float:
    """Return how far outcomes speak for (up to 1) or against (to -1) a procedure; 0 without outcomes.

    The least rate of success less the least rate of failure, so that an untried procedure ranks between one
    that works and one that does not.
    """
    return success_bound(ok, failed) - success_bound(failed, ok)
