"""Vectors as rows of length 1: what has no direction stays as it is."""

from __future__ import annotations

import numpy as np
import pytest

from memcli.embedding.vectors import unit_rows, unit_vectors
from memcli.memories import Memories
from memcli.upkeep.calibrate import calibrate_floor
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from tests.standin import WIDTH


def test_rows_are_of_length_1_but_for_what_has_no_direction() -> None:
    vectors = [np.asarray(values, dtype="<f4").tobytes() for values in ([3, 4], [0, 0], [-1e-3, 0])]
    assert unit_rows(vectors) == pytest.approx(np.asarray([[0.6, 0.8], [0, 0], [-1, 0]]))
    assert unit_vectors(np.asarray([0, 2], dtype=np.float32)) == pytest.approx([0, 1])


def test_a_vector_of_no_direction_spoils_no_calibration(memories: Memories) -> None:
    memories.remember_all([Draft(text=f"the harp of {n} stands in hall {n % 7}") for n in range(60)])
    empty = new_memory(memories, Draft(text="!!!"))
    nothing = np.zeros(WIDTH, dtype="<f4").tobytes()
    put_embedded(memories, memories.model, [empty], memories.change("import"), {empty.id: [nothing]})
    assert all(np.isfinite(value) for value in calibrate_floor(memories)._asdict().values())
