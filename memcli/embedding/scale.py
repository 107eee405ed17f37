"""Scale of cosines: how alike two texts are by any model, mapped to the scale of the default model.

The thresholds for "the same" and "about one thing" were chosen in cosines of all-MiniLM-L6-v2. Another
model's vectors may all point one way (multilingual-e5: no cosine below 0.65), so that everything would be
near everything. Their common component is subtracted, and the remaining cosines are mapped so that unrelated
texts are as alike as by the default model. Both are measured on texts of our own (`references.txt`), not on
the store: in one that is all about one thing, that thing still has a meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcli.embedding.vectors import middle_and_high, unit_rows, unit_vectors, vector_rows, without_common
from memcli.model import Filter, Match
from memcli.storage import areas, states

if TYPE_CHECKING:
    from datetime import datetime

    from memcli.embedding import Embedder
    from memcli.embedding.vectors import Floats
    from memcli.model import ModelIdentity
    from memcli.storage import Store, Vector

_REFERENCES = Path(__file__).with_name("references.txt")
# The first so many references are English: cosines across languages would depend on the languages a model
# knows.
_ENGLISH = 30
# The median cosine of these, and that of the most similar hundredth, by the default model (measured by a
# test).
MIDDLE, HIGH = 0.037, 0.256
# The median cosine of memories in one store by the default model: a model by which unrelated texts are no
# more alike is used without a mapping.
_AS_IT_IS = 0.25
# The least distance between the two: a model by which all texts are alike is useless.
_LEAST_SPREAD = 0.02
# In a store whose model was never measured, so many vectors replace the references; with fewer than the
# second number, none do.
_SAMPLE, _LEAST_SAMPLE = 256, 50
# A search by vectors without the common component looks up more, and compares them again: factor and addend.
_AHEAD, _MORE = 2, 16


@dataclass(frozen=True, slots=True, eq=False)
class CosineScale:
    """How the cosines of a model map to those of the default model.

    `common` (d,) is subtracted from each vector; of the rest, `middle` and `high` are the cosines of
    unrelated texts, for which the default model has MIDDLE and HIGH.
    """

    common: Floats
    middle: float
    high: float

    def rows(self, vectors: Sequence[Vector]) -> Floats:
        """Return vectors of the store as unit rows to be compared by their product. (n, d)"""
        return self.bare(vector_rows(vectors))

    def bare(self, vectors: Floats) -> Floats:
        """Return unit vectors without the common component. (…, d)"""
        return without_common(vectors, self.common)

    def likeness(self, cosine: float) -> float:
        """Return a cosine of two `rows` on the default model's scale: at most 1, and 1 for the same."""
        if cosine <= self.high:
            return MIDDLE + (cosine - self.middle) * (HIGH - MIDDLE) / (self.high - self.middle)
        return min(1.0, 1 - (1 - cosine) * (1 - HIGH) / (1 - self.high))

    def cosine(self, likeness: float) -> float:
        """Return the cosine of two `rows` for a likeness: the inverse of `likeness`."""
        if likeness <= HIGH:
            return self.middle + (likeness - MIDDLE) * (self.high - self.middle) / (HIGH - MIDDLE)
        return 1 - (1 - likeness) * (1 - self.high) / (1 - HIGH)


def measured_scale(embedder: Embedder) -> CosineScale | None:
    """Measure the scale of a model on the references; None for the default model.

    Raises ModelUnusable.
    """
    if embedder.identity.is_default:
        return None
    texts = _REFERENCES.read_text(encoding="utf-8").splitlines()
    rows = [windows[:1] for windows in embedder.documents(texts)]
    import numpy as np

    return _scale_of(unit_vectors(np.concatenate(rows)), _ENGLISH)


def keep_scale(store: Store, model: ModelIdentity, scale: CosineScale, now: datetime) -> None:
    """Store the scale of a model with the store."""
    value = {"common": scale.common.astype("f4").tolist(), "middle": scale.middle, "high": scale.high}
    states.write_state(store, areas.CALIBRATIONS, areas.COSINE_SCALE.name, model.weights, value, now)


def kept_scale(store: Store, model: ModelIdentity) -> CosineScale | None:
    """Return the stored scale of a model; None if there is none, or none that fits it."""
    found = states.read_state(store, areas.CALIBRATIONS, areas.COSINE_SCALE.name, model.weights)
    value: Any = found.value if found else {}
    common, middle, high = (value.get(name) for name in ("common", "middle", "high"))
    # An import may have brought it, so it is checked.
    if not isinstance(common, list) or len(common) != model.dimensions or middle is None or high is None:
        return None
    import numpy as np

    return _in_bounds(np.asarray(common, dtype=np.float32), float(middle), float(high))


def store_scale(store: Store) -> CosineScale | None:
    """Return how the vectors of a store are compared; None for the default model: as they are.

    For a model that was never measured, the store's own vectors are used, if there are enough.
    """
    model = store.model()
    if model is None or model.is_default:
        return None
    if kept := kept_scale(store, model):
        return kept
    sample = store.sample_vectors(Filter(spaces=None), _SAMPLE)
    return _scale_of(unit_rows(sample), len(sample)) if len(sample) >= _LEAST_SAMPLE else None


def comparable_rows(vectors: Sequence[Vector], scale: CosineScale | None) -> Floats:
    """Return vectors of a store as unit rows whose products are compared. (n, d)"""
    return scale.rows(vectors) if scale else unit_rows(vectors)


def as_likeness(cosine: float, scale: CosineScale | None) -> float:
    """Return the likeness of two `comparable_rows` with this product."""
    return scale.likeness(cosine) if scale else cosine


def as_cosine(likeness: float, scale: CosineScale | None) -> float:
    """Return the product of two `comparable_rows` with this likeness."""
    return scale.cosine(likeness) if scale else likeness


def nearest_alike(
    store: Store, vector: Vector, where: Filter, limit: int, scale: CosineScale | None
) -> list[Match]:
    """Return the memories within a filter most like a vector of the store's model, best first."""
    if scale is None:
        return store.nearest(vector, where, limit)
    bare = scale.bare(vector_rows([vector])[0])
    near = store.nearest(bare.astype("<f4").tobytes(), where, _AHEAD * limit + _MORE)
    kept = store.vectors([match.ref for match in near])
    best = {ref: float((scale.rows(windows) @ bare).max()) for ref, windows in kept.items() if windows}
    order = sorted(best, key=lambda ref: (-best[ref], ref))
    return [Match(ref, scale.likeness(best[ref])) for ref in order[:limit]]


def _scale_of(rows: Floats, compared: int) -> CosineScale:
    """Compute a scale from unit vectors; the first `compared` are unrelated texts in one language."""
    import numpy as np

    if middle_and_high(rows[:compared])[0] <= _AS_IT_IS:
        return CosineScale(np.zeros_like(rows[0]), MIDDLE, HIGH)
    common = rows.mean(axis=0)
    return _in_bounds(common, *middle_and_high(without_common(rows[:compared], common)))


def _in_bounds(common: Floats, middle: float, high: float) -> CosineScale:
    """Return a scale that is increasing, whatever was measured."""
    middle = min(max(middle, -1.0), 1 - 2 * _LEAST_SPREAD)
    return CosineScale(common, middle, min(max(high, middle + _LEAST_SPREAD), 1 - _LEAST_SPREAD))
