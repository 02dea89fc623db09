"""Graphs that pass the check and still do harm: errors of the model or of the machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the graphs of these tests are made with onnx")

import onnx
from onnx import ModelProto, helper, numpy_helper

from innermost.errors import ModelError, ResourceError
from innermost.model_folder.manifest import write_manifest
from innermost.runtime import load
from innermost.runtime import onnx_session as sessions


@pytest.fixture
def changed(random_folder: Path, tmp_path: Path) -> Callable[[Callable[[ModelProto], None]], Path]:
    """A copy of a model with a modified encoder and correct checksums."""

    def make(change: Callable[[ModelProto], None]) -> Path:
        folder = tmp_path / "model"
        shutil.copytree(random_folder, folder)
        model = onnx.load(folder / "encoder.onnx")
        change(model)
        (folder / "encoder.onnx").write_bytes(model.SerializeToString())
        write_manifest(folder)
        return folder

    return make


def _set(name: str, value: float) -> Callable[[ModelProto], None]:
    """One number of a weight."""

    def change(model: ModelProto) -> None:
        tensor = next(t for t in model.graph.initializer if t.name == name)
        array = numpy_helper.to_array(tensor).copy()
        array.flat[0] = value
        tensor.CopyFrom(numpy_helper.from_array(array, name))

    return change


@pytest.mark.parametrize("name", ["lstm0.W", "emit.bias"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers_are_refused(changed, name: str, value: float) -> None:
    """ONNX Runtime's LSTM turns NaN into arbitrary numbers, so the emissions do not show it."""
    with pytest.raises(ModelError, match=rf"the tensor '{name}' has infinite or NaN values"):
        load(changed(_set(name, value)))


@pytest.mark.parametrize("value", [3e38, -1e7])
def test_absurd_emissions_are_refused_on_load(changed, value: float) -> None:
    with pytest.raises(ModelError, match=r"encoder\.onnx computes numbers that are infinite"):
        load(changed(_set("emit.bias", value)))


def test_emissions_that_are_no_numbers_are_an_error_of_prediction(changed) -> None:
    """Square roots of features: valid for the zeros tried on load."""

    def change(model: ModelProto) -> None:
        model.graph.node[-1].output[0] = "finite"
        model.graph.node.extend(
            [
                helper.make_node("Sqrt", ["features"], ["roots"]),
                helper.make_node("ReduceMean", ["roots"], ["root"], keepdims=0),
                helper.make_node("Add", ["finite", "root"], ["emissions"]),
            ]
        )

    model = load(changed(change))
    for texts in ("the river bank", ["the river bank", "the north sea"]):
        with pytest.raises(ModelError, match="computes numbers that are infinite"):
            model(texts)


def _rewire(model: ModelProto, *nodes: onnx.NodeProto) -> None:
    """Nodes from ``features`` to ``other``, which the network then reads."""
    for node in model.graph.node:
        node.input[:] = ["other" if name == "features" else name for name in node.input]
    kept = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend([*nodes, *kept])


def _constant(model: ModelProto, name: str, values: list[int]) -> str:
    array = np.array(values, dtype=np.int64)
    model.graph.initializer.append(numpy_helper.from_array(array, name))
    return name


def _other_shape(model: ModelProto) -> None:
    model.graph.node[-1].attribute[0].ints[:] = [0, 1, 2, 3]


def _impossible(model: ModelProto) -> None:
    shape = _constant(model, "impossible", [7, 7])
    _rewire(model, helper.make_node("Reshape", ["features", shape], ["other"]))


def _no_such_input(model: ModelProto) -> None:
    model.graph.node[0].input[0] = "nowhere"


def _cycle(model: ModelProto) -> None:
    _rewire(model, helper.make_node("Identity", ["emissions"], ["other"]))


def _other_names(model: ModelProto) -> None:
    model.graph.input[1].name = "sizes"


def _free_width(model: ModelProto) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[2].dim_param = "free"


def _no_shape(model: ModelProto) -> None:
    model.graph.input[0].type.tensor_type.ClearField("shape")


