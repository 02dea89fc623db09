"""Quantize a transformer's ONNX graph to int8. Needs the package ``onnx``.

Activations of transformers have outliers, and with one scale for a whole tensor everything else is
lost in rounding: vectors of e5-small were 16% off. Here each token has its own scale, and they are
7 to 9% off (mpnet: 8 to 13%), which changes F1 by about 0.1; a scale for each block of a token's
numbers (``MatMulNBits``) would bring that to 4%, at half the speed.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from innermost.arrays import Floats
from innermost.graphs.lstm import INT8_RANGE, MICROSOFT

_LARGEST = 127
_MIN_QUANTIZED = 256
"""Tables with fewer numbers are not quantized."""
_NOTHING = np.empty(0, dtype=np.float32)
_SHARED: dict[str, npt.NDArray[Any]] = {
    "int8.tiny": np.array(1e-20, dtype=np.float32),
    "int8.step": np.array(1 / _LARGEST, dtype=np.float32),
    "int8.zero": np.array(128, dtype=np.uint8),
}


def eight_bits(graph: bytes) -> bytes:
    """The same network with constant matrix products and embedding tables quantized to int8."""
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load_from_string(graph)
    fixed = {value.name: value for value in model.graph.initializer}
    uses = Counter(name for node in model.graph.node for name in node.input)
    rounded: set[str] = set()
    nodes: list[Any] = []
    for node in model.graph.node:
        name = next((n for n in node.input if n in fixed and uses[n] == 1), None)
        table: Floats = numpy_helper.to_array(fixed[name]) if name is not None else _NOTHING
        if (
            name is None
            or table.ndim != 2
            or table.size < _MIN_QUANTIZED
            or table.dtype != np.float32
        ):
            nodes.append(node)
        elif node.op_type == "MatMul" and node.input[1] == name:
            model.graph.initializer.remove(fixed[name])
            if node.input[0] not in rounded:
                nodes.extend(_rounding(node.input[0]))
                rounded.add(node.input[0])
            nodes.extend(_product(model, node, name, table))
        elif node.op_type == "Gather" and node.input[0] == name:
            model.graph.initializer.remove(fixed[name])
            nodes.extend(_lookup(model, node, name, table))
        else:
            nodes.append(node)
    _constants(model, _SHARED)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    model.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
    return bytes(model.SerializeToString())


def _rounding(x: str) -> list[Any]:
    """``x.int8`` times ``x.largest``: the largest value of each token becomes 127."""
    from onnx import helper

    return [
        helper.make_node("Abs", [x], [f"{x}.sizes"]),
        helper.make_node("ReduceMax", [f"{x}.sizes"], [f"{x}.most"], axes=[-1]),
        helper.make_node("Max", [f"{x}.most", "int8.tiny"], [f"{x}.largest"]),
        helper.make_node("Div", [x, f"{x}.largest"], [f"{x}.parts"]),
        helper.make_node("QuantizeLinear", [f"{x}.parts", "int8.step", "int8.zero"], [f"{x}.int8"]),
    ]


def _product(model: Any, node: Any, name: str, weight: Floats) -> list[Any]:
    """``x @ weight``, one scale per column."""
    from onnx import helper

    x, (output,) = node.input[0], node.output
    scales = _scales(weight.T, INT8_RANGE)
    parts: dict[str, npt.NDArray[Any]] = {
        f"{name}.int8": np.rint(weight / scales).astype(np.int8),
        f"{name}.scales": scales,
    }
    numbers, factors = _constants(model, parts)
    inputs = [f"{x}.int8", numbers, "int8.step", factors, "int8.zero"]
    return [
        helper.make_node("MatMulIntegerToFloat", inputs, [f"{output}.parts"], domain=MICROSOFT),
        helper.make_node("Mul", [f"{output}.parts", f"{x}.largest"], [output]),
    ]


def _lookup(model: Any, node: Any, name: str, table: Floats) -> list[Any]:
    """Rows of a table, one scale per row."""
    from onnx import TensorProto, helper

    scales = _scales(table)[:, None]
    parts = {f"{name}.int8": np.rint(table / scales).astype(np.int8), f"{name}.scales": scales}
    numbers, factors = _constants(model, parts)
    rows, (output,) = node.input[1], node.output
    return [
        helper.make_node("Gather", [numbers, rows], [f"{output}.int8"]),
        helper.make_node("Cast", [f"{output}.int8"], [f"{output}.wide"], to=TensorProto.FLOAT),
        helper.make_node("Gather", [factors, rows], [f"{output}.scales"]),
        helper.make_node("Mul", [f"{output}.wide", f"{output}.scales"], [output]),
    ]


def _scales(values: Floats, most: int = _LARGEST) -> Floats:
    """Scales along the last axis that map the largest value to ``most``."""
    largest = np.abs(values).max(axis=-1)
    scales: Floats = np.where(largest > 0, largest / most, 1).astype(np.float32)
    return scales


def _constants(model: Any, arrays: dict[str, npt.NDArray[Any]]) -> list[str]:
    from onnx import numpy_helper

    for name, array in arrays.items():
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return list(arrays)
