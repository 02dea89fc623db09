"""The beginning of a card: which model it describes, and how to use it."""

from __future__ import annotations

import msgspec

from innermost.evaluation.card.tables import table, table_row
from innermost.model_folder.info import ModelInfo

IN_FOLDER = 'Use it from its folder: `innermost predict --model FOLDER "Some text."`'


def head(info: ModelInfo, use: str = "") -> str:
    parts = (_title(info), _about(info), _identity(info), use)
    return "\n\n".join(part for part in parts if part)


def by_name(info: ModelInfo) -> str:
    """How to use an installed model."""
    return f'Use it by its name: `innermost predict --model {info.name} "Some text."`'


def renamed(card: str, before: ModelInfo, after: ModelInfo) -> str:
    """The card of an installed model that had another name, version and license before.

    Only lines that are as innermost wrote them are replaced, so what people edited is kept.
    """
    unnamed = msgspec.structs.replace(before, name="", version="", license="")
    new = _lines(after, by_name(after))
    replacements = {
        line: replacement
        for info in (unnamed, before)
        for use in (IN_FOLDER, by_name(before))
        for line, replacement in zip(_lines(info, use), new, strict=True)
    }
    beginning, section, rest = card.partition("\n## ")
    lines = (replacements.get(line, line) for line in beginning.split("\n"))
    return "\n".join(lines) + section + rest


def _lines(info: ModelInfo, use: str) -> list[str]:
    """The lines that depend on name, version and license."""
    return [_title(info), table_row(_version(info)), table_row(_license(info)), use]


def _title(info: ModelInfo) -> str:
    return f"# {info.name or 'A model for nested entities'}"


def _about(info: ModelInfo) -> str:
    types = ", ".join(info.types)
    return f"Finds {types} in text, nested at any depth. Trained with innermost."


def _identity(info: ModelInfo) -> str:
    rows = [
        _version(info),
        _license(info),
        ("date", info.date or "not stated"),
        ("innermost", info.innermost or "not stated"),
        ("languages", ", ".join(info.languages)),
        ("tokenizer", info.tokenizer),
        ("layers", ", ".join(info.layers)),
        ("started from", _origin(info.training.get("start"))),
        ("learned from", "; ".join(map(_origin, _teachers(info)))),
    ]
    return table(["", ""], [row for row in rows if row[1]], text_columns=2)


def _origin(model: object) -> str:
    """A model that this one began with or learned from; its license may apply to both."""
    if not isinstance(model, dict):
        return ""
    name = " ".join(str(model[key]) for key in ("name", "version") if model.get(key))
    return f"{name}, license {model['license']}" if model.get("license") else name


def _teachers(info: ModelInfo) -> list[object]:
    teachers = info.training.get("teachers")
    return teachers if isinstance(teachers, list) else []


def _version(info: ModelInfo) -> tuple[str, str]:
    return "version", info.version or "not stated"


def _license(info: ModelInfo) -> tuple[str, str]:
    return "license", info.license or "not stated: `license` in model.toml is empty"
