"""Add types to an encoder's graph without changing its existing outputs.

The new head is a separate product: as more columns of the old one, it would change the order of
summation and so the last bits of the old emissions. Needs the package ``onnx``.
"""

from __future__ import annotations

import numpy as np

from innermost.arrays import Floats
from innermost.graphs.encoder import TAGS, spread

ADDED = "added"
"""The name of the first added head; the next is ``added2``, and so on."""


def with_head(graph: bytes, weight: Floats, bias: Floats) -> bytes:
    """The graph with the emissions of more types after its own.

    ``weight [type * 5, state]`` and ``bias [type * 5]`` have torch's layout.
    """
    from onnx import checker, helper, load_from_string, numpy_helper

    model = load_from_string(graph)
    nodes = {output: node for node in model.graph.node for output in node.output}
    states = nodes["emit.product"].input[0]
    last = nodes["emissions"]
    width = _width(model, nodes["emit.product"].input[1])
    types = len(bias) // TAGS
    name = _free_name(set(nodes))
    for key, value in (
        ("weight", (weight if weight.shape[1] == width else spread(weight, 2)).T),
        ("bias", bias),
        ("by_type", np.array([0, 0, types, TAGS], dtype=np.int64)),
    ):
        tensor = numpy_helper.from_array(np.ascontiguousarray(value), f"{name}.{key}")
        model.graph.initializer.append(tensor)
    new = [
        helper.make_node("MatMul", [states, f"{name}.weight"], [f"{name}.product"]),
        helper.make_node("Add", [f"{name}.product", f"{name}.bias"], [f"{name}.flat"]),
        helper.make_node("Reshape", [f"{name}.flat", f"{name}.by_type"], [f"{name}.types"]),
        helper.make_node("Concat", [last.input[0], f"{name}.types"], [f"{name}.all"], axis=2),
    ]
    before = [node for node in model.graph.node if node is not last]
    last.input[0] = f"{name}.all"
    ordered = [*before, *new, last]
    del model.graph.node[:]
    model.graph.node.extend(ordered)
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_value += types
    checker.check_model(model)
    return bytes(model.SerializeToString())


def _width(model: object, name: str) -> int:
    initializers = model.graph.initializer  # type: ignore[attr-defined]
    return int(next(value for value in initializers if value.name == name).dims[0])


def _free_name(taken: set[str]) -> str:
    number = 1
    while f"{head_name(number)}.product" in taken:
        number += 1
    return head_name(number)


def head_name(number: int) -> str:
    return ADDED if number == 1 else f"{ADDED}{number}"
