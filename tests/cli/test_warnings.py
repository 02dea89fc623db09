"""Warnings of the library on the command line."""

from __future__ import annotations

import warnings

import pytest

from helpers.cli import innermost
from innermost.cli.shared.warnings_as_notes import warnings_as_notes
from innermost.errors import InnermostWarning


def test_a_warning_is_a_line_without_a_place_in_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(*_: object, **__: object) -> int:
        warnings.warn("too deep", InnermostWarning, stacklevel=1)
        return 0

    monkeypatch.setattr("innermost.cli.app.app", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert innermost("models").err == "warning: too deep\n"


def test_warnings_of_others_stay_as_they_are() -> None:
    with pytest.warns(DeprecationWarning, match="old"), warnings_as_notes():
        warnings.warn("old", DeprecationWarning, stacklevel=1)
