"""Graphs that the exporters write pass and are read correctly; everything else is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the graphs of these tests are made with torch")
pytest.importorskip("onnx", reason="the graphs of these tests are made with onnx")

import onnx
from onnx import AttributeProto, ModelProto, TensorProto, helper, numpy_helper

from helpers.tiny_transformer import FAMILIES
from innermost.errors import ModelError
from innermost.graphs.lstm import IR_VERSION, MICROSOFT, OPSET
from innermost.model_folder.graph_check import DEEPEST, IR_VERSIONS, OPSETS, Graph, check_graph
from innermost.model_folder.installed import installed
from innermost.model_folder.manifest import write_manifest
from innermost.runtime import load
from model_folder.graphs import recurrent_graphs, transformer_graphs
from oracles.onnx_reading import onnx_reading

PATH = Path("encoder.onnx")
EMPTY = Graph((), (), (), ())
RECURRENT = dict(recurrent_graphs())


@pytest.mark.parametrize("name", RECURRENT)
def test_recurrent_graphs_are_read_as_onnx_reads_them(name: str) -> None:
    assert check_graph(RECURRENT[name], PATH) == onnx_reading(RECURRENT[name])


@pytest.mark.parametrize("name", installed())
def test_shipped_graphs_are_read_as_onnx_reads_them(name: str) -> None:
    data = (installed()[name] / "encoder.onnx").read_bytes()
    assert check_graph(data, PATH) == onnx_reading(data)


@pytest.mark.parametrize(
    ("family", "layers"), [("Bert", "mean-last-4"), *((family, "mix") for family in FAMILIES)]
)
def test_transformers_are_read_as_onnx_reads_them(family: str, layers: str, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs the transformers library")
    for name, data in transformer_graphs(family, layers, tmp_path):
        assert check_graph(data, PATH) == onnx_reading(data), name


def test_versions_are_those_of_the_exporter() -> None:
    assert OPSETS == {"": OPSET, MICROSOFT: 1}
    assert IR_VERSION in IR_VERSIONS


@pytest.mark.parametrize("location", [".env", "../elsewhere/.env", "/etc/passwd"])
def test_a_model_cannot_read_another_file(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(installed()["genia"], folder)
    model = onnx.load(folder / "encoder.onnx")
    tensor = next(t for t in model.graph.initializer if t.name == "lstm1.W")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".env").write_bytes(tensor.raw_data)
    _set_external(tensor, location, len(tensor.raw_data))
    (folder / "encoder.onnx").write_bytes(model.SerializeToString())
    write_manifest(folder)
    monkeypatch.chdir(elsewhere)
    with pytest.raises(ModelError, match=r"encoder\.onnx.* external data"):
        load(folder)


@pytest.mark.parametrize("location", [".env", "../elsewhere/.env"])
def test_the_runtime_would_not_read_it_either(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second safeguard, with the first one disabled."""
    model = onnx.load_from_string(RECURRENT["encoder"])
    tensor = next(t for t in model.graph.initializer if t.name == "lstm1.W")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".env").write_bytes(tensor.raw_data)
    _set_external(tensor, location, len(tensor.raw_data))
    path = tmp_path / "encoder.onnx"
    path.write_bytes(model.SerializeToString())
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr("innermost.runtime.onnx_session.check_graph", lambda *_: EMPTY)
    from innermost.runtime.onnx_session import open_session

    with pytest.raises(ModelError, match=r"encoder\.onnx is damaged"):
        open_session(path, 1)


def _set_external(tensor: TensorProto, location: str, length: int) -> None:
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", str(length))):
        tensor.external_data.add(key=key, value=value)


def _external_entries(model: ModelProto) -> None:
    model.graph.initializer[0].external_data.add(key="location", value=".env")


def _data_location(model: ModelProto) -> None:
    model.graph.initializer[0].data_location = TensorProto.EXTERNAL


def _external_constant(model: ModelProto) -> None:
    tensor = numpy_helper.from_array(np.zeros(3, np.float32))
    _set_external(tensor, ".env", 12)
    model.graph.node.append(helper.make_node("Constant", [], ["x"], value=tensor))


def _memory_address(model: ModelProto) -> None:
    _set_external(model.graph.initializer[0], "*/_ORT_MEM_ADDR_/*", 8)


