"""Explain a wrong setting: which one, what was probably meant, and the valid choices."""

from __future__ import annotations

import json
import re
import types
import typing
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import msgspec

from innermost.parts.registry import PARTS, settings_type
from innermost.parts.settings import DEFAULT_PART, STACK, BiLSTMSettings

_PLACE = re.compile(r" - at `\$\.?(?P<path>[^`]*)`.*", re.DOTALL)
_UNKNOWN = re.compile(r"unknown field `(?P<name>[^`]*)`")
_MISSING = re.compile(r"missing required field `(?P<name>[^`]*)`")
_NUMBER = re.compile(r"\[\d*\]|\[\.\.\.\]")
_TYPE_NAMES = re.compile("`([a-z]+(?: \\| [a-z]+)*)`")
_TYPES = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "object": "a table",
    "str": "a text",
}


def explained(
    error: msgspec.ValidationError, settings: Mapping[str, Any], root: type
) -> tuple[str, str | None]:
    """The message and the hint for a validation error of ``settings``."""
    text = str(error)
    place = _PLACE.search(text)
    path = _NUMBER.sub("", place["path"]) if place else ""
    plain = _PLACE.sub("", text)
    names = [name for name in path.split(".") if name]
    if unknown := _UNKNOWN.search(plain):
        where, what = (f"[{path}]", "setting") if path else ("the configuration", "section")
        message = f"{where} has no {what} `{unknown['name']}`"
        return message, _meant(unknown["name"], _names(_tables(root, settings, names)))
    value: Any = settings
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    shown = f"`{path}`" if path else "the configuration"
    if missing := _MISSING.search(plain):
        name = missing["name"]
        is_listed = place is not None and place["path"] != path
        hint = None if is_listed else f"give it with --set {path}.{name}=VALUE"
        return f"{shown} needs `{name}`", hint
    if choices := _choices(root, settings, names):
        return f"{shown} cannot be {value!r}", _meant(str(value), choices)
    hint = f'write it in quotes: "{value}"' if plain.startswith("Expected `str`, got") else None
    expected = _in_words(plain[0].lower() + plain[1:])
    if isinstance(value, str | int | float):
        expected = f"{expected.partition(', got ')[0]}, got {json.dumps(value)}"
    return f"{shown}: {expected}", hint


def _in_words(message: str) -> str:
    """The message with words for the names of types: ``int`` is a whole number."""

    def words(names: re.Match[str]) -> str:
        types = [name for name in names[1].split(" | ") if name != "null"]
        return " or ".join(_TYPES.get(name, f"`{name}`") for name in types) or "nothing"

    return _TYPE_NAMES.sub(words, message)


def _meant(name: str, choices: list[str]) -> str | None:
    if not choices:
        return None
    close = get_close_matches(name, choices, n=1)
    listed = f"one of: {', '.join(choices)}"
    return f"did you mean `{close[0]}`? {listed}" if close else listed


def _choices(root: type, settings: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """What the setting can be, where that is a list of words."""
    if names[-2:] == ["encoder", "kind"]:
        return [*PARTS, STACK]
    fields = [
        field
        for table in _tables(root, settings, names[:-1])
        for field in msgspec.structs.fields(table)
        if names and field.encode_name == names[-1]
    ]
    members = [member for field in fields for member in _members(field.type)]
    literals = [member for member in members if typing.get_origin(member) is typing.Literal]
    return [str(value) for literal in literals for value in typing.get_args(literal)]


def _tables(root: type, settings: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    """The tables that these settings belong to."""
    if names[:1] == ["encoder"]:
        return _encoder_tables(settings.get("encoder"), names[1:])
    current: list[Any] = [root]
    for name in names:
        current = [
            member
            for table in current
            for field in msgspec.structs.fields(table)
            if field.encode_name == name
            for member in _members(field.type)
            if isinstance(member, type) and issubclass(member, msgspec.Struct)
        ]
    return current


def _encoder_tables(encoder: Any, names: Sequence[str]) -> list[Any]:
    """A part has a separate table, or shares that of the encoder, whose ``kind`` names it."""
    if names:
        return [settings_type(names[0])] if names[0] in PARTS else []
    kind = encoder.get("kind", DEFAULT_PART) if isinstance(encoder, Mapping) else DEFAULT_PART
    return [BiLSTMSettings, *([settings_type(kind)] if kind in PARTS else [])]


def _members(annotation: Any) -> list[Any]:
    """The members of a union, also inside lists; without annotations."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _members(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType, tuple, list):
        return [m for part in typing.get_args(annotation) for m in _members(part)]
    return [annotation]


def _names(tables: Sequence[Any]) -> list[str]:
    return [field.encode_name for table in tables for field in msgspec.structs.fields(table)]
