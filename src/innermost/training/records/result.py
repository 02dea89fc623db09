"""Check the result of a run: a model that finds nothing is a failure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from innermost.errors import TrainingError
from innermost.model_folder.installed import folder_name
from innermost.plurals import count
from innermost.training.data.dataset import Split, labels_of
from innermost.training.start import Start

FEW_STEPS = 100
"""With fewer, a model has probably not learned anything yet."""
_ADVICE = (
    "train for more epochs (training.epochs) in smaller batches (training.batch_tokens), start "
    "from a model (--start-from; with it, --set start.freeze=false trains more weights), or "
    "annotate more; `innermost check` finds problems in the data"
)


def nothing_found(result: Mapping[str, Any], train: Split | None = None) -> TrainingError | None:
    """An error if the run learned nothing, else None; ``train`` is what it was trained on."""
    scores = result.get("dev")
    if scores is None or scores["micro"]["correct"]:
        return None
    predicted = scores["micro"]["predicted"]
    found = count(predicted, "entity", "entities")
    what = f"finds {found}, none correct," if predicted else "finds nothing"
    return TrainingError(
        f"the model of seed {result['seed']} {what} in the development data: after "
        f"{count(result['epochs'], 'epoch')} it has learned nothing",
        hint=(None if train is None else _likely_cause(result, train)) or _ADVICE,
    )


def scored_types(start: Start, scores: Mapping[str, Any]) -> list[str]:
    """The types that the scores cover if they leave out those that the model kept from its start;
    empty if they do not."""
    rows = {label: row for part in scores.values() for label, row in part["types"].items()}
    labels = [label for label, row in rows.items() if row["gold"]]
    return labels if set(start.info.types).isdisjoint(labels) else []


def covered_types(start: Start, labels: Sequence[str], *, frozen: bool) -> str:
    """That the scores cover only these types, and why."""
    name = folder_name(Path(start.name))
    unscored = f"the data that they were measured on annotates no type of {name}"
    why = f"predictions of the types of {name} are unchanged" if frozen else unscored
    return f"These scores are those of {', '.join(labels)} only: {why}."


def _likely_cause(result: Mapping[str, Any], train: Split) -> str | None:
    """The likely cause with its remedy, if there is one."""
    wanted = {label for label, counts in result["dev"]["types"].items() if counts["gold"]}
    if wanted and wanted.isdisjoint(labels_of(train.sentences)):
        return (
            f"the training data has no entity of the types of the development data "
            f"({', '.join(sorted(wanted))}): annotate some"
        )
    batch = result["settings"]["training"]["batch_tokens"]
    steps = result["epochs"] * math.ceil(train.tokens / batch)
    if steps < FEW_STEPS:
        return (
            f"{count(steps, 'step')} of training {'is' if steps == 1 else 'are'} probably too few: "
            "train for more epochs (training.epochs) in smaller batches (training.batch_tokens)"
        )
    return None
