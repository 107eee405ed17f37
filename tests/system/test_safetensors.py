"""Tensors in a safetensors file."""

from __future__ import annotations

import json

import numpy as np
import pytest

from memcli.system.safetensors import read_content


def _file(header: object, data: bytes = b"") -> bytes:
    told = json.dumps(header).encode()
    return len(told).to_bytes(8, "little") + told + data


def test_tensors_are_read_by_name_and_shape_and_others_are_left_out() -> None:
    numbers = np.array([[1.5, -2.0]], dtype="<f4")
    header = {
        "__metadata__": {"answers": "yes\nno"},
        "numbers": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},
        "steps": {"dtype": "I8", "shape": [3], "data_offsets": [8, 11]},
        "one": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},
        "none": {"dtype": "F32", "shape": [0, 2], "data_offsets": [0, 0]},
        "halves": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]},
        "others": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]},
    }
    content = read_content(_file(header, numbers.tobytes() + bytes([1, 255, 3])))
    assert content.metadata == {"answers": "yes\nno"}
    assert content.tensors.keys() == {"numbers", "steps", "one", "none", "halves"}
    assert np.array_equal(content.tensors["numbers"], numbers)
    assert content.tensors["steps"].tolist() == [1, -1, 3]
    assert float(content.tensors["one"]) == 1.5
    assert content.tensors["halves"].dtype == np.float16
    assert content.tensors["none"].shape == (0, 2)


@pytest.mark.parametrize(
    "damaged",
    [
        b"", b"\xff" * 64, _file([]), _file({"a": 1}), _file({"a": {"dtype": "F32"}}),
        _file({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"1234"),
    ],
)  # fmt: skip
def test_what_is_no_such_file_is_a_value_error(damaged: bytes) -> None:
    with pytest.raises(ValueError, match="not a safetensors file"):
        read_content(damaged)
