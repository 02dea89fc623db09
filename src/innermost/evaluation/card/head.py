"""The beginning of a card: which model it describes, and how to use it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from innermost.evaluation.card.tables import table, table_row
from innermost.model_folder.info import ModelInfo
from innermost.model_folder.origins import KINDS, Origin, all_origins, direct_origins

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
        *_origins(info),
    ]
    return table(["", ""], [row for row in rows if row[1]], text_columns=2)


def _origins(info: ModelInfo) -> Iterator[tuple[str, str]]:
    """The models that this one comes from, by kind, and those that these come from."""
    origins = all_origins(info.training)
    direct = len(list(direct_origins(info.training)))
    for kind, title in KINDS.items():
        yield title, "; ".join(_origin(model) for k, model in origins[:direct] if k == kind)
    yield "earlier origins", "; ".join(_origin(model) for _, model in origins[direct:])


def _origin(model: Origin) -> str:
    name = " ".join(str(model[key]) for key in ("name", "version") if model.get(key))
    return f"{name}, license {model['license']}" if model.get("license") else name


def _version(info: ModelInfo) -> tuple[str, str]:
    return "version", info.version or "not stated"


def _license(info: ModelInfo) -> tuple[str, str]:
    return "license", info.license or "not stated: `license` in model.toml is empty"
