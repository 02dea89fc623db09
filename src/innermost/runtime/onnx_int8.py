"""A transformer's ONNX graph with its weights in 8 bits. Needs the package ``onnx``.

Activations of transformers have outliers, and one scale for a whole tensor drowns everything else
in rounding: vectors of a 12-layer model came out 16% wrong. ``MatMulNBits`` scales blocks of
weights and of activations by themselves; with it they are 3% off, at the same speed.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from innermost.runtime.onnx_graph import MICROSOFT

Floats = npt.NDArray[np.float32]
BLOCK = 128
_ZERO = 128
_INT8_PRODUCTS = 4
"""Of the operator's levels of accuracy, the one that multiplies in 8 bits."""
_SMALL = 256
"""Tables with fewer numbers stay as they are."""
_NOTHING = np.empty(0, dtype=np.float32)


def eight_bits(graph: bytes) -> bytes:
    """The same network: products with fixed matrices, and tables of embeddings, in 8 bits."""
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load_from_string(graph)
    fixed = {value.name: value for value in model.graph.initializer}
    uses = Counter(name for node in model.graph.node for name in node.input)
    nodes: list[Any] = []
    for node in model.graph.node:
        name = next((n for n in node.input if n in fixed and uses[n] == 1), None)
        table: Floats = numpy_helper.to_array(fixed[name]) if name is not None else _NOTHING
        if name is None or table.ndim != 2 or table.size < _SMALL or table.dtype != np.float32:
            nodes.append(node)
        elif node.op_type == "MatMul" and node.input[1] == name:
            model.graph.initializer.remove(fixed[name])
            nodes.append(_product(model, node, name, table))
        elif node.op_type == "Gather" and node.input[0] == name:
            model.graph.initializer.remove(fixed[name])
            nodes.extend(_lookup(model, node, name, table))
        else:
            nodes.append(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    model.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
    return bytes(model.SerializeToString())


def _product(model: Any, node: Any, name: str, weight: Floats) -> Any:
    """``x @ weight``, a scale for each block of each column."""
    from onnx import helper

    inputs, outputs = weight.shape
    blocks = -(-inputs // BLOCK)
    filled = np.zeros((outputs, blocks * BLOCK), dtype=np.float32)
    filled[:, :inputs] = weight.T
    filled = filled.reshape(outputs, blocks, BLOCK)
    scales = _scales(filled)
    numbers = (np.rint(filled / scales[..., None]) + _ZERO).astype(np.uint8)
    parts: dict[str, npt.NDArray[Any]] = {
        f"{name}.int8": numbers,
        f"{name}.scales": scales.reshape(-1),
    }
    return helper.make_node(
        "MatMulNBits",
        [node.input[0], *_constants(model, parts)],
        list(node.output),
        name=node.name,
        domain=MICROSOFT,
        K=inputs,
        N=outputs,
        bits=8,
        block_size=BLOCK,
        accuracy_level=_INT8_PRODUCTS,
    )


def _lookup(model: Any, node: Any, name: str, table: Floats) -> list[Any]:
    """Rows of a table, a scale for each row."""
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


def _scales(values: Floats) -> Floats:
    """By the last axis, so that the largest value becomes 127."""
    largest = np.abs(values).max(axis=-1)
    scales: Floats = np.where(largest > 0, largest / 127, 1).astype(np.float32)
    return scales


def _constants(model: Any, arrays: dict[str, npt.NDArray[Any]]) -> list[str]:
    from onnx import numpy_helper

    for name, array in arrays.items():
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return list(arrays)