def _operator(name: str, **options: object) -> Callable[[ModelProto], None]:
    def change(model: ModelProto) -> None:
        model.graph.node.append(helper.make_node(name, ["features"], ["x"], **options))

    return change


def _inner() -> onnx.GraphProto:
    value = helper.make_tensor_value_info("b", TensorProto.FLOAT, [1])
    return helper.make_graph([helper.make_node("Identity", ["a"], ["b"])], "g", [], [value])


def _deep_branches(model: ModelProto) -> None:
    graph = _inner()
    for _ in range(DEEPEST + 1):
        value = helper.make_tensor_value_info("b", TensorProto.FLOAT, [1])
        node = helper.make_node("If", ["c"], ["b"], then_branch=graph, else_branch=_inner())
        graph = helper.make_graph([node], "g", [], [value])
    model.graph.node.extend(graph.node)


def _function(model: ModelProto) -> None:
    model.functions.append(
        helper.make_function("mine", "F", ["a"], ["b"], [], [helper.make_opsetid("", OPSET)])
    )


def _training_info(model: ModelProto) -> None:
    model.training_info.add()


def _metadata(model: ModelProto) -> None:
    model.metadata_props.add(key="ort_config", value="{}")


def _sparse_initializer(model: ModelProto) -> None:
    model.graph.sparse_initializer.add()


def _sparse_constant(model: ModelProto) -> None:
    node = helper.make_node("Constant", [], ["x"])
    attribute = node.attribute.add(name="sparse_value", type=AttributeProto.SPARSE_TENSOR)
    attribute.sparse_tensor.dims.append(1)
    model.graph.node.append(node)


def _domain(model: ModelProto) -> None:
    model.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))


def _domain_twice(model: ModelProto) -> None:
    model.opset_import.append(helper.make_opsetid("", OPSET))


def _no_domain(model: ModelProto) -> None:
    del model.opset_import[:]


def _other_opset(model: ModelProto) -> None:
    model.opset_import[0].version = OPSET + 1


def _other_ir(model: ModelProto) -> None:
    model.ir_version = 99


def _shape(*shape: int) -> Callable[[ModelProto], None]:
    def change(model: ModelProto) -> None:
        del model.graph.initializer[0].dims[:]
        model.graph.initializer[0].dims.extend(shape)

    return change


def _raw_data(model: ModelProto) -> None:
    model.graph.initializer[0].raw_data = b"x" * 7


def _float_data(model: ModelProto) -> None:
    model.graph.initializer[0].float_data.append(1.0)


def _strings(model: ModelProto) -> None:
    model.graph.initializer[0].data_type = TensorProto.STRING


def _segment(model: ModelProto) -> None:
    model.graph.initializer[0].segment.begin = 0


def _wrong_attribute(model: ModelProto) -> None:
    node = helper.make_node("Concat", ["features"], ["x"], axis=0)
    node.attribute[0].type = AttributeProto.TENSOR
    model.graph.node.append(node)


def _attribute_without_type(model: ModelProto) -> None:
    node = helper.make_node("Concat", ["features"], ["x"], axis=0)
    node.attribute[0].ClearField("type")
    model.graph.node.append(node)


def _reference(model: ModelProto) -> None:
    node = helper.make_node("Concat", ["features"], ["x"], axis=0)
    node.attribute[0].ref_attr_name = "y"
    model.graph.node.append(node)


def _sequence(model: ModelProto) -> None:
    model.graph.input.append(helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, [1]))


