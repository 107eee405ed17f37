"""Floor of a store's model: its calibration, fitted to the store or derived from unrelated texts."""

from __future__ import annotations

from typing import Any

from memcli.model import ModelIdentity
from memcli.recall.ranking.floor import DEFAULT_CALIBRATION, Calibration, rescaled_by
from memcli.storage import Store, areas, states


def floor_settings(store: Store, bound: ModelIdentity) -> dict[str, Any]:
    """Return the fields of `RankingSettings` that the model decides, if known: `calibration`, `common`."""
    fitted = states.read_state(store, areas.CALIBRATIONS, areas.CALIBRATION.name, bound.weights)
    if fitted:
        known = {name: fitted.value[name] for name in Calibration._fields if name in fitted.value}
        chosen: dict[str, Any] = {"calibration": Calibration(**known)}
        # An import may have brought it: a vector of another width is ignored.
        if len(common := fitted.value.get(areas.COMMON, ())) == bound.dimensions:
            from array import array

            chosen["common"] = array("f", common).tobytes()
        return chosen
    if bound.is_default:
        return {}
    # Too few memories to fit a calibration: derive it from the similarity of unrelated texts.
    least, common_to_all = unrelated_floor(store, bound)
    if least is None:
        return {}
    from array import array

    return {"calibration": least, "common": array("f", common_to_all).tobytes()}


def unrelated_floor(store: Store, bound: ModelIdentity) -> tuple[Calibration | None, list[float]]:
    """Return the calibration from the model's likeness of unrelated texts, and its common vector.

    None if the model was never measured; the default model has no common component to remove.
    """
    if bound.is_default:
        return DEFAULT_CALIBRATION, []
    from memcli.embedding.scale import kept_scale

    scale = kept_scale(store, bound)
    if scale is None:
        return None, []
    return rescaled_by(scale.cosine), scale.common.astype("f4").tolist()
