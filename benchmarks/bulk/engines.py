"""The same input through one process, two jobs, Ray and Spark, compared row by row."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.bulk.runs import predict

import innermost

Entities = dict[int, list[dict[str, Any]]]


def compare(inputs: Path, scratch: Path, model: str) -> Iterator[tuple[str, float, bool]]:
    """Of each engine: its name, seconds, and whether its entities are those of one process."""
    began = time.perf_counter()
    expected = _in_process(inputs, model)
    yield "one process, nlp.pipe", time.perf_counter() - began, True
    engines: dict[str, Callable[[], Entities]] = {
        "--jobs 1": lambda: _command(inputs, scratch / "one", model, "--jobs", "1"),
        "--jobs 2": lambda: _command(inputs, scratch / "two", model, "--jobs", "2"),
        "--engine ray --jobs 2": lambda: _command(
            inputs, scratch / "ray", model, "--engine", "ray", "--jobs", "2"
        ),
        "Ray Data, 2 actors": lambda: _ray_data(inputs, model),
        "Spark, local[2]": lambda: _spark(inputs, model),
    }
    for name, engine in engines.items():
        began = time.perf_counter()
        try:
            entities = engine()
        except ImportError as error:
            print(f"{name}: skipped, {error}")
            continue
        yield name, time.perf_counter() - began, entities == expected


def _in_process(inputs: Path, model: str) -> Entities:
    rows = _rows(inputs.iterdir())
    documents = innermost.load(model, threads=1).pipe(row["text"] for row in rows)
    pairs = zip(rows, documents, strict=True)
    return {row["id"]: document.to_dict()["entities"] for row, document in pairs}


def _command(inputs: Path, output: Path, model: str, *options: str) -> Entities:
    predict(inputs, output, model, *options)
    return {row["id"]: row["entities"] for row in _rows(output.glob("[0-9].jsonl"))}


def _ray_data(inputs: Path, model: str) -> Entities:
    import ray.data

    from innermost.integrations.ray import extract

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
    try:
        dataset = ray.data.read_json(str(inputs), lines=True)
        rows = extract(dataset, model=model, actors=2).take_all()
    finally:
        ray.shutdown()
    return {row["id"]: row["entities"] for row in rows}


def _spark(inputs: Path, model: str) -> Entities:
    from pyspark.sql import SparkSession

    from innermost.integrations.spark import extract

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for name in ("spark.driver.bindAddress", "spark.driver.host"):
        builder = builder.config(name, "127.0.0.1")
    session = builder.getOrCreate()
    try:
        rows = extract(session.read.json(str(inputs)), model=model).collect()
    finally:
        session.stop()
    return {row["id"]: [entity.asDict() for entity in row["entities"]] for row in rows}


def _rows(paths: Iterable[Path]) -> list[Any]:
    return [json.loads(line) for path in sorted(paths) for line in path.open()]
