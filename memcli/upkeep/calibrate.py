"""Calibration of recall to the model in use: its floor, and the mean that all its vectors share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.doors import SETTING, Deed
from memcli.errors import BadInput
from memcli.model import Filter
from memcli.scope import Scope
from memcli.storage import areas, states

if TYPE_CHECKING:
    from memcli.recall.ranking.floor import Calibration

# The fewest memories by which the floor can be measured.
LEAST_MEMORIES = 50
_SAMPLE = 512


def calibrate_floor(scope: Scope) -> Calibration:
    """Fit the floor to the model in use, from how similar the store's own memories are.

    For any model but the default one the mean of its vectors is stored as well: recall subtracts it
    (`memcli.embedding.vectors`), and so does this measurement. The floor never falls below that of
    unrelated texts: the notes of a varied life are less similar than those, and with such a floor anything
    would be an answer. Raises BadInput with fewer than 50 memories, too few to measure; Refused.
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
