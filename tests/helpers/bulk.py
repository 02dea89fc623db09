"""Input files for bulk prediction, and runs over them in this process."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from innermost.bulk.run import Progress, predict_files
from innermost.bulk.settings import Settings
from innermost.bulk.state import FOLDER

WORDS = ["the", "gene", "of", "NF-kB", "alpha", "river", "bank", "Zürich", "north", ".", "and it"]
SMALL_BLOCKS = Settings(block_rows=4)


def random_text(seed: int, words: int = 12) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def write_json_lines(path: Path, rows: int, seed: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        json.dumps({"id": f"{path.stem}-{n}", "text": random_text(seed + n), "year": 2000 + n})
        for n in range(rows)
    )
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def run(inputs: Sequence[object], output: Path, model: Path, **options: Any) -> Progress:
    options = {"settings": SMALL_BLOCKS, "jobs": 1, "threads": 1} | options
    steps = predict_files([str(path) for path in inputs], output, model=model, **options)
    return list(steps)[-1]


def contents(output: Path) -> dict[str, bytes]:
    """All output files of a run."""
    files = (path for path in output.rglob("*") if path.is_file())
    names = {path.relative_to(output).as_posix(): path for path in files}
    return {name: path.read_bytes() for name, path in names.items() if not name.startswith(FOLDER)}


def read_json_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]
