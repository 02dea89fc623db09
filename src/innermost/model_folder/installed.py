"""The models that come with the package, and finding a model by its name or folder."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path

from innermost.errors import ModelError
from innermost.model_folder.info import FILE
from innermost.model_folder.manifest import FILE as MANIFEST
from innermost.model_folder.manifest import has_manifest

MODELS = Path(__file__).parent.parent / "models"
DEFAULT = "english"


def installed() -> dict[str, Path]:
    """Folders of the models that are there, by name."""
    return {path.parent.name: path.parent for path in sorted(MODELS.glob(f"*/{FILE}"))}


def locate(model: str | Path | None = None) -> Path:
    """The folder of a model: a folder, the folder of a training run, or an installed name."""
    if model is None:
        return _default()
    folder = Path(model)
    if os.path.isdir(folder):  # noqa: PTH112  false where pathlib raises: too long a name
        inside = folder / "model"
        is_run = not (folder / FILE).exists() and (inside / FILE).exists()
        return inside if is_run else folder
    found = installed()
    if str(model) in found:
        return _complete(found[str(model)])
    close = get_close_matches(str(model), found, n=1)
    known = f"installed: {', '.join(found)}" if found else "no model is installed"
    raise ModelError(
        f"no model and no folder {str(model)!r}",
        hint=f"did you mean {close[0]!r}?" if close else f"{known}; or give a model's folder",
    )


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
