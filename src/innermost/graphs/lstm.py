"""Shared by all graphs: versions, and the weights of LSTMs in ONNX's layout."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from innermost.arrays import Floats

OPSET, IR_VERSION = 17, 8
"""As old as possible, so that older versions of ONNX Runtime can read the file."""
MICROSOFT = "com.microsoft"
INT8_RANGE = 63
"""Weights use seven bits: products of eight-bit numbers overflow on CPUs without VNNI."""


def eight_bit_rows(weight: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """``[direction, row, column]`` as ``[direction, column, row]``, with one scale per row."""
    scales = np.maximum(np.abs(weight).max(axis=2) / INT8_RANGE, np.finfo(np.float32).tiny)
    quantized = np.rint(weight / scales[:, :, None]).astype(np.int8)
    return quantized.transpose(0, 2, 1), scales.astype(np.float32)


def onnx_gates(weight: Floats) -> Floats:
    """torch: input, forget, cell, output. ONNX: input, output, forget, cell."""
    i, f, g, o = np.split(weight, 4)
    return np.concatenate((i, o, f, g))


def torch_gates(weight: Floats) -> Floats:
    """The other way round."""
    i, o, f, g = np.split(weight, 4)
    return np.concatenate((i, f, g, o))
