"""Settings of a run that takes a second."""

SMALL = {
    "encoder.word_dimension": 8,
    "encoder.character_dimension": 4,
    "encoder.character_filters": 6,
    "encoder.hidden": 8,
    "training.batch_tokens": 30,
    "training.epochs": 4,
    "training.optimizer": "adamw",
    "training.learning_rate": 0.05,
    "training.threads": 1,
    "training.device": "cpu",
}


def arguments(**changes):
    """``--set`` arguments; a double underscore replaces the dot."""
    settings = SMALL | {key.replace("__", "."): value for key, value in changes.items()}
    return ["--preset", "paper", *(p for k, v in settings.items() for p in ("--set", f"{k}={v}"))]
