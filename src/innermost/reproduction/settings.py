"""The exact configuration of an ``--out`` folder, written into it and enforced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from innermost import _toml
from innermost.corpus.reading import ReadingOptions
from innermost.errors import UsageError
from innermost.files.atomic import write_atomically
from innermost.parts.settings import each_path, is_path
from innermost.training.settings.config import Config, load_config, parse_seeds

FILE = "config.toml"
PAPERS_SEEDS = "training.seeds=[1, 2, 3, 4, 5]"

_MAY_DIFFER = {"data.train", "data.dev", "data.test"}
_MAY_DIFFER |= {"training.seeds", "training.device", "training.threads"}
_MAY_DIFFER |= {"model.name", "model.version", "model.license"}
"""Settings that do not change results, or are checked otherwise: data by its fingerprints."""


def effective_config(
    recipe: Path | None,
    overrides: list[str],
    *,
    vectors: Path | None,
    seeds: str | None,
    reading: ReadingOptions | None = None,
) -> Config:
    """The recipe, or the paper's settings without one, with the command line applied."""
    base = [] if recipe is not None else [PAPERS_SEEDS]
    values: dict[str, dict[str, Any]] = {"data": reading.as_settings() if reading else {}}
    if vectors is not None:
        values["encoder"] = {"vectors": str(vectors)}
    if seeds is not None:
        values["training"] = {"seeds": parse_seeds(seeds)}
    return load_config(recipe, [*base, *overrides], values=values)


def flat(config: Config) -> dict[str, Any]:
    """All settings by their full names: ``encoder.hidden`` and so on."""
    return _flat(config.to_dict(), "")


def without_folders(name: str, value: Any) -> Any:
    """The value of a setting; files and folders that the encoder is built from by their names."""
    names_path = name.startswith("encoder.") and is_path(name.rpartition(".")[2])
    return each_path(value, lambda path: Path(path).name) if names_path else value


def record(config: Config, out: Path) -> None:
    """Write the configuration into ``out``; refuse if its runs used another one."""
    path = out / FILE
    if path.exists():
        differences = _differences(_comparable(load_config(path)), _comparable(config))
        if differences:
            raise UsageError(
                f"{out} contains runs with other settings: {'; '.join(differences)}",
                hint="use the same settings to resume them, or choose another --out",
            )
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(path, _toml.dumps(_for_toml(config.to_dict())).encode())


def _flat(settings: dict[str, Any], prefix: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            values |= _flat(value, f"{prefix}{key}.")
        else:
            values[f"{prefix}{key}"] = value
    return values


def _comparable(config: Config) -> dict[str, Any]:
    return {
        name: without_folders(name, value)
        for name, value in flat(config).items()
        if name not in _MAY_DIFFER
    }


def _differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    return [
        f"{key} was {before.get(key)}, now {now.get(key)}"
        for key in sorted(before | now)
        if before.get(key) != now.get(key)
    ]


def _for_toml(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings without None, which TOML lacks, and with absolute paths."""
    result: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            result[key] = _for_toml(value)
        elif value is not None:
            result[key] = each_path(value, _absolute) if is_path(key) else value
    return result


def _absolute(path: str) -> str:
    """The absolute path, unless it is the name of a model rather than a folder."""
    return str(Path(path).resolve()) if Path(path).exists() else path
