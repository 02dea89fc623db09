"""Command-line options from a settings Struct: names, types, bounds, defaults and help."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import typer

from innermost.cli.shared.parameters import Command, option, replace_parameter


def options_from(**structs: type[msgspec.Struct]) -> Callable[[Command], Command]:
    """Replace parameters of a command, named here, by one option per field of their Struct.

    A field is ``Annotated[type, msgspec.Meta(description=..., ge=..., gt=...)]``.
    """

    def replaced(command: Command) -> Command:
        for name, struct in structs.items():
            command = _replaced(command, name, struct)
        return command

    return replaced


def _replaced(command: Command, name: str, struct: type[msgspec.Struct]) -> Command:
    annotations = get_type_hints(struct, include_extras=True)
    fields = msgspec.structs.fields(struct)
    options = [_option(field, annotations[field.name]) for field in fields]

    def build(values: Mapping[str, Any]) -> msgspec.Struct:
        return struct(**{name: _plain(value) for name, value in values.items()})

    return replace_parameter(command, name, options, build)


def _option(field: msgspec.structs.FieldInfo, annotation: Any) -> inspect.Parameter:
    kind, meta = get_args(annotation)
    described = typer.Option(
        f"--{field.name.replace('_', '-')}",
        help=meta.description,
        min=meta.ge if meta.ge is not None else meta.gt,
        metavar=(meta.extra or {}).get("metavar"),
    )
    default = inspect.Parameter.empty if field.required else field.default
    return option(field.name, Annotated[_choices(kind), described], default)


def _choices(kind: Any) -> Any:
    """Typer offers choices only for enumerations."""
    if get_origin(kind) is not Literal:
        return kind
    return Enum("Choices", {str(value): value for value in get_args(kind)}, type=str)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value
