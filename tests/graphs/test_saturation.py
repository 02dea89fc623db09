"""int8 graphs give the same answers on every CPU.

Without VNNI, ONNX Runtime adds two products of a uint8 and an int8 number in 16 bits, and what does
not fit is cut: with weights up to 127 the answers are silently wrong. Which instructions it uses
cannot be chosen, so the tests are about the numbers: the weights leave room for every input.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="reads and builds graphs with onnx")
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from innermost.graphs.int8 import eight_bits
from innermost.graphs.lstm import INT8_RANGE
from innermost.model_folder.contents import ENCODER
from innermost.model_folder.installed import MODELS

WIDTH, OUTPUTS = 64, 32
SHIPPED = sorted(path.parent.name for path in MODELS.glob(f"*/{ENCODER}"))


def _int8_weights(graph: Path | bytes) -> dict[str, np.ndarray]:
    model = onnx.load(graph) if isinstance(graph, Path) else onnx.load_from_string(graph)
    weights = {value.name: numpy_helper.to_array(value) for value in model.graph.initializer}
    return {n: w for n, w in weights.items() if w.dtype == np.int8 and w.size > 1}


def test_two_products_fit_16_bits() -> None:
    assert np.iinfo(np.int16).max >= 2 * 255 * INT8_RANGE
    assert np.iinfo(np.int16).max < 2 * 255 * 127


@pytest.mark.parametrize("name", SHIPPED)
def test_the_weights_of_shipped_models_leave_room(name: str) -> None:
    weights = _int8_weights(MODELS / name / ENCODER)
    assert weights
    for numbers in weights.values():
        assert np.abs(numbers.astype(int)).max() <= INT8_RANGE


def _products(weights: np.ndarray) -> bytes:
    floats = TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "product",
        [helper.make_tensor_value_info("x", floats, ["token", WIDTH])],
        [helper.make_tensor_value_info("y", floats, ["token", OUTPUTS])],
        [numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return eight_bits(model.SerializeToString())


def test_the_largest_numbers_are_multiplied_exactly_on_this_cpu() -> None:
    """Every input and weight at its limit, where a cut sum would be off by half."""
    rng = np.random.default_rng(0)
    weights = rng.choice([-1.0, 1.0], size=(WIDTH, OUTPUTS)).astype(np.float32)
    weights[:, 0] = 1.0
    x = np.ones((3, WIDTH), dtype=np.float32)
    x[1] = -1.0
    x[2] = rng.choice([-1.0, 1.0], size=WIDTH)
    graph = _products(weights)
    assert np.abs(_int8_weights(graph)["w.int8"].astype(int)).max() == INT8_RANGE
    (y,) = onnxruntime.InferenceSession(graph).run(None, {"x": x})
    np.testing.assert_allclose(y, x @ weights, atol=1e-3)
