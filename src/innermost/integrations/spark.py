"""Nested entities in a Spark DataFrame. Needs the extra ``spark``, on the executors too.

from innermost.integrations.spark import extract

extract(df, text="abstract", id="pmid", model="genia").write.parquet("entities/")
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from innermost.bulk.parquet import arrow
from innermost.bulk.settings import Settings
from innermost.bulk.worker import Worker
from innermost.files.tables import ENTITY_COLUMNS
from innermost.integrations.columns import (
    PortableModel,
    check_columns,
    predicted_columns,
    prediction_settings,
)

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

_TYPES = {"int64": "bigint", "float64": "double"}
"""Spark's names of types, where they are not Arrow's."""


def extract(
    frame: DataFrame,
    *,
    text: str = "text",
    id: str = "id",
    model: str | Path | None = None,
    threads: int = 1,
    max_depth: int | None = None,
    min_score: float | Mapping[str, float] = 0.0,
    types: Collection[str] | None = None,
    layer: str | None = None,
    sentences: bool = True,
    tokenizer: str | None = None,
    device: str = "cpu",
) -> DataFrame:
    """One row per row: the id, the entities, and the error if the row could not be predicted.

    ``model`` is the name of an installed model, or a folder that every executor can read; an
    executor with another version of it is an error. The other options are those of
    :func:`innermost.load`.
    """
    check_columns(frame.columns, (text, id), "DataFrame")
    settings = prediction_settings(
        max_depth=max_depth,
        min_score=min_score,
        types=types,
        layer=layer,
        sentences=sentences,
        tokenizer=tokenizer,
        device=device,
    )
    portable, encoded = PortableModel.of(model), msgspec.json.encode(settings)
    fields = ",".join(f"{name}:{_TYPES.get(kind, kind)}" for name, kind in ENTITY_COLUMNS.items())
    kind = frame.schema[id].dataType.simpleString()
    schema = f"`{id}` {kind}, entities array<struct<{fields}>>, error string"

    def predict(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        worker = _worker(portable, encoded, threads)
        for batch in batches:
            yield _predicted(batch, worker)

    return frame.select(id, text).mapInArrow(predict, schema)


@lru_cache(maxsize=1)
def _worker(model: PortableModel, settings: bytes, threads: int) -> Worker:
    """The worker of this process: Spark reuses Python processes, so the model is loaded once."""
    return Worker(model.locate(), msgspec.json.decode(settings, type=Settings), threads)


def _predicted(batch: pyarrow.RecordBatch, worker: Worker) -> pyarrow.RecordBatch:
    entities, errors = predicted_columns(batch.column(1), worker)
    return arrow().record_batch(
        [batch.column(0), entities, errors], names=[batch.schema.names[0], "entities", "error"]
    )
