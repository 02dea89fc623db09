"""The encoder as an ONNX graph, written node by node. Needs the package ``onnx``.

    features [token, sentence, feature], lengths [sentence] -> emissions [sentence, type, token, 5]

Weights have the names and layout of torch.

In int8, ONNX Runtime scales the features of a batch, and in each step the states of all its
sentences, by the largest value among them: a sentence's emissions would depend on the rest of the
batch. So two more values, the edges, are as large as any value can be, in every batch and step: two
features, and two units of each LSTM that stay at 1 and -1. Nothing reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from innermost.arrays import Floats, Weights
from innermost.graphs.lstm import IR_VERSION, MICROSOFT, OPSET, eight_bit_rows, onnx_gates

TAGS = 5

EDGES = np.array([1, -1], dtype=np.float32)
"""The bounds of LSTM states."""
_FIRMLY = 30.0
"""Opens or closes a gate, and keeps a state at 1."""


def encoder_graph(
    weights: Weights, types: int, *, int8: bool = False, largest: float | None = None
) -> bytes:
    """A BiLSTM of any depth, or none, quantized to int8 on request, and one linear layer on top.

    ``largest``, for int8: a bound on all features, if known.
    """
    from onnx import checker, helper

    graph = _Graph()
    side_by_side = graph.constant("side_by_side", np.array([0, 0, -1], dtype=np.int64))
    emit = weights["emit.weight"]
    layers = list(_lstm_layers(weights))
    states = "features"
    if int8 and layers:
        if largest is not None:
            states = graph.with_edges(states, largest)
        layers = [
            _with_edges(layer, 2 if number else int(largest is not None))
            for number, layer in enumerate(layers)
        ]
        emit = spread(emit, 2)
    for number, layer in enumerate(layers):
        name = f"lstm{number}"
        both = (graph.int8_lstm if int8 else graph.lstm)(name, states, layer)
        turned = graph.node("Transpose", [both], f"{name}.turned", perm=[0, 2, 1, 3])
        states = graph.node("Reshape", [turned, side_by_side], f"{name}.states")
    # The last layer stays in float32: it is small, and computes every score.
    kernel = graph.constant("emit.weight", emit.T)
    product = graph.node("MatMul", [states, kernel], "emit.product")
    bias = graph.constant("emit.bias", weights["emit.bias"])
    flat = graph.node("Add", [product, bias], "emit.flat")
    shape = graph.constant("by_type", np.array([0, 0, types, TAGS], dtype=np.int64))
    by_type = graph.node("Reshape", [flat, shape], "emit.by_type")
    graph.node("Transpose", [by_type], "emissions", perm=[1, 2, 0, 3])

    versions = [helper.make_opsetid("", OPSET)]
    if int8:
        versions.append(helper.make_opsetid(MICROSOFT, 1))
    # Without a BiLSTM, the linear layer reads the features directly.
    first = weights.get("lstm.layers.0.weight_ih_l0", weights["emit.weight"])
    model = helper.make_model(
        graph.build(first.shape[1], types),
        opset_imports=versions,
        producer_name="innermost",
        ir_version=IR_VERSION,
    )
    checker.check_model(model)
    return bytes(model.SerializeToString())


class _Layer(NamedTuple):
    """Weights of both directions of an LSTM, the gates in ONNX's order."""

    inputs: Floats
    """``[2, 4 * hidden, input]``"""
    recurrent: Floats
    """``[2, 4 * hidden, hidden]``"""
    bias: Floats
    """``[2, 8 * hidden]``"""


