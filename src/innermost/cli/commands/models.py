"""``innermost models``: installed models, and descriptions of model folders."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from innermost.model_folder.installed import InstalledModel


def models(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="MODEL...", help="Folders or names (default: all installed)."),
    ] = None,
    card: Annotated[bool, typer.Option("--card", help="Print the model card.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Compare all files with their checksums.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show models: name, version, license, types, scores, size and card.

    Without names, these are the models that come with innermost, and those of packages that were
    built with `innermost package`. The exit code is 1 if one of them cannot be used.

    Example: `innermost models --check`
    """
    from innermost.cli.shared.output import note, print_json
    from innermost.model_folder.installed import InstalledModel, installed_models, locate

    if names:
        chosen = [InstalledModel(name, locate(name), "") for name in names]
    else:
        chosen = installed_models()
    if card:
        for model in chosen:
            _print_card(model.folder)
        return
    listed = [_described(model, check=check) for model in chosen]
    if not names:
        listed = _named_as_loaded(listed, chosen)
    if json:
        print_json({"models": listed})
    elif listed:
        for described in listed:
            _show(described, in_full=bool(names), check=check)
    else:
        note("no model is installed; `innermost train` creates one")
    if any(described["problem"] for described in listed):
        raise typer.Exit(1)


def _named_as_loaded(
    listed: list[dict[str, Any]], models: list[InstalledModel]
) -> list[dict[str, Any]]:
    """With the names that `--model` takes, which several of them may share."""
    counts = Counter(model.name for model in models)
    named = []
    for described, model in zip(listed, models, strict=True):
        shared = f"several packages have a model {model.name!r}: uninstall all but one"
        problem = described["problem"] or (shared if counts[model.name] > 1 else None)
        named.append(described | {"name": model.name, "problem": problem})
    return named


def _described(model: InstalledModel, *, check: bool) -> dict[str, Any]:
    from innermost.errors import InnermostError
    from innermost.model_folder.card import read_card, summary
    from innermost.model_folder.contents import CARD
    from innermost.model_folder.info import read_info
    from innermost.model_folder.installed import model_name
    from innermost.model_folder.manifest import check_complete, has_manifest, verify

    folder = model.folder
    place = {"name": model.name, "folder": str(folder), "package": model.package}
    try:
        info = read_info(folder)
        if check:
            verify(folder)
        elif model.package or has_manifest(folder):
            check_complete(folder)
    except InnermostError as error:
        return place | {"problem": error.message}
    card = folder / CARD
    return place | {
        "problem": None,
        "name": model_name(folder, info),
        "version": info.version,
        "license": info.license,
        "date": info.date,
        "innermost": info.innermost,
        "types": info.types,
        "layers": info.layers,
        "languages": info.languages,
        "tokenizer": info.tokenizer,
        "training": info.training,
        "scores": info.scores,
        "export": None if info.export is None else str(info.export),
        "bytes": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
        "card": str(card) if card.exists() else None,
        "summary": summary(read_card(folder)),
    }


def _print_card(folder: Path) -> None:
    from innermost.errors import ModelError
    from innermost.model_folder.contents import CARD

    if not (folder / CARD).exists():
        raise ModelError(f"{folder} has no card", hint="`innermost card` writes one")
    typer.echo((folder / CARD).read_text(encoding="utf-8").rstrip("\n"))


def _show(model: dict[str, Any], *, in_full: bool, check: bool) -> None:
    from rich.markup import escape

    from innermost.cli.shared.output import stdout_console
    from innermost.model_folder.installed import DEFAULT, MODELS, OURS

    console = stdout_console()
    if model["problem"]:
        console.print(
            f"[bold]{escape(model['name'])}[/]  [bold red]problem:[/] {escape(model['problem'])}\n"
            f"{'package' if model['package'] else 'folder'}: "
            f"{escape(model['package'] or model['folder'])}\n",
            soft_wrap=True,
        )
        return
    is_default = Path(model["folder"]) == MODELS / DEFAULT
    version = f" {model['version']}" if model["version"] else ""
    console.print(
        f"[bold]{escape(model['name'])}[/]{escape(version)}{' (default)' if is_default else ''}  "
        f"{model['bytes'] / 1e6:.1f} MB"
    )
    if model["summary"]:
        console.print(model["summary"], markup=False)
    rows = {
        **_types(model),
        "languages": ", ".join(model["languages"]),
        "scores": _scores(model["scores"]),
        "exported with": model["export"],
        "license": model["license"],
        "checksums": "match all files" if check else "",
        "package": "" if model["package"] == OURS else model["package"],
        "card": model["card"],
    }
    if in_full:
        rows |= {
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


def _scores(scores: dict[str, Any]) -> str:
    from innermost.model_folder.info import BEFORE_EXPORT, scope

    shown = []
    for split, counts in scores.items():
        if "f1" in counts:
            about = [scope(counts), "before export" if counts.get(BEFORE_EXPORT) else ""]
            noted = ", ".join(part for part in about if part)
            shown.append(f"{split} F1 {100 * counts['f1']:.2f}" + (f" ({noted})" if noted else ""))
    return ", ".join(shown)


def _types(model: dict[str, Any]) -> dict[str, str]:
    """The types of the default layer, and of each other one."""
    from innermost.model_folder.info import read_info
    from innermost.model_folder.layers import select_types

    info = read_info(Path(model["folder"]))
    layers = {"types": None, **{f"--layer {name}": name for name in info.layers}}
    return {
        title: ", ".join(select_types(info, layer=layer).values())
        for title, layer in layers.items()
    }
