"""The files of a model folder, and reading them with messages that say what is wrong.

model.toml            what the model is
README.md             its card
encoder.onnx          features to emissions
weights.safetensors   the same weights for torch; only in folders that training wrote

and the files of its parts: ``parts/*/files.py`` lists them.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from innermost.errors import ModelError

ENCODER, WEIGHTS, CARD = "encoder.onnx", "weights.safetensors", "README.md"

_HEADER = 512
"""No file of this size or less holds more than the header of an array and a few numbers."""


def read_array(path: Path, shape: tuple[int | None, ...]) -> npt.NDArray[Any]:
    """An array of numbers, memory-mapped; ``None`` in the shape stands for any size."""
    try:
        # An empty array cannot be mapped.
        mode: Literal["r"] | None = "r" if path.stat().st_size > _HEADER else None
        array: npt.NDArray[Any] = np.load(path, mmap_mode=mode)
    except (OSError, ValueError, EOFError) as error:
        raise damaged(path, error) from None
    fits = array.ndim == len(shape) and all(
        wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype.kind not in "fiu":
        wanted = ", ".join("any" if size is None else str(size) for size in shape)
        raise damaged(path, f"holds {array.dtype} of shape {array.shape}, expected [{wanted}]")
    return array


def array_bytes(array: npt.NDArray[Any]) -> bytes:
    """A file that :func:`read_array` reads."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def damaged(path: Path, error: object) -> ModelError:
    if isinstance(error, FileNotFoundError):
        return ModelError(
            f"{path.parent} is not complete: it has no {path.name}",
            hint="`innermost export` makes a folder that can be used from one that was trained",
        )
    return ModelError(f"{path} is damaged: {error}", hint="get or export the model again")
