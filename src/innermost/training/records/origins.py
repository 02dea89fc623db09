"""The models that a trained model comes from, recorded in its folder."""

from __future__ import annotations

from typing import Any

from innermost.model_folder.info import read_info
from innermost.model_folder.origins import origin
from innermost.training.data.inputs import Data


def model_origins(data: Data) -> dict[str, Any]:
    """By kind: the model that training starts from, the teachers, those with the word vectors."""
    start = None if data.start is None else data.start.origin
    vectors = [
        origin(source.folder, read_info(source.folder))
        for source in data.sources.values()
        if source is not None and source.folder is not None
    ]
    recorded = {"start": start, "teachers": list(data.teachers.origins), "vectors": vectors}
    return {kind: models for kind, models in recorded.items() if models}
