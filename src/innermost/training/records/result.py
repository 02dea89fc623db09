"""Check the result of a run: a model that finds nothing is a failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from innermost.errors import TrainingError
from innermost.plurals import count


def nothing_found(result: Mapping[str, Any]) -> TrainingError | None:
    """An error if the run learned nothing, else None."""
    scores = result.get("dev")
    if scores is None or scores["micro"]["correct"]:
        return None
    predicted = scores["micro"]["predicted"]
    found = count(predicted, "entity", "entities")
    what = f"finds {found}, none correct," if predicted else "finds nothing"
    return TrainingError(
        f"the model of seed {result['seed']} {what} in the development data: after "
        f"{count(result['epochs'], 'epoch')} it has learned nothing",
        hint="train for more epochs (training.epochs) in smaller batches (training.batch_tokens), "
        "start from a model (--start-from; with it, --set start.freeze=false trains more weights), "
        "or annotate more; `innermost check` finds problems in the data",
    )