@pytest.mark.parametrize(
    "change",
    [_other_shape, _impossible, _no_such_input, _cycle, _other_names, _free_width, _no_shape],
)
def test_graphs_that_do_not_work_are_model_errors(changed, change) -> None:
    with pytest.raises(ModelError, match=r"encoder\.onnx is damaged"):
        load(changed(change))


def _hungry(model: ModelProto) -> None:
    """Needs a terabyte."""
    shape = _constant(model, "hungry", [1 << 10, 1 << 14, 1 << 14])
    nodes = [
        helper.make_node("ReduceMax", ["features"], ["most"], keepdims=1),
        helper.make_node("Expand", ["most", shape], ["much"]),
        helper.make_node("ReduceMax", ["much"], ["again"], keepdims=1),
        helper.make_node("Add", ["features", "again"], ["other"]),
    ]
    _rewire(model, *nodes)


def test_too_much_memory_is_not_a_damaged_model(changed) -> None:
    with pytest.raises(ResourceError, match="not enough memory"):
        load(changed(_hungry))


def _slow(model: ModelProto) -> None:
    """Thousands of products, each of them fast."""
    shape = _constant(model, "slow", [1, 700, 700])
    nodes = [
        helper.make_node("ReduceMax", ["features"], ["most"], keepdims=1),
        helper.make_node("Expand", ["most", shape], ["m0"]),
        *(helper.make_node("MatMul", [f"m{i}", "m0"], [f"m{i + 1}"]) for i in range(1_000)),
        helper.make_node("ReduceMax", ["m1000"], ["again"], keepdims=1),
        helper.make_node("Add", ["features", "again"], ["other"]),
    ]
    _rewire(model, *nodes)


def test_the_first_run_is_stopped(changed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "SECONDS_FOR_ONE", 0.2)
    with pytest.raises(ModelError, match=r"refused: it takes longer than 0\.2 seconds"):
        load(changed(_slow))


def test_the_memory_of_the_first_run_is_bounded(changed, monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("needs /proc")
    monkeypatch.setattr(sessions, "MEMORY_FOR_ONE", -(1 << 40))
    with pytest.raises(ModelError, match="refused: it takes more than"):
        load(changed(_slow))


def test_constants_are_not_computed_beyond_the_bound(
    changed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By constant folding, before the first run; limits on runs cannot stop it."""

    def change(model: ModelProto) -> None:
        shape = _constant(model, "large", [4_000, 4_000])
        one = numpy_helper.from_array(np.ones(1, np.float32), "one")
        model.graph.initializer.append(one)
        nodes = [
            helper.make_node("Expand", ["one", shape], ["m0"]),
            *(helper.make_node("MatMul", [f"m{i}", "m0"], [f"m{i + 1}"]) for i in range(200)),
            helper.make_node("ReduceMax", ["m200"], ["again"], keepdims=0),
            helper.make_node("Add", ["features", "again"], ["other"]),
        ]
        _rewire(model, *nodes)

    folder = changed(change)
    monkeypatch.setattr(sessions, "SECONDS_FOR_ONE", 0.2)
    with pytest.raises(ModelError, match="refused: it takes longer"):
        load(folder)


def test_threads_are_bounded_by_the_cpus(random_folder: Path) -> None:
    assert load(random_folder, threads=1_000_000_000)("the river bank").entities


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux")
def test_little_memory_is_not_called_a_damaged_model(random_folder: Path) -> None:
    """Whatever fails, no error speaks of damage."""
    program = (
        "import resource, sys, onnxruntime, innermost\n"
        "from innermost.errors import InnermostError\n"
        "import innermost.runtime.model\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
        "limit = used + int(sys.argv[2]) * 1_000_000\n"
        "resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "try:\n"
        "    innermost.load(sys.argv[1], threads=1)(['the river bank ' * 50] * 200)\n"
        "    print('fine')\n"
        "except (InnermostError, MemoryError) as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    kinds = set()
    for megabytes in (5, 15, 40, 90):
        done = subprocess.run(
            [sys.executable, "-c", program, str(random_folder), str(megabytes)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert "damaged" not in done.stdout, done.stdout
        kinds.add(done.stdout.split(" ")[0].strip())
    assert kinds & {"ResourceError", "MemoryError"}
