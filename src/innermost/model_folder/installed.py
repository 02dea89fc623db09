"""The installed models, and finding a model by name or folder.

Some are shipped with this package. Others are separate packages, wheels built by ``innermost
package``: an entry point in the group ``innermost.models`` names the model, and its value is the
folder of the package that contains it. Such a package is never imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from innermost.errors import ModelError
from innermost.model_folder.info import FILE, ModelInfo
from innermost.model_folder.manifest import FILE as MANIFEST
from innermost.model_folder.manifest import has_manifest

MODELS = Path(__file__).parent.parent / "models"
DEFAULT = "english"
GROUP = "innermost.models"
"""The entry points of packages with models."""
OURS = "innermost"


class InstalledModel(NamedTuple):
    name: str
    folder: Path
    package: str
    """What it was installed with: ``innermost``, or ``innermost-model-legal-de 1.0``."""


def installed_models() -> list[InstalledModel]:
    """Every model that is there; two of different packages may have the same name."""
    return [*_shipped().values(), *sorted(_packaged())]


def installed() -> dict[str, Path]:
    """The folders of the installed models, by name; of several with one name, the first."""
    folders: dict[str, Path] = {}
    for model in installed_models():
        folders.setdefault(model.name, model.folder)
    return folders


def model_name(folder: Path, info: ModelInfo) -> str:
    """What a model calls itself, or else the name of its folder, its run or its repository."""
    return info.name or folder_name(folder.resolve())


def folder_name(folder: Path) -> str:
    """The name of a folder, of the run whose ``model`` it is, or of its repository on the Hub."""
    if folder.name == "model":
        return folder.parent.name
    # The Hub's cache: models--ORG--NAME/snapshots/COMMIT
    cached = folder.parent.parent.name
    if folder.parent.name == "snapshots" and cached.startswith("models--"):
        return cached.rpartition("--")[2]
    return folder.name


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
                f"{folder} contains {len(several)} models: {', '.join(map(str, several[:8]))}"
                + (", ..." if len(several) > 8 else ""),
                hint="choose one of them",
            )
        # Such as a folder of data that is called like a model.
        return _named(str(model)) or folder
    if named := _named(str(model)):
        return named
    names = installed()
    close = get_close_matches(str(model), names, n=1)
    known = f"installed: {', '.join(names)}" if names else "no model is installed"
    raise ModelError(
        f"no model and no folder {str(model)!r}",
        hint=f"did you mean {close[0]!r}?" if close else f"{known}; or give a model's folder",
    )


def _named(name: str) -> Path | None:
    """The folder of the installed model with this name, if there is one."""
    if shipped := _shipped().get(name):
        return _complete(shipped)
    packaged = list(_packaged(name))
    return _complete(_only(packaged)) if packaged else None


def _models_below(folder: Path) -> list[Path]:
    """The folders of runs, and of other models, within a folder of several."""
    files = [file for depth in ("*", "*/*", "*/*/*") for file in folder.glob(f"{depth}/{FILE}")]
    parents = {f.parent.parent if f.parent.name == "model" else f.parent for f in files}
    return sorted(parents)


def _shipped() -> dict[str, InstalledModel]:
    folders = [path.parent for path in sorted(MODELS.glob(f"*/{FILE}"))]
    return {folder.name: InstalledModel(folder.name, folder, OURS) for folder in folders}


def _packaged(name: str | None = None) -> Iterator[InstalledModel]:
    """The models of other packages; only those with this name, if one is given."""
    # Takes longer to import than a shipped model takes to answer.
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        if point.dist is not None and name in (None, point.name):
            module = point.value.partition(":")[0].strip()
            folder = Path(str(point.dist.locate_file(module.replace(".", "/")))) / point.name
            package = f"{point.dist.metadata['Name']} {point.dist.version}"
            yield InstalledModel(point.name, folder, package)


def _only(models: list[InstalledModel]) -> InstalledModel:
    if len(models) > 1:
        packages = " and ".join(model.package for model in models)
        raise ModelError(
            f"several packages have a model {models[0].name!r}: {packages}",
            hint="uninstall all but one of them",
        )
    return models[0]


def _default() -> Path:
    models = _shipped() or {model.name: model for model in installed_models()}
    if not models:
        raise ModelError(
            "no model is installed",
            hint="give the folder of one, or make one: `innermost train --help`",
        )
    return _complete(models.get(DEFAULT) or next(iter(models.values())))


def _complete(model: InstalledModel) -> Path:
    if not has_manifest(model.folder):
        raise ModelError(
            f"{model.folder} is not complete: it has no {MANIFEST}",
            hint=f"install {model.package} again",
        )
    return model.folder
