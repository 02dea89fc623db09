"""The options of every command that reads a corpus, written once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import typer

from innermost.corpus.reading import ReadingOptions
from innermost.errors import UsageError

Command = TypeVar("Command", bound=Callable[..., Any])

_PANEL = "Reading"


def reads_corpora(command: Command) -> Command:
    """Give a command the options for reading, in place of its parameter ``reading``."""
    return _expanded(command, ("--set", "--read-set"))


def reads_training_data(command: Command) -> Command:
    """The same where ``--set`` already means a setting of the training."""
    return _expanded(command, ("--read-set",))


def _expanded(command: Command, names: tuple[str, ...]) -> Command:
    """``names`` are those of the option for settings."""
    signature = inspect.signature(command)
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        if name == "reading":
            parameters += _parameters(names)
        else:
            parameters.append(parameter.replace(annotation=hints[name]))

    @wraps(command)
    def with_options(**values: Any) -> Any:
        reading = ReadingOptions(
            format=values.pop("read_format"),
            tokenizer=values.pop("read_tokenizer"),
            inside_token=values.pop("read_inside_token"),
            settings=settings_of(values.pop("read_set"), names[-1]),
            skip_bad=values.pop("skip_bad"),
        )
        reading.options  # noqa: B018  a wrong value is an error before anything is read
        return command(**values, reading=reading)

    # Typer looks at the signature and at the hints.
    with_options.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    )
    with_options.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    del with_options.__wrapped__
    return cast(Command, with_options)


def settings_of(pairs: Iterable[str] | None, option: str = "--set") -> dict[str, str]:
    """``["a=b"]`` as ``{"a": "b"}``."""
    settings: dict[str, str] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise UsageError(f"not a setting: {pair!r}", hint=f"{option} key=value")
        settings[key] = value
    return settings


def _parameters(names: tuple[str, ...]) -> list[inspect.Parameter]:
    """The options, with what they are called and what they are for."""
    options: dict[str, tuple[Any, Any]] = {
        "read_format": (
            Annotated[str | None, _option("--from", help="Input format; detected by default.")],
            None,
        ),
        "read_set": (
            Annotated[
                list[str] | None,
                _option(*names, metavar="KEY=VALUE", help="A setting of the format; repeatable."),
            ],
            None,
        ),
        "read_tokenizer": (
            Annotated[
                str | None,
                _option(
                    "--tokenizer",
                    help="Tokenizer for raw text: by default the model's, without one `unicode`.",
                ),
            ],
            None,
        ),
        "read_inside_token": (
            Annotated[
                str | None,
                _option(
                    "--inside-token",
                    metavar="split|widen|error",
                    help="When a span begins or ends inside a token: split the token, widen the "
                    "span, or stop.",
                ),
            ],
            None,
        ),
        "skip_bad": (
            Annotated[bool, _option("--skip-bad", help="Leave out records that cannot be read.")],
            False,
        ),
    }
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
        for name, (hint, default) in options.items()
    ]


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel=_PANEL, **settings)
