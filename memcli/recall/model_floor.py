"""Where the floor of a store's model stands: fitted to its memories, or to how alike unrelated texts are."""

from __future__ import annotations

from typing import Any

from memcli.model import ModelIdentity
from memcli.recall.ranking.floor import Calibration, rescaled_by
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
    from memcli.embedding.scale import kept_scale

    scale = kept_scale(store, bound)
    if scale is None:
        return {}
    return {"calibration": rescaled_by(scale.cosine), "common": scale.common.astype("<f4").tobytes()}
