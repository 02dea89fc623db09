"""A GPU that cannot be used is an error, never a silent change to the CPU."""

from __future__ import annotations

from pathlib import Path

import onnxruntime
import pytest

from helpers.cli import innermost
from innermost import load
from innermost.errors import InnermostWarning, ResourceError, UsageError
from innermost.runtime.onnx_session import open_session

CUDA = "CUDAExecutionProvider"

without_cuda = pytest.mark.skipif(
    CUDA in onnxruntime.get_available_providers(), reason="this ONNX Runtime has CUDA"
)


@without_cuda
def test_an_onnx_runtime_without_cuda_is_named(random_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="built without CUDA"):
        load(random_folder, device="cuda")
    (tmp_path / "a.txt").write_text("the river bank\n")
    options = ("predict", "--model", random_folder, "--device", "cuda")
    for rest in (
        ("the river bank",),
        ("--input", tmp_path / "a.txt", "--output", tmp_path / "out", "--jobs", 2),
    ):
        result = innermost(*options, *rest)
        assert result.code == 2
        assert "onnxruntime-gpu" in result.err
    assert not (tmp_path / "out").exists()


@without_cuda
@pytest.mark.filterwarnings("ignore:Specified provider")
def test_a_gpu_that_does_not_start_is_named(
    random_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ONNX Runtime itself falls back to the CPU."""
    available = [CUDA, "CPUExecutionProvider"]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: available)
    with pytest.raises(ResourceError, match="could not start CUDA"):
        load(random_folder, device="cuda")


def test_an_unknown_device(random_folder: Path) -> None:
    with pytest.raises(UsageError, match="unknown device 'tpu'"):
        load(random_folder, device="tpu")


@without_cuda
def test_a_quantized_model_runs_on_the_cpu(random_folder: Path, tmp_path: Path) -> None:
    from innermost.export.folder import export

    folder = export(random_folder, tmp_path / "int8", int8=True)
    with (
        pytest.warns(InnermostWarning, match="export the model without --int8"),
        pytest.raises(UsageError),
    ):
        open_session(folder / "encoder.onnx", 1, "cuda")
