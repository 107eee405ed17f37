"""Fitting recall to the model in use: its floor, and what its vectors all have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.doors import SETTING, Deed
from memcli.errors import BadInput
from memcli.model import Filter
from memcli.scope import Scope
from memcli.storage import areas, states

if TYPE_CHECKING:
    from memcli.recall.ranking.floor import Calibration

# Of fewer nothing can be measured.
LEAST_MEMORIES = 50
_SAMPLE = 512


def calibrate_floor(scope: Scope) -> Calibration:
    """Fit the floor to the model in use, from how alike the store's own memories are.

    Of any model but the default one the mean of its vectors is kept as well: recall takes it off
    (`memcli.embedding.vectors`), and what is measured here is measured without it. The floor never comes to
    stand lower than for texts that have nothing to do with each other: the notes of a varied life are less
    alike than those, and by them anything would be answered. Raises BadInput with fewer than 50 memories:
    too few to measure; Refused.
    """
    scope.require(SETTING, Deed.CHANGE, "the floor of recall")
    from memcli.embedding.vectors import middle_and_high, unit_rows, without_common
    from memcli.recall.model_floor import unrelated_floor
    from memcli.recall.ranking.floor import rescaled_calibration

    bound = scope.store.model()
    sample = scope.store.sample_vectors(Filter(spaces=None, at=scope.now()), _SAMPLE)
    if bound is None or len(sample) < LEAST_MEMORIES:
        raise BadInput(f"{scope.store.location}: {len(sample)} memories are too few to calibrate; 50 will do")
    rows = unit_rows(sample)
    kept: dict[str, list[float]] = {}
    if not bound.is_default:
        common = rows.mean(axis=0)
        kept = {areas.COMMON: common.astype("f4").tolist()}
        rows = without_common(rows, common)
    middle, high = middle_and_high(rows)
    calibration = rescaled_calibration(middle, max(high - middle, 0.05))
    least, common_to_all = unrelated_floor(scope.store, bound)
    if least and calibration.nameless < least.nameless:
        calibration = least
        kept = {areas.COMMON: common_to_all} if common_to_all else {}
    value = {**calibration._asdict(), **kept}
    states.write_state(
        scope.store, areas.CALIBRATIONS, areas.CALIBRATION.name, bound.weights, value, scope.now()
    )
    return calibration
