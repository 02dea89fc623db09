"""Table 7: the cost of decoding more levels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from innermost.corpus import Sentence
from innermost.errors import DataError, ModelError
from innermost.evaluation.report.tables import Table
from innermost.evaluation.speed import benchmark
from innermost.reproduction.published import paper
from innermost.reproduction.table import Reproduced
from innermost.runtime import load

_SENTENCES, _ROUNDS = 1000, 5
"""The fastest of several rounds counts: other load only makes a round slower."""


def speed_by_depth(run: Path, sentences: Sequence[Sentence]) -> Reproduced:
    """Predict the test data with the model of a run, for each maximum depth."""
    try:
        model = load(run / "model")
    except (ModelError, DataError) as error:
        raise ModelError(
            f"the model of the run cannot be used: {error}",
            hint=f"remove {run} to train it again",
        ) from None
    result = benchmark(model, sentences[:_SENTENCES], rounds=_ROUNDS)
    published = paper()["table7"]
    first = published["1"]
    rows = [
        [
            depth,
            f"{speed.tokens_per_second:,.0f}",
            f"{speed.ratio:.2f}",
            f"{published[depth]:,}",
            f"{published[depth] / first:.2f}",
        ]
        for depth, speed in result.depths.items()
    ]
    columns = ["maximum depth", "tokens/s", "ratio", "paper: tokens/s", "paper: ratio"]
    notes = [
        f"{result.sentences:,} sentences, {result.tokens:,} tokens, in the model's default batches "
        "on this CPU; encoding and decoding.",
        "The paper measured on ACE-2005 and an Intel i7 (2.7 GHz): compare the ratios to depth 1.",
    ]
    table = Table("Table 7: decoding speed", columns, rows)
    figures = {depth: speed.tokens_per_second for depth, speed in result.depths.items()}
    return Reproduced("table7", table, notes, {"tokens_per_second": figures})
