"""Run trained models without torch: ONNX Runtime and NumPy."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
    min_score: float | Mapping[str, float] = 0.0,
    types: Collection[str] | None = None,
    layer: str | None = None,
    sentences: bool = True,
    tokenizer: str | None = None,
    memory_map: bool = False,
    device: str = "cpu",
) -> Model:
    """Load an installed model by name or any model by folder; without either, the default.

    - ``threads``: CPU threads for the network; by default, and at most, all CPUs.
    - ``max_depth``: levels of each type to find; 1 gives only the outermost entities.
    - ``min_score``: drop entities with a lower score; ``{"PER": 0.6}`` for some types only.
    - ``types``: find only these types.
    - ``layer``: the layer to use of a model with several layers of annotation.
    - ``sentences``: whether texts are split into sentences; if not, each text is one sentence.
    - ``tokenizer``: another tokenizer than the one that the model was trained for, by name.
    - ``memory_map``: leave word vectors in their file, where several processes share them. The file
      must not be overwritten in place while in use.
    - ``device``: ``cpu``, or ``cuda`` for a GPU, which needs the package ``onnxruntime-gpu``.
    """
    from innermost.model_folder.installed import locate
    from innermost.runtime.model import Model

    return Model(
        locate(model),
        threads=threads,
        max_depth=max_depth,
        min_score=min_score,
        types=types,
        layer=layer,
        sentences=sentences,
        tokenizer=tokenizer,
        memory_map=memory_map,
        device=device,
    )
