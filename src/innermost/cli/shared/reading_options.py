"""The options shared by all commands that read a corpus."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from innermost import text
from innermost.cli.shared.parameters import Command, option, replace_parameter
from innermost.corpus.reading import ReadingOptions
from innermost.errors import ModelError, UsageError


def reads_corpora(command: Command) -> Command:
    """Give a command the options for reading, in place of its parameter ``reading``."""
    return _expanded(command, ("--set", "--read-set"))


def reads_texts(command: Command) -> Command:
    """The same for commands that do not look at the entities of the data."""
    return _expanded(command, ("--set", "--read-set"), entities=False)


def reads_training_data(command: Command) -> Command:
    """The same for commands where ``--set`` is a training setting."""
    return _expanded(command, ("--read-set",))


def _expanded(command: Command, names: tuple[str, ...], *, entities: bool = True) -> Command:
    """``names`` are the names of the option for settings."""

    def build(values: Mapping[str, Any]) -> ReadingOptions:
        reading = ReadingOptions(
            format=values["read_format"],
            tokenizer=_tokenizer(values["read_tokenizer"]),
            inside_token=values["read_inside_token"],
            settings=settings_of(values["read_set"], names[-1]),
            skip_bad=values["skip_bad"],
            rename=settings_of(values.get("rename"), "--rename", "OLD=NEW"),
        )
        reading.check()
        return reading

    return replace_parameter(command, "reading", _options(names, entities=entities), build)


def _tokenizer(name: str | None) -> str | None:
    """The name of a tokenizer, or of that of a model."""
    from innermost.model_folder.info import read_info
    from innermost.model_folder.installed import locate

    if name is None or name in text.names():
        return name
    try:
        return read_info(locate(name)).tokenizer
    except ModelError:
        known = f"{', '.join(text.names())}; or a model, for its own"
        raise UsageError(f"unknown tokenizer {name!r}", hint=f"one of: {known}") from None


def settings_of(
    pairs: Iterable[str] | None, option: str = "--set", form: str = "KEY=VALUE"
) -> dict[str, str]:
    """``["a=b"]`` as ``{"a": "b"}``."""
    settings: dict[str, str] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise UsageError(f"not of the form {form}: {pair!r}", hint=f"{option} {form}")
        settings[key] = value
    return settings


def _options(names: tuple[str, ...], *, entities: bool) -> list[inspect.Parameter]:
    name, setting = str | None, list[str] | None
    inside = "When a span begins or ends inside a token: split the token, widen the span, or stop."
    tokenizer = "Tokenizer for raw text, by its name or that of a model that has it (default: "
    tokenizer += "the model's, or `unicode` without a model)."
    options = [
        _option("read_format", name, None, "--from", help="Input format; detected by default."),
        _option("read_set", setting, None, *names, metavar="KEY=VALUE", help="A format setting."),
        _option(
            *("read_tokenizer", name, None, "--tokenizer"), metavar="NAME|MODEL", help=tokenizer
        ),
        _option(
            *("read_inside_token", name, None, "--inside-token"),
            metavar="split|widen|error",
            help=inside,
        ),
        _option("skip_bad", bool, False, "--skip-bad", help="Skip unreadable records."),
    ]
    if entities:
        renaming = "Rename a type of the data; OLD= leaves it out. Repeatable."
        options.append(
            _option("rename", setting, None, "--rename", metavar="OLD=NEW", help=renaming)
        )
    return options


def _option(name: str, kind: Any, default: Any, *names: str, **settings: Any) -> inspect.Parameter:
    described = typer.Option(*names, rich_help_panel="Reading", **settings)
    return option(name, Annotated[kind, described], default)
