"""Nested entities in a Spark DataFrame. Needs the extra ``spark``, on the executors too.

from innermost.integrations.spark import extract

extract(df, text="abstract", id="pmid", model="genia").write.parquet("entities/")
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from innermost.bulk.parquet import arrow, entities_type
from innermost.bulk.settings import Settings
from innermost.bulk.worker import Worker
from innermost.errors import UsageError
from innermost.model_folder.installed import locate

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

ENTITIES = (
    "array<struct<start:bigint,end:bigint,label:string,text:string,"
    "level:bigint,score:double,parent:bigint>>"
)


def extract(
    frame: DataFrame,
    *,
    text: str = "text",
    id: str = "id",
    model: str | None = None,
    threads: int = 1,
    max_depth: int | None = None,
    min_score: float | Mapping[str, float] = 0.0,
    types: Collection[str] | None = None,
    layer: str | None = None,
    sentences: bool = True,
) -> DataFrame:
    """The id, the entities and, of a row that could not be predicted, the error: row for row.

    ``model`` is the name of an installed model, or a folder that every executor can read. The other
    options are those of :func:`innermost.load`.
    """
    for name in (text, id):
        if name not in frame.columns:
            raise UsageError(
                f"the DataFrame has no column {name!r}",
                hint=f"there are: {', '.join(frame.columns)}",
            )
    settings = Settings(
        max_depth=max_depth,
        min_score=min_score if isinstance(min_score, float) else dict(min_score),
        types=None if types is None else list(types),
        layer=layer,
        sentences=sentences,
    )
    encoded = msgspec.json.encode(settings)
    schema = f"`{id}` {frame.schema[id].dataType.simpleString()}, entities {ENTITIES}, error string"

    def predict(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        worker = _worker(model, encoded, threads)
        for batch in batches:
            yield _predicted(batch, worker)

    return frame.select(id, text).mapInArrow(predict, schema)


@lru_cache(maxsize=1)
def _worker(model: str | None, settings: bytes, threads: int) -> Worker:
    """Spark uses a Python process again and again; the model is loaded once."""
    return Worker(locate(model), msgspec.json.decode(settings, type=Settings), threads)


def _predicted(batch: pyarrow.RecordBatch, worker: Worker) -> pyarrow.RecordBatch:
    pa = arrow()
    texts = batch.column(1).to_pylist()
    documents = iter(worker.documents([text for text in texts if text is not None]))
    outcomes = ["the text is null" if text is None else next(documents) for text in texts]
    entities = [
        None if isinstance(outcome, str) else outcome.to_dict()["entities"] for outcome in outcomes
    ]
    errors = [outcome if isinstance(outcome, str) else None for outcome in outcomes]
    return pa.record_batch(
        [batch.column(0), pa.array(entities, entities_type()), pa.array(errors, pa.string())],
        names=[batch.schema.names[0], "entities", "error"],
    )
