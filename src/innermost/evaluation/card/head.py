"""The beginning of a card: which model it describes, and how to use it."""

from __future__ import annotations

from innermost.evaluation.card.tables import table
from innermost.model_folder.info import ModelInfo
from innermost.model_folder.layers import layers

IN_FOLDER = 'Use it from its folder: `innermost predict --model FOLDER "Some text."`'


def head(info: ModelInfo, use: str = "") -> str:
    parts = (f"# {info.name or 'A model for nested entities'}", _about(info), _identity(info), use)
    return "\n\n".join(part for part in parts if part)


def _about(info: ModelInfo) -> str:
    types = ", ".join(info.types)
    return f"Finds {types} in text, nested at any depth. Trained with innermost."


def _identity(info: ModelInfo) -> str:
    rows = [
        ("version", info.version or "not stated"),
        ("license", info.license or "not stated: `license` in model.toml is empty"),
        ("date", info.date or "not stated"),
        ("innermost", info.innermost or "not stated"),
        ("tokenizer", info.tokenizer),
        ("layers", ", ".join(layers(info.types))),
    ]
    return table(["", ""], [[name, value] for name, value in rows if value], text_columns=2)
