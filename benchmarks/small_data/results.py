"""Results as lines of JSON, written as they come, so that a benchmark can be interrupted."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.small_data.systems import Score

Key = tuple[str, int, int, str]
"""Corpus, sentences, number of the sample, system."""


@dataclass(frozen=True)
class Result:
    corpus: str
    size: int
    sample: int
    system: str
    score: Score
    fingerprint: str
    date: str
    hardware: str

    @property
    def key(self) -> Key:
        return self.corpus, self.size, self.sample, self.system


def read_results(path: Path) -> dict[Key, Result]:
    if not path.exists():
        return {}
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    results = [Result(**{**row, "score": Score(**row["score"])}) for row in rows]
    return {result.key: result for result in results}


def append(path: Path, result: Result) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(result)) + "\n")


def mean_f1(results: list[Result]) -> float:
    return fmean(result.score.f1 for result in results)
