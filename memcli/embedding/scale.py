"""How alike two texts are, on one scale for every model: that of the default model.

What is near enough to be the same, or of one thing, was chosen in cosines of all-MiniLM-L6-v2. Another
model's vectors may all point one way (multilingual-e5: no cosine below 0.65), so that to it everything
would be near everything. What they have in common is taken off them, and the cosines that are left are
mapped so that unrelated texts are as alike as to the default model. Both are measured on texts of
our own (`references.txt`), whatever the store holds: one that is all about one thing has not made
that thing meaningless.
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
# The first of the references are English: cosines across languages tell how many a model knows.
_ENGLISH = 30
# The middle and the hundredth most alike pair of them to the default model. (A test measures it.)
MIDDLE, HIGH = 0.037, 0.256
# To the default model memories of one store are so alike in the middle: a model to which unrelated texts are
# no more alike is taken as it is.
_AS_IT_IS = 0.25
# The two lie no nearer to each other than this: a model to which all texts are alike tells nothing.
_LEAST_SPREAD = 0.02
# Of a store whose model was never measured so many vectors stand for the references; of fewer none do.
_SAMPLE, _LEAST_SAMPLE = 256, 50
# What is searched without what is common is measured again: by so much more is looked up.
_AHEAD, _MORE = 2, 16


@dataclass(frozen=True, slots=True, eq=False)
class CosineScale:
    """How the cosines of a model become those of the default model.

    `common` (d,) is taken off each vector; of what is left `middle` and `high` are the cosines of
    unrelated texts, where the default model has MIDDLE and HIGH.
    """

    common: Floats
    middle: float
    high: float

    def rows(self, vectors: Sequence[Vector]) -> Floats:
        """Vectors of the store as rows to be compared by their product, unit. (n, d)"""
        return self.bare(vector_rows(vectors))

    def bare(self, vectors: Floats) -> Floats:
        """Vectors without what all have in common, unit. (…, d)"""
        return without_common(vectors, self.common)

    def likeness(self, cosine: float) -> float:
        """What a cosine of two `rows` is to the default model: at most 1, and 1 for the same."""
        if cosine <= self.high:
            return MIDDLE + (cosine - self.middle) * (HIGH - MIDDLE) / (self.high - self.middle)
        return min(1.0, 1 - (1 - cosine) * (1 - HIGH) / (1 - self.high))

    def cosine(self, likeness: float) -> float:
        """The other way: from which cosine of two `rows` on they are so alike."""
        if likeness <= HIGH:
            return self.middle + (likeness - MIDDLE) * (self.high - self.middle) / (HIGH - MIDDLE)
        return 1 - (1 - likeness) * (1 - self.high) / (1 - HIGH)


def measured_scale(embedder: Embedder) -> CosineScale | None:
    """The scale of a model, by what it makes of the references; None for the default one.

    Raises ModelUnusable.
    """
    if embedder.identity.is_default:
        return None
    texts = _REFERENCES.read_text(encoding="utf-8").splitlines()
    rows = [windows[:1] for windows in embedder.documents(texts)]
    import numpy as np

    return _scale_of(unit_vectors(np.concatenate(rows)), _ENGLISH)


def keep_scale(store: Store, model: ModelIdentity, scale: CosineScale, now: datetime) -> None:
    """Keep the scale of a model with the store."""
    value = {"common": scale.common.astype("f4").tolist(), "middle": scale.middle, "high": scale.high}
    states.write_state(store, areas.CALIBRATIONS, areas.COSINE_SCALE.name, model.weights, value, now)


def kept_scale(store: Store, model: ModelIdentity) -> CosineScale | None:
    """The scale that is kept for a model; None where none is, or none that fits it."""
    found = states.read_state(store, areas.CALIBRATIONS, areas.COSINE_SCALE.name, model.weights)
    value: Any = found.value if found else {}
    common, middle, high = (value.get(name) for name in ("common", "middle", "high"))
    # Brought along by who knows whom.
    if not isinstance(common, list) or len(common) != model.dimensions or middle is None or high is None:
        return None
    import numpy as np

    return _in_bounds(np.asarray(common, dtype=np.float32), float(middle), float(high))


def store_scale(store: Store) -> CosineScale | None:
    """How the vectors of a store are compared; None: as they are, by the default model.

    Of a model that was never measured the store's own vectors tell it, where there are enough.
    """
    model = store.model()
    if model is None or model.is_default:
        return None
    if kept := kept_scale(store, model):
        return kept
    sample = store.sample_vectors(Filter(spaces=None), _SAMPLE)
    return _scale_of(unit_rows(sample), len(sample)) if len(sample) >= _LEAST_SAMPLE else None


def comparable_rows(vectors: Sequence[Vector], scale: CosineScale | None) -> Floats:
    """Vectors of a store as rows whose products are compared, unit. (n, d)"""
    return scale.rows(vectors) if scale else unit_rows(vectors)


def as_likeness(cosine: float, scale: CosineScale | None) -> float:
    """How alike two are whose `comparable_rows` have this product."""
    return scale.likeness(cosine) if scale else cosine


def as_cosine(likeness: float, scale: CosineScale | None) -> float:
    """From which product of `comparable_rows` on two are so alike."""
    return scale.cosine(likeness) if scale else likeness


def nearest_alike(
    store: Store, vector: Vector, where: Filter, limit: int, scale: CosineScale | None
) -> list[Match]:
    """What a filter means that is most like a vector of the store's model, and how alike; best first."""
    if scale is None:
        return store.nearest(vector, where, limit)
    bare = scale.bare(vector_rows([vector])[0])
    near = store.nearest(bare.astype("<f4").tobytes(), where, _AHEAD * limit + _MORE)
    kept = store.vectors([match.ref for match in near])
    best = {ref: float((scale.rows(windows) @ bare).max()) for ref, windows in kept.items() if windows}
    order = sorted(best, key=lambda ref: (-best[ref], ref))
    return [Match(ref, scale.likeness(best[ref])) for ref in order[:limit]]


def _scale_of(rows: Floats, compared: int) -> CosineScale:
    """By some unit vectors, of which the first so many are of unrelated texts in one language."""
    import numpy as np

    if middle_and_high(rows[:compared])[0] <= _AS_IT_IS:
        return CosineScale(np.zeros_like(rows[0]), MIDDLE, HIGH)
    common = rows.mean(axis=0)
    return _in_bounds(common, *middle_and_high(without_common(rows[:compared], common)))


def _in_bounds(common: Floats, middle: float, high: float) -> CosineScale:
    """A scale on which more alike is more alike, whatever was measured."""
    middle = min(max(middle, -1.0), 1 - 2 * _LEAST_SPREAD)
    return CosineScale(common, middle, min(max(high, middle + _LEAST_SPREAD), 1 - _LEAST_SPREAD))