class _Graph:
    """Collects nodes and constants; each method returns the name of what it added."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        from onnx import numpy_helper

        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        from onnx import helper

        self._nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def lstm(self, name: str, states: str, layer: _Layer) -> str:
        names = ("W", "R", "B")
        parts = [self.constant(f"{name}.{n}", w) for n, w in zip(names, layer, strict=True)]
        return self.node(
            "LSTM",
            [states, *parts, "lengths"],
            f"{name}.directions",
            direction="bidirectional",
            hidden_size=layer.recurrent.shape[2],
        )

    def int8_lstm(self, name: str, states: str, layer: _Layer) -> str:
        """ONNX Runtime's own operator, with one scale per row of the weights."""
        inputs, input_scales = self._int8(f"{name}.W", layer.inputs)
        recurrent, recurrent_scales = self._int8(f"{name}.R", layer.recurrent)
        bias = self.constant(f"{name}.B", layer.bias)
        hidden = layer.recurrent.shape[2]
        no_peepholes = ""
        return self.node(
            "DynamicQuantizeLSTM",
            [states, inputs, recurrent, bias, "lengths"]
            + [*self._first_states(name, hidden), no_peepholes]
            + [*input_scales, *recurrent_scales],
            f"{name}.directions",
            domain=MICROSOFT,
            direction="bidirectional",
            hidden_size=hidden,
        )

    def with_edges(self, features: str, largest: float) -> str:
        """The features and two more, ``largest`` and ``-largest``."""
        shape = self.node("Shape", [features], "features.shape", end=2)
        whole = self.constant("edges.count", np.array([len(EDGES)], dtype=np.int64))
        shape = self.node("Concat", [shape, whole], "edges.shape", axis=0)
        edges = self.constant("edge", np.float32(largest) * EDGES)
        edges = self.node("Expand", [edges, shape], "edges")
        return self.node("Concat", [features, edges], "features.and_edges", axis=2)

    def _first_states(self, name: str, hidden: int) -> Iterator[str]:
        """Zeros, except for the edges: ``[direction, sentence, hidden]``."""
        state = np.zeros((2, 1, hidden), dtype=np.float32)
        state[:, :, -len(EDGES) :] = EDGES
        sizes = [
            self.constant(f"{name}.directions.count", np.array([2], dtype=np.int64)),
            self.node("Shape", ["lengths"], f"{name}.sentences"),
            self.constant(f"{name}.hidden", np.array([hidden], dtype=np.int64)),
        ]
        shape = self.node("Concat", sizes, f"{name}.first.shape", axis=0)
        for part, values in (("h", state), ("c", _FIRMLY * state)):
            value = self.constant(f"{name}.{part}", values.astype(np.float32))
            yield self.node("Expand", [value, shape], f"{name}.first.{part}")

    def _int8(self, name: str, weight: Floats) -> tuple[str, tuple[str, str]]:
        """The names of the weight, transposed, and of its scales and zero points."""
        quantized, scales = eight_bit_rows(weight)
        return self.constant(name, quantized), (
            self.constant(f"{name}.scales", scales),
            self.constant(f"{name}.zeros", np.zeros_like(scales, dtype=np.int8)),
        )

    def build(self, features: int, types: int) -> Any:
        from onnx import TensorProto, helper

        describe = helper.make_tensor_value_info
        return helper.make_graph(
            self._nodes,
            "encoder",
            [
                describe("features", TensorProto.FLOAT, ["token", "sentence", features]),
                describe("lengths", TensorProto.INT32, ["sentence"]),
            ],
            [describe("emissions", TensorProto.FLOAT, ["sentence", types, "token", TAGS])],
            self._constants,
        )


def _with_edges(layer: _Layer, inputs: int) -> _Layer:
    """The layer with two more units, which nothing reads; so have ``inputs`` parts of its input."""
    wide = spread(layer.inputs, inputs)
    recurrent = spread(layer.recurrent, 1)
    bias = spread(layer.bias, 8).reshape(2, 8, -1)
    shut, opened, kept = bias[:, 0], bias[:, 1], bias[:, 2]
    for gate, value in ((shut, -_FIRMLY), (opened, _FIRMLY), (kept, _FIRMLY)):
        gate[:, -len(EDGES) :] = value
    return _Layer(spread(wide, 4, axis=1), spread(recurrent, 4, axis=1), bias.reshape(2, -1))


def spread(weight: Floats, parts: int, axis: int = -1) -> Floats:
    """The weight with zeros for the edges after each of ``parts`` equal parts of the axis."""
    if not parts:
        return weight
    shape = list(weight.shape)
    shape[axis] = len(EDGES)
    nothing = np.zeros(shape, dtype=np.float32)
    split = np.split(weight, parts, axis=axis)
    return np.concatenate([piece for part in split for piece in (part, nothing)], axis=axis)


def _lstm_layers(weights: Weights) -> Iterator[_Layer]:
    """The layers under torch's names, in order."""
    number = 0
    while f"lstm.layers.{number}.weight_ih_l0" in weights:
        parts = {
            name: np.stack(
                [
                    onnx_gates(weights[f"lstm.layers.{number}.{name}_l0{direction}"])
                    for direction in ("", "_reverse")
                ]
            )
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        }
        bias = np.concatenate((parts["bias_ih"], parts["bias_hh"]), axis=1)
        yield _Layer(parts["weight_ih"], parts["weight_hh"], bias)
        number += 1
