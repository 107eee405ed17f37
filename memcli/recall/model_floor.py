"""Where the floor of a store's model stands: fitted to its memories, or to how alike unrelated texts are."""

from __future__ import annotations

from typing import Any

from memcli.model import ModelIdentity
from memcli.recall.ranking.floor import DEFAULT_CALIBRATION, Calibration, rescaled_by
from memcli.storage import Store, areas, states


def floor_settings(store: Store, bound: ModelIdentity) -> dict[str, Any]:
    """The fields of RankingSettings that depend on the model, as far as known: `calibration`, `common`."""
    fitted = states.read_state(store, areas.CALIBRATIONS, areas.CALIBRATION.name, bound.weights)
    if fitted:
        known = {name: fitted.value[name] for name in Calibration._fields if name in fitted.value}
        chosen: dict[str, Any] = {"calibration": Calibration(**known)}
        # Brought along by who knows whom: what is of another width is of no use.
        if len(common := fitted.value.get(areas.COMMON, ())) == bound.dimensions:
            from array import array

            chosen["common"] = array("f", common).tobytes()
        return chosen
    if bound.is_default:
        return {}
    # Too few memories to fit the floor to: it stands where unrelated texts are as alike.
    least, common_to_all = unrelated_floor(store, bound)
    if least is None:
        return {}
    from array import array

    return {"calibration": least, "common": array("f", common_to_all).tobytes()}


def unrelated_floor(store: Store, bound: ModelIdentity) -> tuple[Calibration | None, list[float]]:
    """The floor where unrelated texts are as alike to a model, and what all its vectors have in common.

    None where the model was never measured; nothing in common of the default one.
    """
    if bound.is_default:
        return DEFAULT_CALIBRATION, []
    from memcli.embedding.scale import kept_scale

    scale = kept_scale(store, bound)
    if scale is None:
        return None, []
    return rescaled_by(scale.cosine), scale.common.astype("f4").tolist()
