"""``--train``, ``--dev`` and ``--test``, each with the ``--annotates`` that follows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer.core

from innermost.cli.shared.type_names import type_names
from innermost.errors import UsageError

_ORDER = "innermost.order"
_SPLITS = ("train", "dev", "test")


class OrderedCommand(typer.core.TyperCommand):
    """Remembers the order of the options: ``--annotates`` belongs to the file before it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[_ORDER] = [parameter.name for parameter in order]
        return super().parse_args(ctx, args)


def data_values(
    ctx: Any, files: Mapping[str, Sequence[str] | None], annotates: Sequence[str] | None
) -> dict[str, Any]:
    """The files of each split, in the form of the configuration."""
    paths = {name: iter(listed or ()) for name, listed in files.items()}
    labels = iter(annotates or ())
    values: dict[str, list[dict[str, Any]]] = {}
    last: dict[str, Any] | None = None
    for name in ctx.meta[_ORDER]:
        if name in _SPLITS:
            last = {"path": next(paths[name])}
            values.setdefault(name, []).append(last)
        elif name == "annotates":
            text = next(labels)
            if last is None or "annotates" in last:
                raise UsageError(
                    f"--annotates {text} does not follow a file",
                    hint="put it after the --train, --dev or --test file that it describes",
                )
            last["annotates"] = type_names(text)
    match values.get("dev"):
        case [{"path": text, **rest}] if (share := _share(text)) is not None:
            if rest:
                raise UsageError(
                    f"--annotates after --dev {text}",
                    hint="put it after the --train file: the part that is held out annotates the "
                    "same types",
                )
            return {**values, "dev": share}
    return {**values}


def _share(text: str) -> float | None:
    """The number, if it is one and not a file; it is no percentage."""
    try:
        share = None if Path(text).exists() else float(text.removesuffix("%"))
    except ValueError:
        return None
    if share is not None and (text.endswith("%") or not 0 < share < 1):
        raise UsageError(
            f"--dev {text} is neither a file nor a share of the training data",
            hint="a share is between 0 and 1, e.g. --dev 0.1",
        )
    return share
