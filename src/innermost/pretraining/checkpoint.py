"""The state a task needs to resume: its tensors and the number of steps done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from innermost.errors import CheckpointError
from innermost.files.atomic import write_atomically
from innermost.training.records.checkpoint import weights_bytes

Tensors = dict[str, Tensor]


def save_checkpoint(path: Path, tensors: Tensors, steps: int) -> None:
    write_atomically(path, weights_bytes(tensors, {"steps": str(steps)}))


def read_checkpoint(path: Path) -> tuple[Tensors, int]:
    """The tensors of a checkpoint, and the number of steps done."""
    try:
        with safe_open(path, framework="pt") as file:
            steps = int((file.metadata() or {})["steps"])
            return {name: file.get_tensor(name) for name in file.keys()}, steps  # noqa: SIM118
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise CheckpointError(
            f"{path} is not a complete checkpoint: {error}",
            hint="remove it to train from the beginning",
        ) from None


def pack(module: torch.nn.Module, optimizer: torch.optim.Optimizer) -> Tensors:
    """The weights and the optimizer's state, flattened."""
    tensors: Tensors = {f"model.{name}": value for name, value in module.state_dict().items()}
    for index, memory in optimizer.state_dict()["state"].items():
        for name, value in memory.items():
            tensors[f"optimizer.{index}.{name}"] = value
    return tensors


def unpack(tensors: Tensors, module: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Restore the result of :func:`pack`."""
    memory: dict[int, dict[str, Any]] = {}
    weights: Tensors = {}
    for name, value in tensors.items():
        kind, _, rest = name.partition(".")
        if kind == "model":
            weights[rest] = value
        elif kind == "optimizer":
            index, _, key = rest.partition(".")
            memory.setdefault(int(index), {})[key] = value
    groups = optimizer.state_dict()["param_groups"]
    try:
        module.load_state_dict(weights)
        optimizer.load_state_dict({"state": memory, "param_groups": groups})
    except (RuntimeError, ValueError, KeyError) as error:
        raise CheckpointError(
            f"the checkpoint does not match the model: {error}",
            hint="remove the unfinished run to start over",
        ) from None
