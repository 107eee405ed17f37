"""Fitting recall's floor to the model in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.doors import SETTING, Deed
from memcli.errors import BadInput
from memcli.memories import CALIBRATIONS
from memcli.model import Filter
from memcli.scope import Scope
from memcli.storage import areas, states

if TYPE_CHECKING:
    from memcli.recall.ranking.floor import Calibration


def calibrate_floor(scope: Scope) -> Calibration:
    """Fit the floor to the model in use, from how alike the store's own memories are.

    Raises BadInput with fewer than 50 memories: too few to measure; Refused.
    """
    scope.require(SETTING, Deed.CHANGE, "the floor of recall")
    import numpy as np

    from memcli.embedding.vectors import unit_rows
    from memcli.recall.ranking.floor import rescaled_calibration

    bound = scope.store.model()
    sample = scope.store.sample_vectors(Filter(spaces=None, at=scope.now()), 512)
    if bound is None or len(sample) < 50:
        raise BadInput(f"{scope.store.location}: {len(sample)} memories are too few to calibrate; 50 will do")
    rows = unit_rows(sample)
    alike = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
    middle, high = (float(each) for each in np.percentile(alike, [50, 99]))
    calibration = rescaled_calibration(middle, max(high - middle, 0.05))
    states.write_state(
        scope.store, CALIBRATIONS, areas.CALIBRATION.name, bound.weights, calibration._asdict(), scope.now()
    )
    return calibration
