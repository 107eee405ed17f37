"""Reading tensors as they lie in a safetensors file: <https://github.com/huggingface/safetensors#format>."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from memcli.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mmap import mmap

# Those that we read, as the format calls them.
_TYPES = {"F32": "<f4", "F16": "<f2", "I8": "i1"}
# The size of the header stands before it, in so many bytes; the header is shorter than this.
_SIZE, _HEADER = 8, 100_000_000


class Content(NamedTuple):
    """What is in a file. Of tensors of other types it says nothing."""

    tensors: Mapping[str, np.ndarray[Any, np.dtype[Any]]]
    """By name; parts of the bytes that were given, nothing is copied."""
    metadata: Mapping[str, str]


def read_content(data: bytes | mmap) -> Content:
    """The tensors in the bytes of a file. Raises ValueError where it is none."""
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
