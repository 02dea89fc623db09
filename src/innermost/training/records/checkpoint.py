"""Everything needed to resume a run, in one safetensors file that is written atomically."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from innermost.errors import CheckpointError
from innermost.files.atomic import write_atomically
from innermost.training.loop import TrainingState

FORMAT = "innermost-checkpoint-1"


def weights_bytes(tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> bytes:
    ready = {name: t.detach().cpu().contiguous() for name, t in tensors.items()}
    return save(ready, metadata)


def save_checkpoint(path: Path, state: TrainingState, run: str, extra: dict[str, Any]) -> None:
    """Save ``state``; ``run`` identifies the run, ``extra`` is stored with it."""
    tensors = {f"model.{k}": v for k, v in state.model.state_dict().items()}
    if state.average is not None:
        tensors |= {f"average.{k}": v for k, v in state.average.module.state_dict().items()}
    optimizer = state.optimizer.state_dict()
    scalars: dict[str, dict[str, Any]] = {}
    for index, values in optimizer["state"].items():
        for key, value in values.items():
            if isinstance(value, Tensor):
                tensors[f"optimizer.{index}.{key}"] = value
            else:
                scalars.setdefault(str(index), {})[key] = value
    metadata = {
        "format": FORMAT,
        "run": run,
        "epoch": state.epoch,
        "averaged": 0 if state.average is None else state.average.steps,
        "scalars": scalars,
        "groups": optimizer["param_groups"],
        "threads": torch.get_num_threads(),
        "extra": extra,
    }
    packed = {"innermost": msgspec.json.encode(metadata).decode()}
    write_atomically(path, weights_bytes(tensors, packed))


def load_checkpoint(path: Path, state: TrainingState, run: str) -> dict[str, Any]:
    """Restore ``state`` from the checkpoint; return the ``extra`` stored with it."""
    tensors, metadata = _read(path)
    if metadata["run"] != run:
        raise CheckpointError(
            f"{path} belongs to another run: its data, configuration or seed are different",
            hint="resume with the same --train, --dev, --config and --set, or choose another --out",
        )
    try:
        state.model.load_state_dict(_part(tensors, "model"))
        if state.average is not None:
            state.average.restore(_part(tensors, "average"), int(metadata["averaged"]))
        values: dict[int, dict[str, Any]] = {
            int(k): dict(v) for k, v in metadata["scalars"].items()
        }
        for name, tensor in _part(tensors, "optimizer").items():
            index, key = name.split(".", 1)
            values.setdefault(int(index), {})[key] = tensor
        groups = [
            {k: tuple(v) if isinstance(v, list) and k != "params" else v for k, v in g.items()}
            for g in metadata["groups"]
        ]
        state.optimizer.load_state_dict({"state": values, "param_groups": groups})
        state.epoch = int(metadata["epoch"])
    except (RuntimeError, KeyError, ValueError, TypeError) as error:
        raise CheckpointError(f"{path} does not match the model: {error}") from None
    extra: dict[str, Any] = metadata["extra"]
    return extra


def saved_threads(path: Path) -> int:
    """The number of CPU threads of the run; 0 if it is not stored."""
    _, metadata = _read(path, with_tensors=False)
    return int(metadata.get("threads", 0))


def _part(tensors: dict[str, Tensor], name: str) -> dict[str, Tensor]:
    prefix = f"{name}."
    return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}


def _read(path: Path, *, with_tensors: bool = True) -> tuple[dict[str, Tensor], dict[str, Any]]:
    try:
        with safe_open(path, framework="pt") as file:
            metadata = msgspec.json.decode((file.metadata() or {})["innermost"])
            if metadata["format"] != FORMAT:
                raise CheckpointError(f"{path} has the format {metadata['format']}, not {FORMAT}")
            names = file.keys() if with_tensors else ()
            return {name: file.get_tensor(name) for name in names}, metadata
    except (SafetensorError, OSError, KeyError, TypeError, msgspec.DecodeError) as error:
        raise CheckpointError(
            f"{path} is not a complete innermost checkpoint: {error}",
            hint="remove it to train from the beginning",
        ) from None


def restore_weights(path: Path, model: torch.nn.Module) -> None:
    """Load the weights saved by a run."""
    try:
        with safe_open(path, framework="pt") as file:
            model.load_state_dict({k: file.get_tensor(k) for k in file.keys()})  # noqa: SIM118
    except (SafetensorError, OSError, RuntimeError) as error:
        raise CheckpointError(f"{path} does not contain this model's weights: {error}") from None