def _overload(model: ModelProto) -> None:
    model.graph.node[0].overload = "x"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_external_entries, "external data"),
        (_data_location, "data location"),
        (_external_constant, "external data|data location"),
        (_memory_address, "external data"),
        (_operator("Loop", body=_inner()), "operator 'Loop'"),
        (_operator("Scan", body=_inner()), "operator 'Scan'"),
        (_operator("StringNormalizer"), "operator 'StringNormalizer'"),
        (_operator("LSTM", domain="mine"), "operator 'mine.LSTM'"),
        (_operator("LSTM", domain=MICROSOFT), r"operator 'com\.microsoft\.LSTM'"),
        (_operator("Identity", body=_inner()), "has a subgraph"),
        (_operator("If", bodies=[_inner(), _inner()]), "list of graphs"),
        (_operator("LSTM", activations=["Tanh"]), "list of strings"),
        (_deep_branches, "nested more than"),
        (_function, "functions"),
        (_training_info, "training information"),
        (_metadata, "metadata"),
        (_sparse_initializer, "sparse tensors"),
        (_sparse_constant, "sparse tensor"),
        (_domain, "'ai.onnx.ml'"),
        (_domain_twice, "says so twice"),
        (_no_domain, "does not say which operators"),
        (_other_opset, "version 18"),
        (_other_ir, "version of ONNX is 99"),
        (_shape(4), "has 24 bytes"),
        (_shape(1 << 40, 1 << 40), "has the shape"),
        (_shape(-3), "has the shape"),
        (_shape(*[1] * 8, 3), "has the shape"),
        (_raw_data, "has 7 bytes"),
        (_float_data, "list of floats"),
        (_strings, "of the type 8"),
        (_segment, "segments"),
        (_wrong_attribute, "no value of its type"),
        (_attribute_without_type, "no value of its type"),
        (_reference, "a reference"),
        (_sequence, "a sequence"),
        (_overload, "an overload"),
    ],
)
def test_what_the_exporters_never_write_is_refused(
    change: Callable[[ModelProto], None], message: str
) -> None:
    model = onnx.load_from_string(RECURRENT["encoder"])
    assert model.graph.initializer[0].name == "side_by_side"  # three numbers of 8 bytes
    change(model)
    with pytest.raises(ModelError, match=message):
        check_graph(model.SerializeToString(), PATH)


def _field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2, *_varint(len(data))]) + data


def _varint(value: int) -> bytes:
    digits = [value >> shift & 0x7F for shift in range(0, max(value.bit_length(), 1), 7)]
    return bytes([*(digit | 0x80 for digit in digits[:-1]), digits[-1]])


GOOD = RECURRENT["linear"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "version of ONNX is 0"),
        (GOOD[:-1], "too early"),
        (GOOD + _varint(5 << 3), "cut short"),
        (GOOD + b"\x08\x08", "ir_version twice"),
        (GOOD + _field(7, b""), "graph twice"),
        (b"\x08\x88\x00" + GOOD[2:], "longer than it should be"),
        (b"\x08" + b"\xff" * 9 + b"\x02" + GOOD[2:], "longer than it should be"),
        (b"\x08" + b"\xff" * 11 + GOOD[2:], "cut short or too long"),
        (GOOD + _varint(6 << 3 | 2) + _varint((1 << 64) - 1), "too early"),
        (GOOD + _varint(6 << 3 | 3), "wire type 3"),
        (GOOD + _varint(6 << 3 | 0) + b"\x01", "wire type 0"),
        (GOOD + _varint((1 << 32) + (6 << 3 | 2)) + b"\x00", "not allowed"),
        (GOOD + _varint(99 << 3), "field 99"),
        (b"\x12\x06__ORTM" + GOOD, "own format"),
    ],
)
def test_damaged_messages_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        check_graph(data, PATH)


def test_numbers_that_protobuf_would_cut_are_refused() -> None:
    """Protobuf reads a data type of 2^32 + 1 as 1; a check would see another number."""
    tensor = _field(8, b"x") + b"\x10" + _varint((1 << 32) + 1)
    with pytest.raises(ModelError, match="data_type is 4294967297"):
        check_graph(_without_graph(GOOD) + _field(7, _field(5, tensor)), PATH)


def test_packed_numbers_are_read() -> None:
    tensor = _field(1, b"\x02\x03") + b"\x10\x03" + _field(8, b"x") + _field(9, b"abcdef")
    data = _without_graph(GOOD) + _field(7, _field(5, tensor))
    assert check_graph(data, PATH) == onnx_reading(data)
    assert check_graph(data, PATH).tensors[0].shape == (2, 3)


def test_names_that_are_not_text_are_refused() -> None:
    data = _without_graph(GOOD) + _field(7, _field(1, _field(4, b"\xff")))
    with pytest.raises(ModelError, match="not UTF-8"):
        check_graph(data, PATH)


def test_the_number_of_parts_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("innermost.model_folder.graph_check.MAX_FILES", 100)
    with pytest.raises(ModelError, match="more than 100 parts"):
        check_graph(RECURRENT["encoder"], PATH)


def _without_graph(data: bytes) -> bytes:
    model = onnx.load_from_string(data)
    model.ClearField("graph")
    return bytes(model.SerializeToString())
