"""How much reported outcomes are worth: not the raw rate, but what it surely is.

Wilson's score interval (E. B. Wilson, "Probable inference, the law of
succession, and statistical inference", Journal of the American Statistical
Association 22, 1927, pp. 209-212). One success of one says little, nine of ten
say more; with no outcome at all the interval is 0 to 1.
"""

from __future__ import annotations

from math import sqrt

# The normal quantile of a two-sided interval of 95 %.
Z = 1.96


def success_interval(ok: int, failed: int) -> tuple[float, float]:
    """The rates of success, from least to greatest, that these outcomes allow with 95 % confidence."""
    total = ok + failed
    if total <= 0:
        return 0.0, 1.0
    rate, spread = ok / total, Z * Z / total
    centre = rate + spread / 2
    half = Z * sqrt(rate * (1 - rate) / total + spread / (4 * total))
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    # Rounding may leave 0 or 1 by a hair.
    return max(low, 0.0), min(high, 1.0)


def success_bound(ok: int, failed: int) -> float:
    """The least rate of success that these outcomes allow, 0 to 1; 0 where there are none."""
    return success_interval(ok, failed)[0]


def success_factor(ok: int, failed: int) -> float:
    """How outcomes speak for or against, -1 to 1; 0 where there are none.

    The least rate of success less the least rate of failure: what was never
    tried stands between what works and what does not.
    """
    return success_bound(ok, failed) - success_bound(failed, ok)
