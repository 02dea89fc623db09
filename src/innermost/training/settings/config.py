"""The configuration of a training run: typed, from TOML, with ``--set`` on top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from innermost import _toml
from innermost.corpus.reading import ReadingOptions
from innermost.errors import ConfigError
from innermost.parts.settings import (
    EncoderConfig,
    Natural,
    NonNegative,
    Positive,
    Rate,
    read_encoder,
    resolve_paths,
)
from innermost.training.settings.errors import explained

Settings = dict[str, Any]
"""Tables of settings as in a file: only explicit ones."""
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
HeldOut = Annotated[float, msgspec.Meta(gt=0, lt=1)]
Fraction = Annotated[float, msgspec.Meta(ge=0, le=1)]


class DataFile(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A corpus file, and the types that it annotates."""

    path: str
    annotates: tuple[str, ...] | None = None
    """The annotated types; the others are unknown there, not absent. None: all are annotated."""


Files = str | DataFile | tuple[str | DataFile, ...]


class DataConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Files; ``--train`` and the like on the command line take precedence."""

    train: Files = ()
    dev: Files | HeldOut = ()
    """Files, or the share of the training data to hold out."""
    test: Files = ()
    tokenizer: str = "unicode"
    """Splits raw text into words, in the data and at prediction; recorded in the model."""
    format: str | None = None
    """The format of the files (default: detected)."""
    inside_token: Literal["split", "widen", "error"] = "split"
    """What to do with a span of raw text that begins or ends inside a token."""
    settings: dict[str, str] = {}
    """Settings of the format, for reading."""
    skip_bad: bool = False
    """Skip the records that cannot be read, and report them."""
    rename: dict[str, str] = {}
    """New names of the types in the files; an empty one leaves the type out."""

    @property
    def reading(self) -> ReadingOptions:
        """How the files are read."""
        return ReadingOptions(
            self.format,
            self.tokenizer,
            self.inside_token,
            self.settings,
            self.skip_bad,
            rename=self.rename,
        )


def data_files(files: Files) -> tuple[DataFile, ...]:
    """The files of a setting, in normalized form."""
    listed = files if isinstance(files, tuple) else (files,)
    return tuple(DataFile(path=f) if isinstance(f, str) else f for f in listed)


class StartConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A model to start from; ``--start-from`` on the command line takes precedence."""

    model: str | None = None
    """An installed model, or a folder."""
    keep_types: bool = False
    """Keep its types, and add those of the training data."""
    freeze: bool | None = None
    """Train only the heads of the types (default: with ``keep_types``)."""

    encoder_rate: Share = 1.0
    """The learning rate of the encoder, relative to that of the heads."""

    @property
    def frozen(self) -> bool:
        return self.keep_types if self.freeze is None else self.freeze


class TeachersConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Models whose probabilities are learned; ``--teacher`` takes precedence."""

    models: str | tuple[str, ...] = ()
    """Installed models, or folders."""
    trust: Share = 0.5
    """The share of their probabilities in the targets; the rest is the annotation of the data."""

    @property
    def names(self) -> tuple[str, ...]:
        """The models, as a tuple even if there is only one."""
        return (self.models,) if isinstance(self.models, str) else self.models


class ObjectiveConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    inner: bool = True
    """Learn the second-best path inside every multi-token entity (the paper's L)."""
    max_depth: Positive | None = None
    """The number of levels to decode for the development score; 1 is the ordinary CRF."""


class TrainingConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """The defaults are the paper's, as far as it states them."""

    optimizer: Literal["adabound", "adamw"] = "adabound"
    learning_rate: NonNegative = 1e-3
    final_learning_rate: NonNegative = 0.1
    """AdaBound: the final SGD learning rate it converges to."""
    weight_decay: NonNegative = 0.0
    schedule: Literal["constant", "linear"] = "constant"
    warmup: Fraction = 0.0
    """The share of all steps over which the rate rises from 0."""
    epochs: Positive = 100
    evaluate_every: Positive = 1
    """Epochs between two evaluations on the development data; the last epoch always has one."""
    patience: Positive = 20
    """Stop after this many evaluations without a better F1, once F1 is above 0."""
    batch_tokens: Positive = 850
    """Tokens in a batch, padding included: about 32 sentences of GENIA."""
    clip: NonNegative = 5.0
    average: Rate = 0.0
    """Decay of the moving average of the weights that is evaluated and saved; 0: none."""
    average_span: Share = 1.0
    """The average covers at most this share of the steps so far."""
    precision: Literal["float32", "bfloat16"] = "float32"
    device: str = "auto"
    threads: Natural = 0
    """CPU threads; 0: torch's default, or 1 if other programs are busy."""
    seeds: Annotated[tuple[Natural, ...], msgspec.Meta(min_length=1)] = (1,)


Preset = Literal["auto", "paper"]


class ModelConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Metadata of the model; has no effect on training."""

    name: str = ""
    """The name (default: that of the run's folder)."""
    version: str = ""
    license: str = ""
    languages: list[str] = []
    """Codes of the languages of the data, such as ``de``."""
    layers: list[str] = []
    """Layers of annotation: ``mentions``, if the data has types such as ``mentions/person``."""


class Config(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    preset: Preset = "paper"
    """The source of settings that are not given: the defaults, or the amount of data."""
    data: DataConfig = DataConfig()
    start: StartConfig = StartConfig()
    teachers: TeachersConfig = TeachersConfig()
    encoder: EncoderConfig = msgspec.field(default_factory=lambda: read_encoder({}))
    objective: ObjectiveConfig = ObjectiveConfig()
    training: TrainingConfig = TrainingConfig()
    model: ModelConfig = ModelConfig()

    def to_dict(self) -> dict[str, Any]:
        """The settings in the form of a file."""
        settings: dict[str, Any] = msgspec.to_builtins(self)
        return settings | {"encoder": self.encoder.to_dict()}

    def named(self, name: str) -> Config:
        """The same with a name for the model, if it has none."""
        model = msgspec.structs.replace(self.model, name=self.model.name or name)
        return msgspec.structs.replace(self, model=model)


def load_config(
    path: str | Path | None,
    overrides: Iterable[str] = (),
    *,
    values: Mapping[str, Any] | None = None,
) -> Config:
    """The validated configuration from :func:`load_settings`."""
    settings = load_settings(path, overrides, values=values)
    return build_config(settings, where=None if path is None else str(path))


def load_settings(
    path: str | Path | None,
    overrides: Iterable[str] = (),
    *,
    values: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings of the file, ``section.key=value`` overrides, and ``values``, in this order.

    Paths in a file are relative to it.
    """
    settings: Settings = {}
    if path is not None:
        try:
            settings = _toml.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
        except (_toml.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: not valid TOML: {error}") from None
        _resolve_paths(settings, Path(path).parent)
    for override in overrides:
        _apply(settings, override)
    return merged(settings, values or {})


def merged(settings: Mapping[str, Any], more: Mapping[str, Any]) -> Settings:
    """Merge both table by table; ``more`` takes precedence."""
    result = dict(settings)
    for name, value in more.items():
        before = result.get(name)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            value = merged(before, value)
        result[name] = value
    return result


def parse_seeds(text: str) -> list[int]:
    """``1,2,3`` as numbers."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError(f"--seeds {text}: expected numbers, e.g. 1,2,3") from None


def build_config(settings: Settings, where: str | None = None) -> Config:
    try:
        if isinstance(encoder := settings.get("encoder"), dict):
            settings = settings | {"encoder": read_encoder(encoder)}
        return msgspec.convert(settings, Config)
    except msgspec.ValidationError as error:
        message, hint = explained(error, settings, Config)
        listed = "innermost train --show-config lists every setting"
        raise ConfigError(
            f"{where}: {message}" if where else message,
            hint=f"{hint}; {listed}" if hint else listed,
        ) from None


def _apply(settings: dict[str, Any], override: str) -> None:
    key, equals, value = override.partition("=")
    *sections, name = key.strip().split(".")
    if not equals or not 1 <= len(sections) <= 2 or not all((*sections, name)):
        raise ConfigError(
            f"--set {override}: expected section.key=value",
            hint="e.g. --set training.epochs=20 --set encoder.dropout=0.5",
        )
    table: Any = settings
    for section in sections:
        table = table.setdefault(section, {})
        if not isinstance(table, dict):
            raise ConfigError(f"--set {override}: `{section}` is not a section")
    parsed = _parse_value(value.strip())
    # A version is written 1.0 and means "1.0".
    is_text = sections == ["model"] and not isinstance(parsed, str | list)
    table[name] = value.strip() if is_text else parsed


def _parse_value(text: str) -> Any:
    """A TOML value, or else the text itself, so that paths need no quotes."""
    try:
        return _toml.loads(f"value = {text}")["value"]
    except _toml.TOMLDecodeError:
        return text


def _resolve_paths(settings: dict[str, Any], folder: Path) -> None:
    for name in ("train", "dev", "test"):
        _resolve(settings.get("data"), name, folder)
    if isinstance(encoder := settings.get("encoder"), dict):
        resolve_paths(encoder, folder)
    for section, name in (("teachers", "models"), ("start", "model")):
        table = settings.get(section)
        if isinstance(table, dict) and name in table:
            table[name] = _resolve_models(table[name], folder)


def _resolve_models(models: Any, folder: Path) -> Any:
    """Folders relative to the file; what is no folder is the name of a model."""
    if isinstance(models, list):
        return [_resolve_models(model, folder) for model in models]
    is_folder = isinstance(models, str) and (folder / models).is_dir()
    return str(folder / models) if is_folder else models


def _resolve(table: Any, name: str, folder: Path) -> None:
    if not isinstance(table, dict):
        return
    if isinstance(files := table.get(name), list):
        for file in files:
            _resolve(file, "path", folder)
        table[name] = [str(folder / file) if isinstance(file, str) else file for file in files]
    elif isinstance(table.get(name), dict):
        _resolve(table[name], "path", folder)
    elif isinstance(table.get(name), str):
        table[name] = str(folder / table[name])
