"""Restore the weights of an encoder's graph under torch's names, from an exported model.

From float32 they are exact, from int8 rounded. Needs the package ``onnx``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from innermost.arrays import Floats
from innermost.graphs.added_head import head_name
from innermost.graphs.encoder import EDGES
from innermost.graphs.lstm import torch_gates


def encoder_weights(graph: bytes) -> dict[str, Floats]:
    """The weights passed to :func:`innermost.graphs.encoder.encoder_graph`."""
    from onnx import load_from_string, numpy_helper

    model = load_from_string(graph)
    constants = {value.name: numpy_helper.to_array(value) for value in model.graph.initializer}
    weights: dict[str, Floats] = {}
    edges = 0
    number = 0
    while f"lstm{number}.W" in constants:
        name = f"lstm{number}"
        inputs, recurrent = _matrix(constants, f"{name}.W"), _matrix(constants, f"{name}.R")
        bias = constants[f"{name}.B"]
        # In int8 there are two more units, and two more inputs for each part of the input.
        widened = f"{name}.W.scales" in constants
        parts = edges if number else int("edge" in constants)
        edges = 2 if widened else 0
        if widened:
            inputs = _narrowed(_narrowed(inputs, parts), 4, axis=1)
            recurrent = _narrowed(_narrowed(recurrent, 1), 4, axis=1)
            bias = _narrowed(bias, 8)
        input_bias, recurrent_bias = np.split(bias, 2, axis=1)
        for index, direction in enumerate(("", "_reverse")):
            for key, values in (
                ("weight_ih", inputs),
                ("weight_hh", recurrent),
                ("bias_ih", input_bias),
                ("bias_hh", recurrent_bias),
            ):
                weights[f"lstm.layers.{number}.{key}_l0{direction}"] = torch_gates(values[index])
        number += 1
    return weights | _heads(constants, edges)


def _heads(constants: dict[str, npt.NDArray[Any]], edges: int) -> dict[str, Floats]:
    """The linear layer: one head, or several concatenated."""
    names = ["emit"]
    while f"{head_name(len(names))}.weight" in constants:
        names.append(head_name(len(names)))
    rows = [_narrowed(constants[f"{name}.weight"].T, edges) for name in names]
    return {
        "emit.weight": np.concatenate(rows).astype(np.float32),
        "emit.bias": np.concatenate([constants[f"{name}.bias"] for name in names]),
    }


def _matrix(constants: dict[str, npt.NDArray[Any]], name: str) -> Floats:
    """``[direction, row, column]``, stored in float32 or int8."""
    stored = constants[name]
    if stored.dtype != np.int8:
        return stored.astype(np.float32)
    scales: Floats = constants[f"{name}.scales"]
    values: Floats = stored.transpose(0, 2, 1).astype(np.float32) * scales[:, :, None]
    return values


def _narrowed(weight: Floats, parts: int, axis: int = -1) -> Floats:
    """The weight without the edges after each of ``parts`` equal parts of the axis."""
    if not parts:
        return weight
    split = np.split(weight, parts, axis=axis)
    kept = split[0].shape[axis] - len(EDGES)
    return np.concatenate([part.take(range(kept), axis=axis) for part in split], axis=axis)
