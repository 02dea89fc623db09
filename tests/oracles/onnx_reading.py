"""A graph as read by the package ``onnx``, in the types of ``innermost.model_folder``."""

from __future__ import annotations

import onnx

from innermost.model_folder.graph_check import Graph, Operator, Tensor, Value


def onnx_reading(data: bytes) -> Graph:
    return _graph(onnx.load_from_string(data).graph)


def _graph(graph: onnx.GraphProto) -> Graph:
    return Graph(
        tuple(_operator(node) for node in graph.node),
        tuple(_tensor(tensor) for tensor in graph.initializer),
        tuple(_value(value) for value in graph.input),
        tuple(_value(value) for value in graph.output),
    )


def _operator(node: onnx.NodeProto) -> Operator:
    return Operator(
        node.domain,
        node.op_type,
        tuple(node.input),
        tuple(node.output),
        tuple(attribute.name for attribute in node.attribute),
        tuple(_tensor(a.t) for a in node.attribute if a.type == onnx.AttributeProto.TENSOR),
        tuple(_graph(a.g) for a in node.attribute if a.type == onnx.AttributeProto.GRAPH),
    )


def _tensor(tensor: onnx.TensorProto) -> Tensor:
    return Tensor(tensor.name, tensor.data_type, tuple(tensor.dims))


def _value(value: onnx.ValueInfoProto) -> Value:
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        return Value(value.name, tensor.elem_type, None)
    shape = tuple(_size(dim) for dim in tensor.shape.dim)
    return Value(value.name, tensor.elem_type, shape)


def _size(dim: onnx.TensorShapeProto.Dimension) -> int | str | None:
    kind = dim.WhichOneof("value")
    return None if kind is None else getattr(dim, kind)
