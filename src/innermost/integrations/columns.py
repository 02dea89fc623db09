"""From columns of texts to columns of entities and errors, for distributed frames."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from innermost.bulk.parquet import arrow, entities_type
from innermost.bulk.rejects import wrong_text
from innermost.bulk.settings import Settings
from innermost.bulk.worker import Worker
from innermost.errors import ModelError, UsageError
from innermost.model_folder.installed import installed, locate
from innermost.model_folder.manifest import SHORT, folder_checksum

if TYPE_CHECKING:
    import pyarrow


def prediction_settings(
    *,
    max_depth: int | None,
    min_score: float | Mapping[str, float],
    types: Collection[str] | None,
    layer: str | None,
    sentences: bool,
    tokenizer: str | None,
    device: str,
) -> Settings:
    """The options of :func:`innermost.load`, for a worker."""
    return Settings(
        max_depth=max_depth,
        min_score=dict(min_score) if isinstance(min_score, Mapping) else float(min_score),
        types=None if types is None else list(types),
        layer=layer,
        sentences=sentences,
        tokenizer=tokenizer,
        device=device,
    )


def check_columns(names: Collection[str], wanted: Collection[str], kind: str) -> None:
    for name in wanted:
        if name not in names:
            raise UsageError(
                f"the {kind} has no column {name!r}", hint=f"the columns are: {', '.join(names)}"
            )


def predicted_columns(
    texts: pyarrow.Array | pyarrow.ChunkedArray, worker: Worker
) -> tuple[pyarrow.Array, pyarrow.Array]:
    """The entities of each text, or null and the error."""
    pa = arrow()
    values = [_value(text) for text in texts]
    documents = iter(worker.documents([value for value in values if isinstance(value, str)]))
    outcomes = [next(documents) if isinstance(value, str) else value[0] for value in values]
    entities = [
        None if isinstance(outcome, str) else [entity.to_dict() for entity in outcome.entities]
        for outcome in outcomes
    ]
    errors = [outcome if isinstance(outcome, str) else None for outcome in outcomes]
    return pa.array(entities, entities_type()), pa.array(errors, pa.string())


def _value(scalar: Any) -> str | tuple[str]:
    """The text, or a tuple with the reason why there is none."""
    try:
        value = scalar.as_py()
    except UnicodeDecodeError:
        return ("not UTF-8",)
    return value if isinstance(value, str) else (wrong_text(value),)


class PortableModel(NamedTuple):
    """A model that other machines find too, and recognize by its checksum."""

    name: str
    checksum: str

    @classmethod
    def of(cls, model: str | Path | None) -> PortableModel:
        return cls(portable_name(model), folder_checksum(locate(model)))

    def locate(self) -> Path:
        """Its folder on this machine; an error if another model is there."""
        folder = locate(self.name)
        if (checksum := folder_checksum(folder)) != self.checksum:
            raise ModelError(
                f"{folder} is another model on this node: {checksum[:SHORT]}, not "
                f"{self.checksum[:SHORT]}",
                hint="install the same version of innermost, or of the model, on all nodes",
            )
        return folder


def portable_name(model: str | Path | None) -> str:
    """The model as other machines find it: by name if installed, else by absolute path."""
    folder = locate(model).absolute()
    names = (name for name, place in installed().items() if place.absolute() == folder)
    return next(names, str(folder))
