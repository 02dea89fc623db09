"""``model.toml``: the description of a model. Versioned and checked on load."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from innermost import _toml
from innermost.errors import ModelError
from innermost.model_folder.manifest import read_file, update_file
from innermost.model_folder.plain_files import MEGABYTE, damaged

FORMAT = 1
SINCE = {1: "0.1.0"}
"""The first version of innermost that reads each format."""
FILE = "model.toml"
SEPARATOR = "/"
"""Between a layer of annotation and a type."""
BEFORE_EXPORT = "before_export"
TYPES = "types"
_NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.])")
_MOST_DOTS = 1_000
"""``tomllib`` is quadratic in the dots of a key: 10 seconds for a few kilobytes."""
_CONTROL = re.compile(
    # Control characters except tab and line feed, line separators, direction marks, surrogates.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


class ExportInfo(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """What an export changed to make a model smaller; it may predict differently since."""

    int8: bool = False
    """Its weights are quantized."""
    vectors: str = ""
    """How its word vectors are stored, if it was chosen."""
    top: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Of the pretrained words, only this many of the most frequent are left, ..."""
    keep: bool = False
    """... and those of some data."""

    def __str__(self) -> str:
        parts = [
            "int8 weights" if self.int8 else "",
            f"{self.vectors} word vectors" if self.vectors else "",
            "" if self.top is None else f"the {self.top:,} most frequent words",
            "those of `--keep`" if self.keep else "",
        ]
        *others, last = [part for part in parts if part] or [""]
        return f"{', '.join(others)} and {last}" if others else last


class _Scores(msgspec.Struct, kw_only=True, frozen=True):
    """What is read from the scores of a split; there may be more."""

    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    before_export: bool = False
    types: list[str] = []


class _Training(msgspec.Struct, kw_only=True, frozen=True):
    """What is read from the record of the training; there may be more."""

    fingerprints: dict[str, str] = {}


class ModelInfo(msgspec.Struct, kw_only=True, frozen=True):
    """The types in the order of the emissions, the tokenizer, and how the model was trained."""

    format: int = FORMAT
    name: str = ""
    version: str = ""
    license: str = ""
    date: str = ""
    """When it was trained."""
    innermost: str = ""
    """The version of the package that trained it."""
    types: list[str]
    layers: list[str] = []
    """Layers of annotation: their types are named ``layer/type``; the others are the default."""
    languages: list[str] = []
    """Codes of the languages that it learned, where they are stated: ``de``, ``pt``."""
    tokenizer: str
    encoder: dict[str, Any]
    """``kind`` and the settings of its weights."""
    training: dict[str, Any] = {}
    """Seed, fingerprints of the data, environment."""
    scores: dict[str, Any] = {}
    """By split: those with ``before_export = true`` were measured before ``export``; those with
    ``types`` cover only these."""
    export: ExportInfo | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0.01, le=100)] = 1.0
    """The emissions are divided by it before entities are scored."""


def read_info(folder: Path) -> ModelInfo:
    path = folder / FILE
    if not path.exists():
        raise ModelError(
            f"{folder} is not a model folder: it has no {FILE}",
            hint="`innermost models` lists what is installed; `innermost train` writes folders",
        )
    try:
        text = read_file(path, MEGABYTE).decode("utf-8")
        if _NUMBER.sub("", text).count(".") > _MOST_DOTS:
            raise ValueError("its keys have too many dots")
        settings = _toml.loads(text)
        _check_values(settings)
    except (ValueError, RecursionError) as error:  # Endless digits, endless tables.
        raise damaged(path, error) from None
    if isinstance(version := settings.get("format"), int) and version > FORMAT:
        raise ModelError(
            f"{folder} is a model of format {version}; this version reads up to {FORMAT}",
            hint="upgrade innermost",
        )
    try:
        info = msgspec.convert(settings, ModelInfo)
        _check_types(info.types)
        _check_layers(info)
        _check_records(info)
    except (ValueError, msgspec.MsgspecError) as error:
        raise ModelError(f"{path}: {error}") from None
    return info


def _check_values(value: Any) -> None:
    """Refuse values that would break a terminal or a JSON reader."""
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_values(key)
            _check_values(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_values(inner)
    elif isinstance(value, str):
        if _CONTROL.search(value):
            raise ValueError(f"{value[:80]!r} has control characters")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"it has {value} in place of a number")


def _check_types(types: list[str]) -> None:
    if not types:
        raise ValueError("`types` is empty")
    seen: set[str] = set()
    for name in types:
        if not name or name != name.strip() or "\n" in name or "\t" in name:
            raise ValueError(f"`types` has {name[:80]!r}, which is not a name")
        if name in seen:
            raise ValueError(f"`types` has {name!r} twice")
        seen.add(name)


def _check_layers(info: ModelInfo) -> None:
    for layer in info.layers:
        if not any(name.startswith(f"{layer}{SEPARATOR}") for name in info.types):
            raise ValueError(f"`layers` has {layer[:80]!r}, but no type is in that layer")


def _check_records(info: ModelInfo) -> None:
    for name, kind in (("scores", dict[str, _Scores]), ("training", _Training)):
        try:
            msgspec.convert(getattr(info, name), kind)
        except msgspec.ValidationError as error:
            raise ValueError(f"`{name}`: {error}") from None


def exported(info: ModelInfo, changes: ExportInfo) -> ModelInfo:
    """The description of a smaller model, whose scores have not been measured yet."""
    scores = {split: {**counts, BEFORE_EXPORT: True} for split, counts in info.scores.items()}
    return msgspec.structs.replace(info, export=changes, scores=scores)


def scores_of(micro: Mapping[str, Any], types: Collection[str] = ()) -> dict[str, Any]:
    """The scores of a split as a model records them; ``types`` are what they cover, if not all."""
    return {**micro, TYPES: sorted(types)} if types else dict(micro)


def scope(scores: Mapping[str, Any]) -> str:
    """What the scores of a split cover, if not all types: ``DAY only``."""
    return f"{', '.join(scores[TYPES])} only" if scores.get(TYPES) else ""


def covered_types(info: ModelInfo) -> list[str] | None:
    """The types that the scores of a model cover; None: all."""
    splits = (name for name in ("test", "dev", "cross_validation") if name in info.scores)
    types: list[str] | None = info.scores.get(next(splits, ""), {}).get(TYPES)
    return types


def info_bytes(info: ModelInfo) -> bytes:
    settings = msgspec.to_builtins(info)
    return _toml.dumps({k: v for k, v in settings.items() if v is not None}).encode()


def write_info(folder: Path, info: ModelInfo) -> None:
    update_file(folder, FILE, info_bytes(info))
