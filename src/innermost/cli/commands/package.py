"""``innermost package``: a model as a wheel that others can install."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def package(
    model: Annotated[str, typer.Argument(help="The folder of a model, or of its training run.")],
    name: Annotated[str, typer.Option(help="The name to load it by, e.g. legal-de.")],
    version: Annotated[str, typer.Option(help="Its version, e.g. 1.0.")],
    out: Annotated[Path, typer.Option(help="The folder to write the wheel to.")] = Path(),
    license: Annotated[
        str | None,
        typer.Option(
            metavar="SPDX", help="Its license, e.g. CC-BY-4.0, if the model does not state one."
        ),
    ] = None,
    license_file: Annotated[
        Path | None, typer.Option(help="A file with the text of the license.")
    ] = None,
    weights: Annotated[
        bool, typer.Option("--weights", help="Include the weights that training continues from.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Build a wheel of a model: others install it with pip and load it by its name.

    The wheel holds data only, with the model's card and checksums. No code runs when it is
    installed or loaded. It requires the version of innermost that introduced the model's format,
    or any later one.

    Example: `innermost package runs/mine --name legal-de --version 1.0 --license CC-BY-4.0`
    """
    from innermost.cli.shared.output import note, print_json
    from innermost.errors import UsageError
    from innermost.export.wheel import Package, write_wheel
    from innermost.model_folder.info import read_info
    from innermost.model_folder.installed import locate
    from innermost.model_folder.origins import other_license
    from innermost.runtime.model import Model

    if license_file is not None and not license_file.is_file():
        raise UsageError(
            f"there is no file {license_file}",
            hint="name a text file with the license, or only its identifier with --license",
        )
    folder = locate(model)
    info = read_info(folder)
    described = Package(
        name=name,
        version=version,
        license=license,
        license_text=None if license_file is None else license_file.read_bytes(),
    )
    Model(folder, threads=1)  # what does not load is an error here, not on other machines
    older = out / described.wheel
    replaced = older.read_bytes() if older.is_file() else None
    path = write_wheel(folder, out, described, weights=weights)
    if replaced is not None and replaced != path.read_bytes():
        note(f"replaced {path}, which had other contents: give a changed model a new version")
    license = info.license or license
    if license is None and license_file is None:
        note("the wheel states no license, so nobody knows what they may do with it: --license")
    if (difference := other_license(info, license, "wheel")) is not None:
        note(f"warning: {difference}")
    size = path.stat().st_size
    if json:
        print_json({"wheel": str(path), "bytes": size, "distribution": described.distribution})
        return
    typer.echo(f"{path}  {size / 1e6:.1f} MB")
    note(f'install it with `pip install {path}`; innermost.load("{name}") opens it')
