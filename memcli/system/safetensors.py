"""safetensors: read tensors from a file without copying.

The format: <https://github.com/huggingface/safetensors#format>.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from memcli.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mmap import mmap

# The supported tensor types, by their names in the format, with numpy's.
_TYPES = {"F32": "<f4", "F16": "<f2", "I8": "i1"}
# The number of bytes that hold the header's size; and the largest header accepted.
_SIZE, _HEADER = 8, 100_000_000


class Content(NamedTuple):
    """The contents of a file, without tensors of other types."""

    tensors: Mapping[str, np.ndarray[Any, np.dtype[Any]]]
    """By name; views of the given bytes, nothing is copied."""
    metadata: Mapping[str, str]


def read_content(data: bytes | mmap) -> Content:
    """Return the tensors in a file's bytes. Raises ValueError if they are not a safetensors file."""
    view = memoryview(data)
    begin = _SIZE + int.from_bytes(view[:_SIZE], "little")
    if begin > min(_HEADER, len(view)):
        raise ValueError("not a safetensors file")
    try:
        header = json.loads(bytes(view[_SIZE:begin]))
        metadata = header.pop("__metadata__", {})
        kept = {name: told for name, told in header.items() if told["dtype"] in _TYPES}
        return Content({name: _tensor(view[begin:], told) for name, told in kept.items()}, metadata)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a safetensors file ({error})") from error


def _tensor(data: memoryview, told: Mapping[str, Any]) -> np.ndarray[Any, np.dtype[Any]]:
    start, end = told["data_offsets"]
    return np.frombuffer(data[start:end], _TYPES[told["dtype"]]).reshape(told["shape"])
