"""The available parts of an encoder, by name.

To add one, write a package as described in :mod:`innermost.parts.contract` and add its line here.
The order is the order in which the vectors of the parts are concatenated.

The halves of a part are imported by name, and only when they are needed: running a model never
imports torch, and a model imports only the parts that it has.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from innermost.parts.contract import ExportHalf, RuntimeHalf, TrainingHalf
    from innermost.parts.settings import PartSettings

PARTS = {
    "wordchar": "innermost.parts.wordchar",
    "transformer": "innermost.parts.transformer",
    "flair": "innermost.parts.flair",
}


def settings_type(name: str) -> type[PartSettings]:
    """The settings: ``Settings`` in ``settings.py``."""
    settings: type[PartSettings] = _half(name, "settings").Settings
    return settings


def training_half(name: str) -> TrainingHalf:
    """``training.py``, which needs torch."""
    half: TrainingHalf = _half(name, "training")
    return half


def runtime_half(name: str) -> RuntimeHalf:
    """``runtime.py``, which needs neither torch nor onnx."""
    half: RuntimeHalf = _half(name, "runtime")
    return half


def export_half(name: str) -> ExportHalf:
    """``export.py``, which needs onnx and may need torch."""
    half: ExportHalf = _half(name, "export")
    return half


def _half(name: str, module: str) -> Any:
    return import_module(f"{PARTS[name]}.{module}")
