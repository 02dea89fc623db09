"""``innermost models``: what is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer


def models(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the models that come with the package, with their types, scores and cards.

    Example: `innermost models`
    """
    import msgspec

    from innermost.model_folder.installed import installed

    found = [_described(name, folder) for name, folder in installed().items()]
    if json:
        sys.stdout.write(msgspec.json.encode({"models": found}).decode() + "\n")
    elif found:
        _show(found)
    else:
        typer.echo("no model is installed; `innermost train` makes one", err=True)


def _described(name: str, folder: Path) -> dict[str, Any]:
    from innermost.model_folder.contents import CARD
    from innermost.model_folder.info import read_info

    info = read_info(folder)
    card = folder / CARD
    return {
        "name": name,
        "folder": str(folder),
        "types": info.types,
        "tokenizer": info.tokenizer,
        "scores": info.scores,
        "bytes": sum(path.stat().st_size for path in folder.iterdir()),
        "summary": _summary(card.read_text(encoding="utf-8")) if card.exists() else "",
    }


def _summary(card: str) -> str:
    """The first paragraph under the title, on one line."""
    blocks = (block.strip() for block in card.split("\n\n"))
    return next((" ".join(b.split()) for b in blocks if b and not b.startswith(("#", "---"))), "")


def _show(found: list[dict[str, Any]]) -> None:
    from rich.console import Console

    from innermost.model_folder.installed import DEFAULT

    console = Console(highlight=False)
    for model in found:
        default = " (default)" if model["name"] == DEFAULT else ""
        size = model["bytes"] / 1e6
        console.print(f"[bold]{model['name']}[/]{default}  {size:.1f} MB")
        if model["summary"]:
            console.print(model["summary"], markup=False)
        f1 = {split: s["f1"] for split, s in model["scores"].items() if "f1" in s}
        shown = "".join(f", {split} F1 {100 * value:.2f}" for split, value in f1.items())
        console.print(f"types: {', '.join(model['types'])}{shown}", markup=False)
        console.print(f"card: {model['folder']}/README.md\n", style="dim", soft_wrap=True)
