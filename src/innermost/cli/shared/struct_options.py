"""Command-line options from a settings Struct: names, types, bounds, defaults and help."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import typer

Command = TypeVar("Command", bound=Callable[..., None])


def options_from(settings: type[msgspec.Struct]) -> Callable[[Command], Command]:
    """Replace the parameter ``settings`` of a command by one option per field of a Struct.

    A field is ``Annotated[type, msgspec.Meta(description=..., ge=..., gt=...)]``.
    """

    def decorate(command: Command) -> Command:
        fields = msgspec.structs.fields(settings)

        def run(**values: Any) -> None:
            chosen = {field.name: _plain(values.pop(field.name)) for field in fields}
            command(settings=settings(**chosen), **values)

        hints = get_type_hints(command, include_extras=True)
        own = [
            parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
            for name, parameter in inspect.signature(command).parameters.items()
            if name != "settings"
        ]
        annotations = get_type_hints(settings, include_extras=True)
        options = [_option(field, annotations[field.name]) for field in fields]
        run.__signature__ = inspect.Signature([*own, *options])  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in (*own, *options)}
        run.__doc__, run.__name__ = command.__doc__, command.__name__
        return run  # type: ignore[return-value]

    return decorate


def _option(field: msgspec.structs.FieldInfo, annotation: Any) -> inspect.Parameter:
    kind, meta = get_args(annotation)
    option = typer.Option(
        f"--{field.name.replace('_', '-')}",
        help=meta.description,
        min=meta.ge if meta.ge is not None else meta.gt,
        metavar=(meta.extra or {}).get("metavar"),
    )
    return inspect.Parameter(
        field.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if field.required else field.default,
        annotation=Annotated[_choices(kind), option],
    )


def _choices(kind: Any) -> Any:
    """Typer offers choices only for enumerations."""
    if get_origin(kind) is not Literal:
        return kind
    return Enum("Choices", {str(value): value for value in get_args(kind)}, type=str)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value
