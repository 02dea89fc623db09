"""Types on the command line: ``PERSON,PLACE``."""

from __future__ import annotations

from typing import overload


@overload
def type_names(text: str) -> list[str]: ...
@overload
def type_names(text: None) -> None: ...


def type_names(text: str | None) -> list[str] | None:
    """The names between the commas; None if the option was not given."""
    return None if text is None else [name.strip() for name in text.split(",")]
