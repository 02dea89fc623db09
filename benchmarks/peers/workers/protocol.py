"""The protocol of workers: one JSON object on standard input, one on standard output.

    {"do": "train", "data": FOLDER, "out": FOLDER, "minutes": 12, "longest": 8, "transformer": null}
    {"do": "predict", "model": FOLDER, "warm_up": SENTENCES, "sentences": SENTENCES, "batch": 32}

SENTENCES are lists of tokens. The answer to ``predict`` has the seconds from lists of tokens to
lists of entities, without loading and warm-up, and the entities as ``[start, end, label]``.
The answer to ``train`` has the seconds and, in words, how far the training went.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

Entity = tuple[int, int, str]
Predict = Callable[[list[list[str]]], list[list[Entity]]]
"""The entities of each sentence of one batch."""
Extent = str
"""How far a training went, in words."""


def serve(load: Callable[[Path], Predict], train: Callable[..., Extent] | None = None) -> None:
    """Answer the one request of this process. What others print goes to standard error."""
    request = json.load(sys.stdin)
    with redirect_stdout(sys.stderr):
        if request.pop("do") == "train" and train is not None:
            begun = time.perf_counter()
            extent = train(Path(request.pop("data")), Path(request.pop("out")), **request)
            answer = {"seconds": time.perf_counter() - begun, "extent": extent}
        else:
            answer = timed(load(Path(request["model"])), **request)
    json.dump(answer, sys.stdout)


def timed(
    predict: Predict,
    model: str,
    warm_up: list[list[str]],
    sentences: list[list[str]],
    batch: int,
) -> dict[str, Any]:
    in_batches(predict, warm_up, batch)
    begun = time.perf_counter()
    entities = in_batches(predict, sentences, batch)
    return {"seconds": time.perf_counter() - begun, "entities": entities}


def in_batches(predict: Predict, sentences: list[list[str]], size: int) -> list[list[Entity]]:
    result: list[list[Entity]] = []
    for start in range(0, len(sentences), size):
        result += predict(sentences[start : start + size])
    return result


def threads() -> int:
    """The number of threads, for libraries that need it set in code."""
    return int(os.environ["OMP_NUM_THREADS"])
