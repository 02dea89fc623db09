from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx", reason="8 bits are made with onnx")
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from innermost.graphs.int8 import eight_bits

WIDTH, OUTPUTS = 32, 24


@pytest.fixture(scope="module")
def weights() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=(WIDTH, OUTPUTS)).astype(np.float32) for _ in range(2)]


@pytest.fixture(scope="module")
def session(weights: list[np.ndarray]) -> onnxruntime.InferenceSession:
    """Two products of one input, quantized to int8."""
    floats = TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", f"w{i}"], [f"y{i}"]) for i in range(2)],
        "products",
        [helper.make_tensor_value_info("x", floats, ["token", WIDTH])],
        [helper.make_tensor_value_info(f"y{i}", floats, ["token", OUTPUTS]) for i in range(2)],
        [numpy_helper.from_array(weight, f"w{i}") for i, weight in enumerate(weights)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return onnxruntime.InferenceSession(eight_bits(model.SerializeToString()))


def test_a_large_token_does_not_spoil_the_others(session, weights) -> None:
    x = np.random.default_rng(1).normal(size=(50, WIDTH)).astype(np.float32)
    x[7] *= 10_000
    for found, weight in zip(session.run(None, {"x": x}), weights, strict=True):
        expected = x @ weight
        errors = np.linalg.norm(found - expected, axis=1) / np.linalg.norm(expected, axis=1)
        assert errors.max() < 0.03


def test_a_token_of_zeros_stays_one(session) -> None:
    x = np.zeros((2, WIDTH), dtype=np.float32)
    x[1] = 1
    for found in session.run(None, {"x": x}):
        assert (found[0] == 0).all()
        assert np.isfinite(found).all()
