"""``innermost doctor``: whether this installation is sound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from innermost.evaluation.diagnosis import Diagnosis, ModelHealth


def doctor(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Check this installation: versions, CPU, extras, and the models with their known answers.

    The files of every installed model are compared with their checksums. Those that come with
    innermost must give known answers. The exit code is 1 if something is wrong.

    Example: `innermost doctor`
    """
    from innermost.cli.shared.output import print_json
    from innermost.evaluation.diagnosis import diagnose

    diagnosis = diagnose()
    if json:
        print_json(diagnosis.to_dict())
    else:
        _show(diagnosis)
    if diagnosis.problems:
        raise typer.Exit(1)


def _show(diagnosis: Diagnosis) -> None:
    from rich.markup import escape

    from innermost.cli.shared.output import stdout_console
    from innermost.plurals import count

    features = diagnosis.cpu_features
    packages = (f"{name} {version}" for name, version in diagnosis.packages.items() if version)
    extras = diagnosis.extras
    rows = {
        "innermost": f"{diagnosis.innermost}, Python {diagnosis.python}, {diagnosis.platform}",
        "packages": ", ".join(packages),
        "CPU": f"{count(diagnosis.cpus, 'CPU')}, "
        + (", ".join(features) or "no vector instructions" if features is not None else "unknown"),
        "extras": ", ".join(extra for extra, version in extras.items() if version) or "none",
        "not installed": ", ".join(extra for extra, version in extras.items() if not version),
    }
    console = stdout_console()
    for name, value in rows.items():
        if value:
            console.print(f"[bold]{name:14}[/]{escape(value)}", soft_wrap=True)
    for model in diagnosis.models:
        console.print(f"[bold]{escape(model.name):14}[/]{escape(_health(model))}", soft_wrap=True)
    if diagnosis.problems:
        for problem in diagnosis.problems:
            console.print(f"[bold red]problem:[/] {escape(problem)}", soft_wrap=True)
    else:
        console.print("[bold green]no problems[/]")


def _health(model: ModelHealth) -> str:
    if model.problem:
        return "see below"
    parts = ["files match checksums"]
    if model.known_answers:
        parts.append("known answers given")
    if model.tokens_per_second:
        card = model.tokens_per_second_on_card
        compared = f" ({model.tokens_per_second / card:.0%} of its card)" if card else ""
        parts.append(f"{model.tokens_per_second:,.0f} tokens per second{compared}")
    return ", ".join(parts)
