"""Check the bytes of an ONNX graph before ONNX Runtime sees them.

ONNX Runtime is built to run any graph. It reads tensors from other files and memory addresses, runs
loops, functions and custom operators, and reads a second file format. A model folder may come from
an untrusted source, so only what ``innermost export`` writes is allowed:

* operators from a list, in two domains; all of them compute, none reads a file or loops;
* tensors whose numbers are in the file itself, as many as their shape says;
* subgraphs only as the branches of an ``If``, and only a few levels deep;
* no functions, training information, sparse tensors, strings as data, metadata or unknown fields.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from innermost.errors import ModelError
from innermost.files.atomic import write_atomically
from innermost.model_folder.onnx_fields import (
    ATTRIBUTE,
    DIMENSION,
    GRAPH,
    MODEL,
    NODE,
    OPSET,
    SHAPE,
    TENSOR,
    TENSOR_TYPE,
    TYPE,
    VALUE,
    VALUE_OF_TYPE,
)
from innermost.model_folder.wire_format import Message, WireError, WireReader

MICROSOFT = "com.microsoft"
# fmt: off
OPERATORS: Mapping[str, frozenset[str]] = {
    "": frozenset((
        # Sums, products and elementwise functions.
        "Abs", "Add", "And", "Cast", "Ceil", "Clip", "Cos", "Div", "Equal", "Erf", "Greater",
        "GreaterOrEqual", "HardSwish", "LeakyRelu", "Less", "LessOrEqual", "Log", "Max", "Min",
        "Mod", "Mul", "Neg", "Not", "PRelu", "Pow", "QuantizeLinear", "Relu", "Sigmoid", "Sign",
        "Sin", "Softplus", "Sqrt", "Sub", "Tanh", "Where",
        # Layers, and sums over axes.
        "Conv", "CumSum", "Einsum", "LSTM", "LayerNormalization", "MatMul", "ReduceMax",
        "ReduceMean", "Softmax",
        # Shapes and indices.
        "Concat", "Constant", "ConstantOfShape", "Expand", "Flatten", "Gather", "GatherElements",
        "Identity", "If", "NonZero", "Pad", "Range", "Reshape", "ScatterND", "Shape", "Slice",
        "Split", "Squeeze", "Tile", "Transpose", "Trilu", "Unsqueeze",
    )),
    MICROSOFT: frozenset(("DynamicQuantizeLSTM", "MatMulIntegerToFloat")),
}
# fmt: on
"""By domain: what the exporters write for encoders, language models and 24 families of
transformers. Export checks its graphs too, so an operator missing here fails at export."""
OPSETS: Mapping[str, int] = {"": 17, MICROSOFT: 1}
IR_VERSIONS = range(7, 11)
BYTES_PER_NUMBER: Mapping[int, int] = {1: 4, 2: 1, 3: 1, 6: 4, 7: 8, 9: 1, 11: 8}
"""By ONNX's type number: float, uint8, int8, int32, int64, bool, double."""

_FLOATS: dict[int, np.dtype[Any]] = {1: np.dtype("<f4"), 11: np.dtype("<f8")}

LARGEST_FILE = (1 << 31) - 1
"""The limit of protobuf."""
MAX_FILES = 2_000_000
"""Fields and numbers in a file. The largest transformers have a tenth of that."""
MOST_AXES = 8
DEEPEST = 4
"""Branches inside branches."""
_ORT_FORMAT, _ORT_PLACE = b"ORTM", slice(4, 8)
"""ONNX Runtime treats data with this mark as its own format, whatever else it is."""


@dataclass(frozen=True, slots=True)
class Tensor:
    name: str
    data_type: int
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """An input or output; a size that is not a number is a name, or ``None``."""

    name: str
    data_type: int
    shape: tuple[int | str | None, ...] | None


@dataclass(frozen=True, slots=True)
class Operator:
    domain: str
    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: tuple[str, ...]
    tensors: tuple[Tensor, ...]
    branches: tuple[Graph, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    operators: tuple[Operator, ...]
    tensors: tuple[Tensor, ...]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]


def check_graph(data: bytes, path: Path) -> Graph:
    """The structure of a graph read from ``path``, if all of it is allowed."""
    try:
        return _Checker().model(data)
    except WireError as error:
        raise ModelError(
            f"{path} is damaged or not an innermost graph: {error}",
            hint="only graphs that `innermost export` could have written are loaded; "
            "download or export the model again",
        ) from None


def write_graph(path: Path, graph: bytes) -> None:
    """Write a graph only if it can be loaded: a new transformer family may need more operators."""
    check_graph(graph, path)
    write_atomically(path, graph)


