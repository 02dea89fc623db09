"""Replace one parameter of a command by several options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

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

    # Not get_type_hints: in Python 3.10 it makes a parameter whose default is None
    # Optional[Annotated[...]], in which Typer finds no option.
    own = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for key, parameter in inspect.signature(command, eval_str=True).parameters.items()
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
