"""Replace one parameter of a command by several options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, get_type_hints

Command = TypeVar("Command", bound=Callable[..., None])


def replace_parameter(
    command: Command,
    name: str,
    options: Sequence[inspect.Parameter],
    build: Callable[[Mapping[str, Any]], Any],
) -> Command:
    """The command with ``options`` in place of the parameter ``name``.

    ``build`` computes its value from theirs.
    """

    def run(**values: Any) -> None:
        chosen = {option.name: values.pop(option.name) for option in options}
        command(**values, **{name: build(chosen)})

    hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=hints[key], kind=inspect.Parameter.KEYWORD_ONLY)
        for key, parameter in inspect.signature(command).parameters.items()
        if key != name
    ]
    # Typer reads both the signature and the annotations.
    run.__signature__ = inspect.Signature([*own, *options])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in (*own, *options)}
    run.__doc__, run.__name__ = command.__doc__, command.__name__
    return run  # type: ignore[return-value]


def option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
