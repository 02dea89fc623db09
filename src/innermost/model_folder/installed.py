"""The models that come with the package, and finding a model by its name or folder."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path

from innermost.errors import ModelError
from innermost.model_folder.info import FILE, ModelInfo
from innermost.model_folder.manifest import FILE as MANIFEST
from innermost.model_folder.manifest import has_manifest

MODELS = Path(__file__).parent.parent / "models"
DEFAULT = "english"


def installed() -> dict[str, Path]:
    """Folders of the models that are there, by name."""
    return {path.parent.name: path.parent for path in sorted(MODELS.glob(f"*/{FILE}"))}


def model_name(folder: Path, info: ModelInfo) -> str:
    """What a model calls itself, or else the name of its folder, or of its run."""
    folder = folder.resolve()
    return info.name or (folder.parent.name if folder.name == "model" else folder.name)


def locate(model: str | Path | None = None) -> Path:
    """The folder of a model: a folder, the folder of a training run, or an installed name."""
    if model is None:
        return _default()
    folder = Path(model)
    if os.path.isdir(folder):  # noqa: PTH112  false where pathlib raises: too long a name
        inside = folder / "model"
        if (folder / FILE).exists():
            return folder
        if (inside / FILE).exists():
            return inside
        if several := _models_below(folder):
            raise ModelError(
                f"{folder} holds {len(several)} models: {', '.join(map(str, several[:8]))}"
                + (", ..." if len(several) > 8 else ""),
                hint="choose one of them",
            )
        return folder
    found = installed()
    if str(model) in found:
        return _complete(found[str(model)])
    close = get_close_matches(str(model), found, n=1)
    known = f"installed: {', '.join(found)}" if found else "no model is installed"
    raise ModelError(
        f"no model and no folder {str(model)!r}",
        hint=f"did you mean {close[0]!r}?" if close else f"{known}; or give a model's folder",
    )


def _models_below(folder: Path) -> list[Path]:
    """The folders of runs, and of other models, within a folder of several."""
    files = [file for depth in ("*", "*/*", "*/*/*") for file in folder.glob(f"{depth}/{FILE}")]
    parents = {f.parent.parent if f.parent.name == "model" else f.parent for f in files}
    return sorted(parents)


def _default() -> Path:
    found = installed()
    if not found:
        raise ModelError(
            "no model is installed",
            hint="give the folder of one, or make one: `innermost train --help`",
        )
    return _complete(found.get(DEFAULT) or next(iter(found.values())))


def _complete(folder: Path) -> Path:
    if not has_manifest(folder):
        raise ModelError(
            f"{folder} is not complete: it has no {MANIFEST}", hint="install innermost again"
        )
    return folder
