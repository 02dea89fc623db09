"""``innermost models``: what is installed, or what a model folder is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def models(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="MODEL...", help="Folders or names; all installed by default."),
    ] = None,
    card: Annotated[bool, typer.Option("--card", help="Print the model card.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show models: name, version, license, types, scores, size and card.

    Example: `innermost models runs/mine`
    """
    from innermost.cli.shared.output import note, print_json
    from innermost.model_folder.installed import installed, locate

    folders = {name: locate(name) for name in names} if names else installed()
    listed = [_described(folder) for folder in folders.values()]
    if not names:  # What `--model` takes.
        listed = [model | {"name": name} for model, name in zip(listed, folders, strict=True)]
    if card:
        for folder in folders.values():
            _print_card(folder)
    elif json:
        print_json({"models": listed})
    elif listed:
        for model in listed:
            _show(model, in_full=bool(names))
    else:
        note("no model is installed; `innermost train` makes one")


def _described(folder: Path) -> dict[str, Any]:
    from innermost.model_folder.contents import CARD
    from innermost.model_folder.info import read_info
    from innermost.model_folder.installed import model_name
    from innermost.model_folder.layers import layers

    info = read_info(folder)
    card = folder / CARD
    return {
        "name": model_name(folder, info),
        "version": info.version,
        "license": info.license,
        "date": info.date,
        "innermost": info.innermost,
        "folder": str(folder),
        "types": info.types,
        "layers": layers(info.types),
        "tokenizer": info.tokenizer,
        "training": info.training,
        "scores": info.scores,
        "bytes": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
        "card": str(card) if card.exists() else None,
        "summary": _summary(card.read_text(encoding="utf-8")) if card.exists() else "",
    }


def _summary(card: str) -> str:
    """The first paragraph under the title, on one line."""
    blocks = (block.strip() for block in card.split("\n\n"))
    return next((" ".join(b.split()) for b in blocks if b and not b.startswith(("#", "---"))), "")


def _print_card(folder: Path) -> None:
    from innermost.errors import ModelError
    from innermost.model_folder.contents import CARD

    if not (folder / CARD).exists():
        raise ModelError(f"{folder} has no card", hint="`innermost card` writes one")
    typer.echo((folder / CARD).read_text(encoding="utf-8").rstrip("\n"))


def _show(model: dict[str, Any], *, in_full: bool) -> None:
    from rich.markup import escape

    from innermost.cli.shared.output import stdout_console
    from innermost.model_folder.installed import DEFAULT, installed

    console = stdout_console()
    is_default = Path(model["folder"]) == installed().get(DEFAULT)
    version = f" {model['version']}" if model["version"] else ""
    console.print(
        f"[bold]{escape(model['name'])}[/]{escape(version)}{' (default)' if is_default else ''}  "
        f"{model['bytes'] / 1e6:.1f} MB"
    )
    if model["summary"]:
        console.print(model["summary"], markup=False)
    f1 = {split: s["f1"] for split, s in model["scores"].items() if "f1" in s}
    rows = {
        "types": ", ".join(model["types"]),
        "scores": ", ".join(f"{split} F1 {100 * value:.2f}" for split, value in f1.items()),
        "license": model["license"],
        "card": model["card"],
    }
    if in_full:
        rows |= {
            "layers": ", ".join(model["layers"]),
            "tokenizer": model["tokenizer"],
            "trained": f"{model['date']} with innermost {model['innermost']}"
            if model["date"]
            else "",
            "data": ", ".join(
                f"{k} {v}" for k, v in model["training"].get("fingerprints", {}).items()
            ),
            "folder": model["folder"],
        }
    for name, value in rows.items():
        if value:
            console.print(f"{name}: {value}", markup=False, soft_wrap=True)
    console.print()
