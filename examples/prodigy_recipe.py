"""A Prodigy recipe: nested spans that a model has found, to be corrected.

prodigy innermost.correct my_names english texts.jsonl --min-score 0.3 -F examples/prodigy_recipe.py

Afterwards:

prodigy db-out my_names > names.jsonl
innermost train --train names.jsonl --dev 0.1 --start-from english --out runs/next
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import prodigy
from prodigy.components.loaders import JSONL

import innermost


@prodigy.recipe(
    "innermost.correct",
    dataset=("The dataset to save to", "positional", None, str),
    model=("The name of an installed model, or a folder", "positional", None, str),
    source=("A JSONL file with texts", "positional", None, str),
    min_score=("Leave out entities with a lower score", "option", "s", float),
)
def correct(dataset: str, model: str, source: str, min_score: float = 0.0) -> dict[str, Any]:
    """Correct what a model finds, nested and overlapping spans included."""
    nlp = innermost.load(model, min_score=min_score)
    return {
        "dataset": dataset,
        "view_id": "spans_manual",  # ner_manual cannot show nested spans
        "stream": tasks(nlp, JSONL(source)),
        "config": {"labels": nlp.types},
    }


def tasks(nlp: innermost.Model, stream: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each task with its tokens and the spans of the model; everything else stays as it is."""
    for document, task in nlp.pipe(((task["text"], task) for task in stream), as_tuples=True):
        offsets = document.token_offsets()
        following = [start for start, _ in offsets[1:]] + [len(document.text)]
        tokens = [
            {"id": n, "text": document.text[a:b], "start": a, "end": b, "ws": following[n] > b}
            for n, (a, b) in enumerate(offsets)
        ]
        spans = [
            {
                "start": entity.start,
                "end": entity.end,
                "token_start": entity.token_start,
                "token_end": entity.token_end - 1,  # inclusive
                "label": entity.label,
                "score": round(entity.score, 4),
            }
            for entity in document.entities
        ]
        yield {**task, "tokens": tokens, "spans": spans}
