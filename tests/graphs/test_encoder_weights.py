"""The way back from an exported graph to weights."""

import numpy as np
import pytest
import torch

from innermost.graphs.added_head import with_head
from innermost.graphs.encoder import encoder_graph
from innermost.graphs.encoder_weights import encoder_weights
from innermost.graphs.lstm import INT8_RANGE, onnx_gates, torch_gates
from innermost.network.lstm import VariationalBiLSTM

FEATURES, HIDDEN, TYPES = 7, 6, 3


def random_weights(layers):
    torch.manual_seed(layers)
    lstm = VariationalBiLSTM(FEATURES, HIDDEN, layers, dropout=0.0, recurrent_dropout=0.0)
    weights = {f"lstm.{name}": w.numpy() for name, w in lstm.state_dict().items()}
    for name in weights:
        weights[name] = weights[name] + np.float32(0.1) * torch.randn(weights[name].shape).numpy()
    weights["emit.weight"] = torch.randn(TYPES * 5, lstm.width).numpy()
    weights["emit.bias"] = torch.randn(TYPES * 5).numpy()
    return weights


def test_gates_there_and_back():
    weight = np.arange(24.0).reshape(8, 3)
    np.testing.assert_array_equal(torch_gates(onnx_gates(weight)), weight)


@pytest.mark.parametrize("layers", [0, 1, 2, 3])
def test_float_weights_come_back_exactly(layers):
    weights = random_weights(layers)
    restored = encoder_weights(encoder_graph(weights, TYPES))
    assert restored.keys() == weights.keys()
    for name, values in weights.items():
        np.testing.assert_array_equal(restored[name], values, err_msg=name)


@pytest.mark.parametrize("layers", [0, 1, 2])
@pytest.mark.parametrize("largest", [None, 4.0])
def test_int8_weights_come_back_rounded(layers, largest):
    weights = random_weights(layers)
    graph = encoder_graph(weights, TYPES, int8=True, largest=largest)
    restored = encoder_weights(graph)
    assert restored.keys() == weights.keys()
    for name, values in weights.items():
        assert restored[name].shape == values.shape, name
        rounded = "weight_ih" in name or "weight_hh" in name
        step = np.abs(values).max(axis=-1, keepdims=True) / INT8_RANGE if rounded else 0
        assert (np.abs(restored[name] - values) <= step / 2 + 1e-6).all(), name
    # What is read back is already rounded: nothing more is lost the second time.
    again = encoder_weights(encoder_graph(restored, TYPES, int8=True, largest=largest))
    for name, values in restored.items():
        np.testing.assert_allclose(again[name], values, rtol=1e-6, atol=1e-7, err_msg=name)


@pytest.mark.parametrize("int8", [False, True])
def test_added_heads_come_after_the_first_and_change_nothing(int8):
    import onnxruntime

    weights = random_weights(2)
    graph = encoder_graph(weights, TYPES, int8=int8, largest=4.0 if int8 else None)
    rows = [torch.randn(n * 5, 2 * HIDDEN).numpy() for n in (2, 1)]
    biases = [torch.randn(n * 5).numpy() for n in (2, 1)]
    more = graph
    for weight, bias in zip(rows, biases, strict=True):
        more = with_head(more, weight, bias)
    restored = encoder_weights(more)
    np.testing.assert_array_equal(
        restored["emit.weight"], np.concatenate([weights["emit.weight"], *rows])
    )
    np.testing.assert_array_equal(
        restored["emit.bias"], np.concatenate([weights["emit.bias"], *biases])
    )
    inputs = {
        "features": torch.randn(9, 4, FEATURES).numpy(),
        "lengths": np.array([9, 7, 3, 1], dtype=np.int32),
    }
    before, after = (
        onnxruntime.InferenceSession(g, providers=["CPUExecutionProvider"]).run(None, inputs)[0]
        for g in (graph, more)
    )
    assert after.shape == (4, TYPES + 3, 9, 5)
    np.testing.assert_array_equal(after[:, :TYPES], before)
    # The new heads read the same states as the old one: a copy of it says the same.
    copied = with_head(graph, weights["emit.weight"], weights["emit.bias"])
    session = onnxruntime.InferenceSession(copied, providers=["CPUExecutionProvider"])
    twice = session.run(None, inputs)[0]
    np.testing.assert_array_equal(twice[:, TYPES:], before)