class _Checker:
    def __init__(self) -> None:
        self._reader = WireReader(MAX_FILES)

    def model(self, data: bytes) -> Graph:
        if len(data) > LARGEST_FILE:
            raise WireError(f"it has more than {LARGEST_FILE} bytes")
        if data[_ORT_PLACE] == _ORT_FORMAT:
            raise WireError("it is in ONNX Runtime's own format")
        model = self._reader.read(memoryview(data), MODEL)
        if model.integer("ir_version") not in IR_VERSIONS:
            raise WireError(f"its version of ONNX is {model.integer('ir_version')}")
        versions = [self._reader.read(part, OPSET) for part in model.parts("opset_import")]
        domains = [version.text("domain") for version in versions]
        for domain, version in zip(domains, versions, strict=True):
            if OPSETS.get(domain) != version.integer("version"):
                raise WireError(
                    f"it needs version {version.integer('version')} of the operators of "
                    f"{domain or 'ONNX'!r}"
                )
        if "" not in domains or len(set(domains)) < len(domains):
            raise WireError("it does not say which operators it needs, or says so twice")
        return self._graph(model.part("graph"), depth=0)

    def _graph(self, data: memoryview, depth: int) -> Graph:
        if depth > DEEPEST:
            raise WireError(f"branches are nested more than {DEEPEST} deep")
        graph = self._reader.read(data, GRAPH)
        for value in graph.parts("value_info"):
            self._value(value)
        return Graph(
            tuple(self._operator(part, depth) for part in graph.parts("node")),
            tuple(self._tensor(part) for part in graph.parts("initializer")),
            tuple(self._value(part) for part in graph.parts("input")),
            tuple(self._value(part) for part in graph.parts("output")),
        )

    def _operator(self, data: memoryview, depth: int) -> Operator:
        node = self._reader.read(data, NODE)
        domain, kind = node.text("domain"), node.text("op_type")
        if kind not in OPERATORS.get(domain, ()):
            name = f"{domain}.{kind}" if domain else kind
            raise WireError(f"the operator {name!r} is not allowed")
        names: list[str] = []
        tensors: list[Tensor] = []
        branches: list[Graph] = []
        for part in node.parts("attribute"):
            attribute = self._attribute(part)
            names.append(attribute.text("name"))
            if "t" in attribute:
                tensors.append(self._tensor(attribute.part("t")))
            if "g" in attribute:
                if kind != "If":
                    raise WireError(f"the operator {kind!r} has a subgraph")
                branches.append(self._graph(attribute.part("g"), depth + 1))
        return Operator(
            domain,
            kind,
            tuple(node.texts("input")),
            tuple(node.texts("output")),
            tuple(names),
            tuple(tensors),
            tuple(branches),
        )

    def _attribute(self, data: memoryview) -> Message:
        attribute = self._reader.read(data, ATTRIBUTE)
        wanted = VALUE_OF_TYPE.get(attribute.integer("type"))
        values = {name for name in attribute if name in VALUE_OF_TYPE.values()}
        if wanted is None or not values <= {wanted}:
            raise WireError(f"the attribute {attribute.text('name')!r} has no value of its type")
        return attribute

    def _tensor(self, data: memoryview) -> Tensor:
        tensor = self._reader.read(data, TENSOR)
        name, shape = tensor.text("name"), tuple(tensor.integers("dims"))
        data_type = tensor.integer("data_type")
        size = BYTES_PER_NUMBER.get(data_type)
        if size is None:
            raise WireError(f"the tensor {name!r} is of the type {data_type}")
        if len(shape) > MOST_AXES or any(not 0 <= axis < LARGEST_FILE for axis in shape):
            raise WireError(f"the tensor {name!r} has the shape {shape[: MOST_AXES + 1]}")
        if (length := len(tensor.part("raw_data"))) != math.prod(shape) * size:
            raise WireError(f"the tensor {name!r} of shape {shape} has {length} bytes")
        if (kind := _FLOATS.get(data_type)) is not None and not _is_fine(
            np.frombuffer(tensor.part("raw_data"), kind)
        ):
            raise WireError(f"the tensor {name!r} has infinite or NaN values")
        return Tensor(name, data_type, shape)

    def _value(self, data: memoryview) -> Value:
        value = self._reader.read(data, VALUE)
        kind = self._reader.read(value.part("type"), TYPE)
        tensor = self._reader.read(kind.part("tensor_type"), TENSOR_TYPE)
        shape: tuple[int | str | None, ...] | None = None
        if "shape" in tensor:
            sizes = self._reader.read(tensor.part("shape"), SHAPE).parts("dim")
            shape = tuple(self._dimension(size) for size in sizes)
        return Value(value.text("name"), tensor.integer("elem_type"), shape)

    def _dimension(self, data: memoryview) -> int | str | None:
        dimension = self._reader.read(data, DIMENSION)
        if "dim_value" in dimension and "dim_param" in dimension:
            raise WireError("a size is both a number and a name")
        if "dim_value" in dimension:
            return dimension.integer("dim_value")
        return dimension.text("dim_param") if "dim_param" in dimension else None


def _is_fine(numbers: npt.NDArray[Any]) -> bool:
    """Masks have one infinite value. Weights have none; LSTMs turn NaN into arbitrary numbers."""
    return bool(np.isfinite(numbers).all() if numbers.size > 1 else not np.isnan(numbers).any())
