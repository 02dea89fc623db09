"""The DataFrame gets the entities that the model finds, row for row."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.bulk import random_text, run, write_json_lines
from innermost import load
from innermost.bulk.settings import Settings
from innermost.errors import UsageError

# Before pyspark imports distutils; torch.compile could not import setuptools afterwards.
pytest.importorskip("setuptools")
pytest.importorskip("pyspark", reason="needs the extra spark")


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for name in ("spark.driver.bindAddress", "spark.driver.host"):
        builder = builder.config(name, "127.0.0.1")
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_rows_are_those_of_the_model(spark: Any, random_folder: Path) -> None:
    from innermost.integrations.spark import extract

    texts = [None if n == 4 else random_text(n) for n in range(10)]
    frame = spark.createDataFrame(
        [(n, t, "x") for n, t in enumerate(texts)], "key int, body string, z string"
    )
    with pytest.raises(UsageError, match="no column 'text'"):
        extract(frame, id="key", model=str(random_folder))
    result = extract(frame, text="body", id="key", model=str(random_folder))
    rows = sorted(result.collect(), key=lambda row: row["key"])
    nlp = load(random_folder, threads=1)
    for number, (row, text) in enumerate(zip(rows, texts, strict=True)):
        assert row["key"] == number
        if text is None:
            assert (row["entities"], row["error"]) == (None, "the text is null")
        else:
            entities = [entity.asDict() for entity in row["entities"]]
            assert entities == nlp(text).to_dict()["entities"]
            assert row["error"] is None


def test_output_of_a_run_over_files_has_its_nested_column(
    spark: Any, tmp_path: Path, random_folder: Path
) -> None:
    path = write_json_lines(tmp_path / "a.jsonl", 9)
    settings = Settings(block_rows=4, output_format="parquet")
    run([path], tmp_path / "out", random_folder, settings=settings)
    rows = spark.read.parquet(str(tmp_path / "out" / "a.parquet")).collect()
    nlp = load(random_folder, threads=1)
    for row in rows:
        entities = [entity.asDict() for entity in row["entities"]]
        assert entities == nlp(row["text"]).to_dict()["entities"]
    assert len(rows) == 9
