"""Warnings of the library as lines for the user."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from innermost.errors import InnermostWarning


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """They are about the data or the options, so their place in the code is left out."""
    with warnings.catch_warnings():
        plain = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, InnermostWarning):
                from innermost.cli.shared.output import note

                note(f"warning: {message}")
            else:
                plain(message, category, *place, **more)

        warnings.showwarning = show
        yield
