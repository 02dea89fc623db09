"""The device of a network: the CPU, or an NVIDIA GPU if this ONNX Runtime supports it."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Any, Literal, get_args

from innermost.errors import ResourceError, UsageError

Device = Literal["cpu", "cuda"]
Provider = str | tuple[str, dict[str, str]]
_CPU, _CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
_CUDA_OPTIONS = {"use_tf32": "0"}
"""TF32 has 10 bits of precision: it changed 0.7% of a model's entities."""


def check_device(name: str) -> Device:
    """The device with this name; an error if there is none."""
    for device in get_args(Device):
        if name == device:
            execution_providers(device)
            return device  # type: ignore[no-any-return]
    raise UsageError(f"unknown device {name!r}", hint="one of: cpu, cuda")


def execution_providers(device: Device) -> list[Provider]:
    """ONNX Runtime's names for the device. The CPU runs what the GPU cannot."""
    if device == "cpu":
        return [_CPU]
    import onnxruntime

    if _CUDA not in onnxruntime.get_available_providers():
        raise UsageError(
            f"the installed ONNX Runtime {onnxruntime.__version__} cannot use a GPU: it was built "
            "without CUDA",
            hint="pip uninstall onnxruntime, then pip install onnxruntime-gpu; or predict on the "
            "CPU, which is the default",
        )
    # CUDA and cuDNN as pip installs them are not where the system looks for libraries.
    if hasattr(onnxruntime, "preload_dlls"):
        with redirect_stdout(sys.stderr):
            onnxruntime.preload_dlls()
    return [(_CUDA, _CUDA_OPTIONS), _CPU]


def check_provider(session: Any, device: Device) -> None:
    """Refuse a silent fallback to the CPU, as ONNX Runtime does if the GPU cannot be used."""
    if device == "cuda" and _CUDA not in session.get_providers():
        raise ResourceError(
            "ONNX Runtime could not start CUDA",
            hint="it needs a GPU with its driver, and the versions of CUDA and cuDNN that "
            "onnxruntime-gpu was built for: pip install 'onnxruntime-gpu[cuda,cudnn]'",
        )
