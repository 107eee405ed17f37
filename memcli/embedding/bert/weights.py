"""Weights of a plain BERT encoder, memory-mapped from the installed file."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memcli.embedding.bert.description import Bert, InDoubt
from memcli.named_tuple import NamedTuple
from memcli.system.safetensors import read_content

if TYPE_CHECKING:
    from memcli.embedding import Floats


class Dense(NamedTuple):
    """A linear layer: weight (out, in) and bias (out,), as torch stores them."""

    weight: Floats
    bias: Floats


class Layer(NamedTuple):
    """The weights of one layer of the encoder."""

    query: Dense
    key: Dense
    value: Dense
    attended: Dense
    attended_norm: Dense
    inner: Dense
    outer: Dense
    outer_norm: Dense


class Weights(NamedTuple):
    """All weights; `words`, `positions` and `types` are (number, width)."""

    words: Floats
    positions: Floats
    types: Floats
    norm: Dense
    layers: list[Layer]


def map_weights(file: Path, bert: Bert) -> Weights:
    """Map the weights in a safetensors file, which are read only when used.

    Raises InDoubt if one is missing, of another shape, or not float32; OSError.
    """
    tensors = _tensors(file)

    def tensor(name: str, *shape: int) -> Floats:
        found = tensors.get(name)
        if found is None or (shape and found.shape != shape):
            raise InDoubt(f"{file.name}: {name} is missing or of another shape")
        return found

    def dense(name: str, *shape: int) -> Dense:
        weight = tensor(f"{name}.weight", *shape)
        return Dense(weight, tensor(f"{name}.bias", weight.shape[0]))

    width = bert.width
    layers = []
    for number in range(bert.layers):
        at = f"encoder.layer.{number}"
        inner = dense(f"{at}.intermediate.dense")
        layers.append(
            Layer(
                dense(f"{at}.attention.self.query", width, width),
                dense(f"{at}.attention.self.key", width, width),
                dense(f"{at}.attention.self.value", width, width),
                dense(f"{at}.attention.output.dense", width, width),
                dense(f"{at}.attention.output.LayerNorm", width),
                inner,
                dense(f"{at}.output.dense", width, inner.weight.shape[0]),
                dense(f"{at}.output.LayerNorm", width),
            )
        )
    if f"encoder.layer.{bert.layers}.output.dense.weight" in tensors:
        raise InDoubt(f"{file.name}: more layers than config.json says")
    words, positions, types = (
        tensor(f"embeddings.{each}_embeddings.weight") for each in ("word", "position", "token_type")
    )
    return Weights(words, positions, types, dense("embeddings.LayerNorm", width), layers)


def _tensors(file: Path) -> dict[str, Floats]:
    """Return every float32 tensor by name."""
    try:
        with file.open("rb") as opened:
            content = read_content(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
    except ValueError as error:
        raise InDoubt(f"{file.name}: {error}") from error
    return {name: tensor for name, tensor in content.tensors.items() if tensor.dtype == np.float32}
