"""The messages of ``onnx.proto``: the fields that a graph may use, and those that are refused."""

from __future__ import annotations

from innermost.model_folder.wire_format import Field, Schema

MODEL = Schema(
    "the model",
    {
        1: Field("ir_version", "integer"),
        2: Field("producer_name", "bytes"),
        3: Field("producer_version", "bytes"),
        4: Field("domain", "bytes"),
        5: Field("model_version", "integer"),
        6: Field("doc_string", "bytes"),
        7: Field("graph", "bytes"),
        8: Field("opset_import", "bytes", repeated=True),
    },
    {14: "metadata", 20: "training information", 25: "functions", 26: "a configuration"},
)
OPSET = Schema("a version", {1: Field("domain", "bytes"), 2: Field("version", "integer")}, {})
GRAPH = Schema(
    "a graph",
    {
        1: Field("node", "bytes", repeated=True),
        2: Field("name", "bytes"),
        5: Field("initializer", "bytes", repeated=True),
        10: Field("doc_string", "bytes"),
        11: Field("input", "bytes", repeated=True),
        12: Field("output", "bytes", repeated=True),
        13: Field("value_info", "bytes", repeated=True),
    },
    {14: "quantization annotations", 15: "sparse tensors", 16: "metadata"},
)
NODE = Schema(
    "an operator",
    {
        1: Field("input", "bytes", repeated=True),
        2: Field("output", "bytes", repeated=True),
        3: Field("name", "bytes"),
        4: Field("op_type", "bytes"),
        5: Field("attribute", "bytes", repeated=True),
        6: Field("doc_string", "bytes"),
        7: Field("domain", "bytes"),
    },
    {8: "an overload", 9: "metadata", 10: "a device configuration"},
)
ATTRIBUTE = Schema(
    "an attribute",
    {
        1: Field("name", "bytes"),
        2: Field("f", "float"),
        3: Field("i", "integer"),
        4: Field("s", "bytes"),
        5: Field("t", "bytes"),
        6: Field("g", "bytes"),
        7: Field("floats", "floats"),
        8: Field("ints", "integers"),
        13: Field("doc_string", "bytes"),
        20: Field("type", "enum"),
    },
    {
        9: "a list of strings",
        10: "a list of tensors",
        11: "a list of graphs",
        14: "a type",
        15: "a list of types",
        21: "a reference",
        22: "a sparse tensor",
        23: "a list of sparse tensors",
    },
)
VALUE_OF_TYPE = {1: "f", 2: "i", 3: "s", 4: "t", 5: "g", 6: "floats", 7: "ints"}
"""The field with the value of an attribute, by the attribute's type."""
TENSOR = Schema(
    "a tensor",
    {
        1: Field("dims", "integers"),
        2: Field("data_type", "enum"),
        8: Field("name", "bytes"),
        9: Field("raw_data", "bytes"),
        12: Field("doc_string", "bytes"),
    },
    {
        3: "segments",
        4: "a list of floats",
        5: "a list of integers",
        6: "a list of strings",
        7: "a list of integers",
        10: "a list of doubles",
        11: "a list of integers",
        13: "external data (numbers in another file)",
        14: "a data location (numbers in another file)",
        16: "metadata",
    },
)
VALUE = Schema(
    "an input or output",
    {1: Field("name", "bytes"), 2: Field("type", "bytes"), 3: Field("doc_string", "bytes")},
    {4: "metadata"},
)
TYPE = Schema(
    "a type",
    {1: Field("tensor_type", "bytes")},
    {4: "a sequence", 5: "a map", 6: "a denotation", 7: "an opaque type", 8: "a sparse tensor"},
)
TENSOR_TYPE = Schema("a type", {1: Field("elem_type", "enum"), 2: Field("shape", "bytes")}, {})
SHAPE = Schema("a shape", {1: Field("dim", "bytes", repeated=True)}, {})
DIMENSION = Schema(
    "a size",
    {1: Field("dim_value", "integer"), 2: Field("dim_param", "bytes")},
    {3: "a denotation"},
)
