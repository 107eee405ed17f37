"""Graph of a plain BERT encoder, built from its weights by `onnx` and numpy, without torch.

The same arithmetic as `memcli.embedding.bert.arrays`, in the operators that onnxruntime runs fastest on a CPU
(some are its own). On all-MiniLM-L6-v2, one thread: attention as one operator saves a tenth; a bias inside
the product and Gelu by itself save a twentieth over `BiasGelu`; fusing addition and normalisation
(`SkipLayerNormalization`), or the three products before attention, takes longer than separate operators.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from memcli.embedding.bert.description import Bert
from memcli.embedding.bert.weights import Dense, Layer, Weights
from memcli.embedding.graphs import INPUTS, MIDDLE, SENTENCE

if TYPE_CHECKING:
    from memcli.embedding import Floats

# onnxruntime's own operators: github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
_OWN = "com.microsoft"
# A shorter vector is not normalised, as in torch.nn.functional.normalize.
_NOTHING = 1e-12


def bert_graph(bert: Bert, weights: Weights, middle: int | None) -> bytes:
    """Return an ONNX model from ids, mask and types of tokens (int64, (texts, tokens)) to vectors.

    Its outputs, (texts, width), are `SENTENCE` and, if `middle` is the number of a layer, `MIDDLE`: the mean
    of that layer.
    """
    graph = _Graph(bert)
    states = graph.embedded(weights)
    outputs = [SENTENCE]
    for number, layer in enumerate(weights.layers, start=1):
        states = graph.layer(states, layer)
        if number == middle:
            outputs.append(graph.mean(states, MIDDLE))
    pooled = graph.mean(states, "pooled") if bert.pooling == "mean" else graph.first(states, "pooled")
    graph.unit(pooled, SENTENCE) if bert.normalised else graph.add("Identity", [pooled], SENTENCE)
    return graph.model(outputs)


class _Graph:
    """A graph under construction: each method adds operators and returns the name of their output."""

    def __init__(self, bert: Bert) -> None:
        self._bert = bert
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        for name in INPUTS:
            self.add("Cast", [name], f"{name}_32", to=TensorProto.INT32)
        self.add("Cast", ["attention_mask"], "read", to=TensorProto.FLOAT)
        # (texts, 1, tokens), and how many of them are read: (texts, 1)
        self.add("Unsqueeze", ["read", self.constant(np.array([1]))], "row")
        self.add("ReduceSum", ["read", self.constant(np.array([1]))], "count", keepdims=1)

    def add(self, operator: str, inputs: Sequence[str], output: str = "", **settings: Any) -> str:
        """Add an operator; return the name of its output."""
        output = output or f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, list(inputs), [output], **settings))
        return output

    def constant(self, value: Any) -> str:
        name = f"constant_{len(self._constants)}"
        # ascontiguousarray would give a scalar an axis.
        value = np.ascontiguousarray(value) if np.ndim(value) else value
        self._constants.append(numpy_helper.from_array(value, name))
        return name

    def embedded(self, weights: Weights) -> str:
        """Return the token embeddings before the first layer: (texts, tokens, width)."""
        tables = (weights.words, weights.positions, weights.types, *weights.norm)
        inputs = ["input_ids_32", "token_type_ids_32", *map(self.constant, tables)]
        node = helper.make_node(
            "EmbedLayerNormalization",
            inputs,
            ["embedded", "lengths"],
            domain=_OWN,
            epsilon=self._bert.epsilon,
        )
        self._nodes.append(node)
        self.add("Shape", ["embedded"], "shape")
        return "embedded"

    def layer(self, states: str, layer: Layer) -> str:
        """Return the states of all tokens after one more layer: (texts, tokens, width)."""
        parts = (layer.query, layer.key, layer.value)
        asked = [self._product(states, each.weight) for each in parts]
        biases = self.constant(np.concatenate([each.bias for each in parts]))
        inputs = [*asked, biases, "attention_mask_32"]
        taken = self.add("MultiHeadAttention", inputs, domain=_OWN, num_heads=self._bert.heads)
        # Everything except attention treats each token by itself.
        states = self._added(
            self._rows(states), self._dense(self._rows(taken), layer.attended), layer.attended_norm
        )
        inner = self.add("Gelu", [self._dense(states, layer.inner)], domain=_OWN)
        states = self._added(states, self._dense(inner, layer.outer), layer.outer_norm)
        return self.add("Reshape", [states, "shape"])

    def mean(self, states: str, output: str) -> str:
        """Return the mean of a text's tokens: (texts, width)."""
        total = self.add("Squeeze", [self.add("MatMul", ["row", states]), self.constant(np.array([1]))])
        return self.add("Div", [total, "count"], output)

    def first(self, states: str, output: str) -> str:
        """Return the first token's state: (texts, width)."""
        return self.add("Gather", [states, self.constant(np.array(0))], output, axis=1)

    def unit(self, vectors: str, output: str) -> str:
        """Return the vectors scaled to length 1."""
        length = self.add("ReduceL2", [vectors], axes=[1], keepdims=1)
        least = self.constant(np.array(_NOTHING, dtype=np.float32))
        return self.add("Div", [vectors, self.add("Max", [length, least])], output)

    def model(self, outputs: Sequence[str]) -> bytes:
        """Return the whole model, serialised."""
        given = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in INPUTS
        ]
        made = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["texts", self._bert.width])
            for name in outputs
        ]
        graph = helper.make_graph(self._nodes, "bert", given, made, self._constants)
        versions = [helper.make_opsetid("", 17), helper.make_opsetid(_OWN, 1)]
        # The format of onnx 1.13, which every supported onnxruntime reads.
        whole: bytes = helper.make_model(graph, opset_imports=versions, ir_version=8).SerializeToString()
        return whole

    def _product(self, states: str, weight: Floats) -> str:
        return self.add("MatMul", [states, self.constant(weight.T)])

    def _rows(self, states: str) -> str:
        """Return one row for each token of all texts: (texts * tokens, width)."""
        return self.add("Reshape", [states, self.constant(np.array([-1, self._bert.width]))])

    def _dense(self, rows: str, dense: Dense) -> str:
        return self.add("Gemm", [rows, self.constant(dense.weight.T), self.constant(dense.bias)])

    def _added(self, states: str, more: str, norm: Dense) -> str:
        inputs = [self.add("Add", [states, more]), *map(self.constant, norm)]
        return self.add("LayerNormalization", inputs, axis=-1, epsilon=self._bert.epsilon)
