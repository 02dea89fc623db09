"""The settings of an encoder: a BiLSTM over the vectors of one or more parts.

In a configuration and in ``model.toml`` they are under ``[encoder]``, with a table per part:

    [encoder]                               [encoder]
    hidden = 256                            kind = "wordchar"
                                            hidden = 256
    [encoder.wordchar]                      vectors = "vectors.npz"
    vectors = "vectors.npz"

The short form on the right is for a single part, which ``kind`` names. The long form needs no kind;
earlier versions require ``kind = "stack"``. With neither a kind nor a table, it is ``wordchar``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import msgspec

from innermost.errors import ModelError
from innermost.model_folder.info import FILE, ModelInfo
from innermost.model_folder.installed import installed
from innermost.parts.registry import PARTS, settings_type

Rate = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Natural = Annotated[int, msgspec.Meta(ge=0)]
NonNegative = Annotated[float, msgspec.Meta(ge=0)]
S = TypeVar("S", bound=msgspec.Struct)
PathKind = Literal["file", "file or model", "folder", "folder or name"]

STACK = "stack"
DEFAULT_PART = "wordchar"


class PartSettings(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """The settings of one part; their names differ from those of the BiLSTM."""

    paths: ClassVar[Mapping[str, PathKind]] = {}
    """Settings that are a path or a list of paths. A model records the name of a folder, but not
    of a file: the part stores what it needs from the file."""

    def without_paths(self) -> dict[str, Any]:
        """The settings as a model records them: without file paths."""
        settings: dict[str, Any] = msgspec.to_builtins(self)
        for name, kind in self.paths.items():
            if kind in ("file", "file or model"):
                del settings[name]
            elif kind == "folder" or Path(settings[name]).is_dir():
                settings[name] = each_path(settings[name], _last_name)
        return settings


class BiLSTMSettings(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    hidden: Positive = 256
    layers: Natural = 2
    """0: no BiLSTM."""
    dropout: Rate = 0.2
    recurrent_dropout: Rate = 0.2


class EncoderConfig(BiLSTMSettings, kw_only=True, frozen=True):
    """A BiLSTM, and the settings of its parts by name, in the order of the registry."""

    parts: dict[str, PartSettings]

    def to_dict(self) -> dict[str, Any]:
        """The input of :func:`read_encoder`. A single part is in the short form, which earlier
        versions can read too."""
        return self._joined({name: msgspec.to_builtins(part) for name, part in self.parts.items()})

    def without_paths(self) -> dict[str, Any]:
        """The same as a model records it."""
        return self._joined({name: part.without_paths() for name, part in self.parts.items()})

    def _joined(self, tables: dict[str, dict[str, Any]]) -> dict[str, Any]:
        bilstm = {name: getattr(self, name) for name in BiLSTMSettings.__struct_fields__}
        if len(tables) > 1:
            return {"kind": STACK, **tables, **bilstm}
        ((name, table),) = tables.items()
        return {"kind": name, **table, **bilstm}


def read_encoder(settings: Mapping[str, Any]) -> EncoderConfig:
    """The configuration in a table ``[encoder]``; raises ``msgspec.ValidationError``."""
    bilstm = {n: v for n, v in settings.items() if n in BiLSTMSettings.__struct_fields__}
    rest = {n: v for n, v in settings.items() if n not in bilstm}
    kind = rest.pop("kind", STACK if rest.keys() & PARTS.keys() else DEFAULT_PART)
    if kind not in (*PARTS, STACK):
        known = ", ".join((*PARTS, STACK))
        raise msgspec.ValidationError(f"Invalid value {kind!r} - at `$.encoder.kind` (of {known})")
    if kind == STACK:
        parts = {
            name: _convert(rest.pop(name), settings_type(name), f"$.encoder.{name}")
            for name in PARTS
            if name in rest
        }
        if not parts:
            example = f"[encoder.{DEFAULT_PART}]"
            raise msgspec.ValidationError(f"a stack needs at least one part, such as {example}")
    else:
        # A recipe in the short form may be changed by `--set encoder.wordchar.min_count=3`.
        if isinstance(rest.get(kind), Mapping):
            rest |= rest.pop(kind)
        parts = {kind: _convert(rest, settings_type(kind), "$.encoder")}
        rest = {}
    checked = _convert(bilstm | rest, BiLSTMSettings, "$.encoder")
    return EncoderConfig(parts=parts, **msgspec.structs.asdict(checked))


def model_encoder(folder: Path, info: ModelInfo) -> EncoderConfig:
    """The encoder of a model folder."""
    try:
        return read_encoder(info.encoder)
    except msgspec.ValidationError as error:
        raise ModelError(
            f"{folder / FILE}: this version does not support the encoder: {error}",
            hint="upgrade innermost",
        ) from None


def resolve_paths(settings: dict[str, Any], folder: Path) -> None:
    """Resolve the paths in a table ``[encoder]`` of a configuration file, which are relative to its
    folder."""
    every = {name: kind for part in PARTS for name, kind in settings_type(part).paths.items()}
    _resolve(settings, every, folder)
    for part in PARTS:
        if isinstance(table := settings.get(part), dict):
            _resolve(table, settings_type(part).paths, folder)


def is_path(name: str) -> bool:
    """Whether a setting with this name is a path in some part."""
    return any(name in settings_type(part).paths for part in PARTS)


def each_path(value: Any, change: Callable[[str], str]) -> Any:
    """Apply ``change`` to a path or to each path of a list; return anything else unchanged."""
    if isinstance(value, list | tuple):
        return [each_path(path, change) for path in value]
    return change(value) if isinstance(value, str) else value


def _resolve(table: dict[str, Any], paths: Mapping[str, PathKind], folder: Path) -> None:
    def resolved(path: str) -> str:
        return str(folder / path)

    def resolved_folder(path: str) -> str:
        return resolved(path) if (folder / path).is_dir() else path

    def resolved_file(path: str) -> str:
        return path if path in installed() and not (folder / path).exists() else resolved(path)

    changes = {"folder or name": resolved_folder, "file or model": resolved_file}
    for name in paths.keys() & table.keys():
        change = changes.get(paths[name], resolved)
        table[name] = each_path(table[name], change)


def _last_name(path: str) -> str:
    return Path(path).resolve().name


def _convert(settings: Any, to: type[S], where: str) -> S:
    try:
        return msgspec.convert(settings, to)
    except msgspec.ValidationError as error:
        message = str(error)
        placed = message.replace("- at `$", f"- at `{where}")
        raise msgspec.ValidationError(
            placed if placed != message else f"{message} - at `{where}`"
        ) from None
