"""Running trained models without torch: ONNX Runtime and NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from innermost.runtime.model import Model

__all__ = ["load"]


def load(
    model: str | Path | None = None,
    *,
    threads: int | None = None,
    max_depth: int | None = None,
    min_score: float = 0.0,
) -> Model:
    """A model, by the name of an installed one or by its folder; without either, the default.

    ``threads``: how many the network may use; all CPUs if not given. ``max_depth``: how many levels
    of each type to look for; 1 gives the outermost only. ``min_score``: leave out entities that are
    less probable.
    """
    from innermost.model_folder.installed import locate
    from innermost.runtime.model import Model

    return Model(locate(model), threads=threads, max_depth=max_depth, min_score=min_score)
