"""Settings chosen by the amount of data: ``--preset auto``.

A large corpus needs large batches, which train fast, and few epochs; a small one needs small
batches, or there are too few steps to learn anything. Explicit settings are never changed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from innermost.model_folder.origins import all_origins
from innermost.plurals import count
from innermost.training.data.dataset import Split, types_in
from innermost.training.settings.config import Settings
from innermost.training.settings.fitting import (
    ENOUGH_ABROAD,
    FittingVectors,
    fitting_start,
    fitting_vectors,
    is_by_character,
    knows_words,
)
from innermost.training.start import Heads, Start

EVALUATIONS = 10
"""The approximate number in a run: the best of more is often the best by chance."""
MOST_STEPS = 6_000
SMALLEST_BATCH, LARGEST_BATCH = 30, 2_000
FEWEST_FROM_START, MOST_FROM_START, MOST_FOR_NEW_TYPES = 8, 40, 60
"""A model that starts from another needs fewer epochs; with more data, it unlearns."""
LONGER_ABROAD = 2
"""Factor of the epochs in a language whose words the model does not know: all words are new."""
FAMILIAR = 0.7
"""A model that distinguishes more than this share of the types has less to learn."""
LITTLE = 2_000
"""With fewer sentences, starting from a model that finds similar entities is worth a try."""
LITTLE_ABROAD = 5_000
"""The same in a language that no model has learned alone: 8 points of F1 with 3,000 sentences."""
NO_START = "from scratch, because no installed model finds similar entities in this language"
"""What to say when :func:`automatic_start` found none."""
BY_CHARACTER = "raw text is read by character, like this data"


@dataclass(frozen=True, slots=True)
class Choice:
    settings: Settings
    reason: str
    """What was chosen and why, in one line."""
    advice: str | None = None
    """What would probably be better, if anything."""


def choose(
    settings: Mapping[str, Any],
    train: Split,
    start: Start | None = None,
    heads: Heads | None = None,
) -> Choice:
    """Settings for ``train``; those in ``settings`` take precedence."""
    encoder = settings.get("encoder", {})
    if start is not None:
        return _from_start(settings, train, start, heads or {})
    kind = encoder.get("kind", "wordchar")
    tables = (encoder, *(value for value in encoder.values() if isinstance(value, Mapping)))
    fine_tuned = any(table.get("fine_tune") is True for table in tables)
    training = _fine_tuning(train.tokens) if fine_tuned else _training(train.tokens)
    given = settings.get("training", {})
    training |= _evaluations(training, given)
    chosen: Settings = {"training": training, "encoder": _dropout(fine_tuned=fine_tuned)}
    vectors = None
    if kind == "wordchar":
        chosen["encoder"] |= {"scale_vectors": True}
        if encoder.get("vectors") is None:
            vectors = fitting_vectors(train)
            chosen["encoder"] |= {} if vectors is None else {"vectors": vectors.model}
    elif kind == "stack" and isinstance(encoder.get("wordchar"), Mapping):
        chosen["encoder"]["wordchar"] = {"scale_vectors": True}
    little = kind == "wordchar" and len(train.sentences) < LITTLE
    advice = _advice(train) if little else None
    reason = _reason(train, {**training, **given}, vectors)
    if _seeks_start(settings, train) and not _is_alone(vectors):
        reason += f", {NO_START}"
    if _reads_by_character(settings, train):
        chosen["data"] = {"tokenizer": "characters"}
        reason += f", {BY_CHARACTER}"
    return Choice(chosen, reason, advice)


def automatic_start(settings: Mapping[str, Any], train: Split) -> str | None:
    """The model to start from if ``train`` is small and no model has learned its language alone.

    Characters and contexts learned in other languages are then worth 10 points of F1 or more.
    Anything set for the encoder or the start is respected.
    """
    if not _seeks_start(settings, train) or _is_alone(fitting_vectors(train)):
        return None
    similar = fitting_start(train, ENOUGH_ABROAD)
    return None if similar is None else similar.model


def _seeks_start(settings: Mapping[str, Any], train: Split) -> bool:
    """Whether there is little data, and no encoder or start is set."""
    is_open = not settings.get("encoder") and not settings.get("start")
    return is_open and len(train.sentences) < LITTLE_ABROAD


def _reads_by_character(settings: Mapping[str, Any], train: Split) -> bool:
    """Whether raw text has to be divided into characters to have the tokens of the data."""
    return "tokenizer" not in settings.get("data", {}) and is_by_character(train)


def _is_alone(vectors: FittingVectors | None) -> bool:
    """Whether a model has learned the language of the data, and no other."""
    return vectors is not None and vectors.languages <= 1


def why_started(model: str) -> str:
    """What to say when :func:`automatic_start` chose a model."""
    return (
        f"the training starts from {model}, because there is little data and no installed model "
        "of a single language knows most of its words; --set encoder.kind=wordchar trains from "
        "scratch"
    )


def _from_start(settings: Mapping[str, Any], train: Split, start: Start, heads: Heads) -> Choice:
    """The weights are already good: smaller steps, less dropout, unless many types are new."""
    given, start_given = settings.get("training", {}), settings.get("start", {})
    frozen = start_given.get("freeze", start_given.get("keep_types", False))
    fine_tuned = any(getattr(part, "fine_tune", False) for part in start.encoder.parts.values())
    training = _fine_tuning(train.tokens) if fine_tuned else _training(train.tokens)
    if frozen:
        dropout = {"dropout": 0.1, "recurrent_dropout": 0.0}
    else:
        is_new = len(set(heads.values())) <= FAMILIAR * len(types_in(train))
        most = MOST_FOR_NEW_TYPES if is_new else MOST_FROM_START
        few = MOST_FROM_START * math.sqrt(10_000 / train.tokens)
        training["epochs"] = _between(FEWEST_FROM_START, few, most)
        if set(start.encoder.parts) == {"wordchar"} and not knows_words(start.folder, train):
            training["epochs"] *= LONGER_ABROAD
        dropout = {"dropout": 0.5 if is_new else 0.3}
    training["learning_rate"] = 5e-3
    training |= _evaluations(training, given)
    chosen: Settings = {
        "training": training,
        "start": {"encoder_rate": 0.2},
        "encoder": dropout,
    }
    kept = start.info.types if start_given.get("keep_types") else ()
    known = [
        label if label == head else f"{label} (as its {head})"
        for label, head in sorted(heads.items())
        if label not in kept  # those keep their own heads
    ]
    origins = [start.origin, *(model for _, model in all_origins(start.origin))]
    licenses = dict.fromkeys(model["license"] for model in origins if model.get("license"))
    licensed = f" ({', '.join(licenses)})" if licenses else ""
    knows = f", which knows {', '.join(known)}" if known else ""
    what = f"starting from {start.name}{licensed}{knows}"
    if not kept and _reads_by_character(settings, train):
        chosen["data"] = {"tokenizer": "characters"}
        what += f", {BY_CHARACTER}"
    return Choice(chosen, f"{_reason(train, {**training, **given})}, {what}")


def _training(tokens: int) -> dict[str, Any]:
    return {
        "optimizer": "adamw",
        "learning_rate": 3e-3,
        "weight_decay": 0.05,
        "schedule": "linear",
        "warmup": 0.05,
        "average": 0.999,
        "average_span": 0.1,
        **_course(tokens, epochs=_between(25, 60 * (10_000 / tokens) ** 0.25, 60)),
    }


def _fine_tuning(tokens: int) -> dict[str, Any]:
    """A pretrained transformer needs fewer epochs and a lower learning rate."""
    return {
        "optimizer": "adamw",
        "learning_rate": 1e-3,
        "weight_decay": 0.02,
        "schedule": "linear",
        "warmup": 0.1,
        "average": 0.999,
        "average_span": 0.1,
        **_course(tokens, epochs=_between(8, 20 * (10_000 / tokens) ** 0.25, 20)),
    }


def _course(tokens: int, *, epochs: int) -> dict[str, int]:
    """The largest batches that leave enough steps to learn."""
    steps = _between(1, _steps(tokens), MOST_STEPS)
    batch = _between(SMALLEST_BATCH, round(epochs * tokens / steps, -1), LARGEST_BATCH)
    return {"batch_tokens": batch, "epochs": epochs}


def _evaluations(training: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, int]:
    """When to evaluate, and when to stop early, in the epochs that are chosen or ``given``.

    The learning rate falls to 0 at the last epoch, which usually has the best score: stop early
    only if nothing was gained for half of the run.
    """
    epochs = given.get("epochs", training["epochs"])
    every = given.get("evaluate_every", max(epochs // EVALUATIONS, 1))
    return {"evaluate_every": every, "patience": max(epochs // every // 2, 5)}


def _steps(tokens: int) -> float:
    """Proportional to the square root of the tokens; with fewer than 20,000, somewhat more."""
    return max(20 * math.sqrt(tokens), 145 * math.pow(tokens, 0.3))


def _dropout(*, fine_tuned: bool) -> dict[str, Any]:
    if fine_tuned:
        return {"dropout": 0.4, "recurrent_dropout": 0.2}
    return {"dropout": 0.5, "recurrent_dropout": 0.25}


def _reason(
    train: Split,
    training: Mapping[str, Any],
    vectors: FittingVectors | None = None,
) -> str:
    tokens, batch = train.tokens, training["batch_tokens"]
    steps = max(math.ceil(tokens / batch), 1)
    parts = [
        f"batches of {batch:,} tokens",
        f"{count(training['epochs'], 'epoch')} of about {count(steps, 'step')}",
        f"evaluated every {training['evaluate_every']}"
        if training["evaluate_every"] > 1
        else "each evaluated",
    ]
    if training["average"]:
        parts.append("averaged weights")
    if vectors is not None:
        about = [vectors.license] if vectors.license else []
        about.append(f"{vectors.share:.0%} of the words")
        parts.append(f"word vectors of {vectors.model} ({', '.join(about)})")
    size = f"{count(len(train.sentences), 'sentence')}, {count(tokens, 'token')}"
    return f"{size}: {', '.join(parts)}"


def _advice(train: Split) -> str | None:
    similar = fitting_start(train)
    if similar is None:
        return None
    return (
        f"with little data, --start-from {similar.model} usually scores higher ({similar.model} "
        f"as it is finds the boundaries of these entities with F1 {100 * similar.f1:.0f})"
    )


def _between(low: int, value: float, high: int) -> int:
    return int(min(max(value, low), high))
