"""Export a character language model as an ONNX graph with state. Needs ``onnx``.

    numbers [character, row], h and c [layer, row, hidden]
        -> states [character, row, hidden], next_h and next_c as h and c

Weights have the names and layout of torch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from innermost.arrays import Floats, Weights
from innermost.files.atomic import write_atomically
from innermost.graphs.lstm import IR_VERSION, MICROSOFT, OPSET, eight_bit_rows, onnx_gates
from innermost.model_folder.graph_check import write_graph
from innermost.model_folder.weights import read_weights
from innermost.parts.contract import ExportOptions
from innermost.parts.flair.files import CHARACTERS, FOLDER, WEIGHTS, numbered_folders
from innermost.parts.flair.settings import Settings

WORD_VECTORS = False


def largest_feature(folder: Path, weights: Weights) -> None:
    """Unknown."""


def export(
    folder: Path, out: Path, settings: Settings, weights: Weights, options: ExportOptions
) -> None:
    """Export the language models; they are frozen, with weights in separate files."""
    for source in numbered_folders(folder):
        target = out / FOLDER / source.name
        target.mkdir(parents=True, exist_ok=True)
        tensors = read_weights(source / WEIGHTS)
        direction = "forward" if any(name.startswith("fwd.") for name in tensors) else "backward"
        own = {name.split(".", 1)[1]: tensor for name, tensor in tensors.items()}
        graph = language_model_graph(own, int8=options.int8)
        write_graph(target / f"{direction}.onnx", graph)
        write_atomically(target / CHARACTERS, (source / CHARACTERS).read_bytes())


def language_model_graph(weights: Weights, *, int8: bool = False) -> bytes:
    """The character embedding and an LSTM of any depth, quantized to int8 on request."""
    from onnx import TensorProto, checker, helper

    builder = _Builder(int8=int8)
    builder.constant("embedding", weights["encoder.weight"])
    builder.nodes.append(helper.make_node("Gather", ["embedding", "numbers"], ["states0"]))
    layers = sum(name.startswith("rnn.weight_hh_l") for name in weights)
    for number in range(layers):
        builder.layer(number, weights)
    builder.nodes.append(helper.make_node("Identity", [f"states{layers}"], ["states"]))
    for part in ("h", "c"):
        parts = [f"next_{part}{number}" for number in range(layers)]
        builder.nodes.append(helper.make_node("Concat", parts, [f"next_{part}"], axis=0))
    hidden = weights["rnn.weight_hh_l0"].shape[1]
    describe, number_type = helper.make_tensor_value_info, TensorProto.FLOAT
    carried: list[Any] = [layers, "row", hidden]
    graph = helper.make_graph(
        builder.nodes,
        "character language model",
        [
            describe("numbers", TensorProto.INT64, ["character", "row"]),
            describe("h", number_type, carried),
            describe("c", number_type, carried),
        ],
        [
            describe("states", number_type, ["character", "row", hidden]),
            describe("next_h", number_type, carried),
            describe("next_c", number_type, carried),
        ],
        builder.constants,
    )
    versions = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(
        graph, opset_imports=versions, producer_name="innermost", ir_version=IR_VERSION
    )
    checker.check_model(model)
    return bytes(model.SerializeToString())


class _Builder:
    """Collects nodes and constants."""

    def __init__(self, *, int8: bool) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._int8 = int8

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def layer(self, number: int, weights: Weights) -> None:
        """``states<number>`` to ``states<number + 1>``, and the state to continue with."""
        from onnx import helper

        index = self.constant(f"layer{number}", np.array([number], dtype=np.int64))
        for part in ("h", "c"):
            self.nodes.append(helper.make_node("Gather", [part, index], [f"{part}{number}"]))
        weight, recurrent, bias_ih, bias_hh = (
            onnx_gates(weights[f"rnn.{name}_l{number}"])[None]
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        bias = self.constant(f"B{number}", np.concatenate((bias_ih, bias_hh), axis=1))
        begin = ["", f"h{number}", f"c{number}"]
        options: dict[str, Any] = {"hidden_size": recurrent.shape[2]}
        if self._int8:
            w, *w_scales = self._eight_bits(f"W{number}", weight)
            r, *r_scales = self._eight_bits(f"R{number}", recurrent)
            inputs = [f"states{number}", w, r, bias, *begin, "", *w_scales, *r_scales]
            options["domain"] = MICROSOFT
        else:
            w = self.constant(f"W{number}", weight)
            r = self.constant(f"R{number}", recurrent)
            inputs = [f"states{number}", w, r, bias, *begin]
        outputs = [f"directions{number}", f"next_h{number}", f"next_c{number}"]
        operator = "DynamicQuantizeLSTM" if self._int8 else "LSTM"
        self.nodes.append(helper.make_node(operator, inputs, outputs, **options))
        axis = self.constant(f"direction{number}", np.array([1], dtype=np.int64))
        self.nodes.append(helper.make_node("Squeeze", [outputs[0], axis], [f"states{number + 1}"]))

    def _eight_bits(self, name: str, weight: Floats) -> tuple[str, str, str]:
        quantized, scales = eight_bit_rows(weight)
        return (
            self.constant(name, quantized),
            self.constant(f"{name}.scales", scales),
            self.constant(f"{name}.zeros", np.zeros_like(scales, dtype=np.int8)),
        )
