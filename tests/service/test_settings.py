"""The options of ``innermost serve`` and the settings of the service."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields

import pytest

from innermost.bulk.settings import Settings as BulkSettings
from innermost.cli.commands.serve import serve
from innermost.cli.shared.bulk_options import predicts_many_files
from innermost.service.settings import Settings

OPTIONS = inspect.signature(serve).parameters
CHOSEN = {"workers", "threads"}
"""Settings whose default the command takes from the machine."""
COMMON = [f for f in fields(Settings) if f.name in OPTIONS and f.name not in CHOSEN]


@pytest.mark.parametrize("field", COMMON, ids=lambda field: field.name)
def test_the_command_and_the_service_have_the_same_defaults(field) -> None:
    assert field.default is not MISSING
    assert OPTIONS[field.name].default == field.default


def test_most_settings_have_an_option() -> None:
    assert len(COMMON) >= 10


def test_the_longest_row_is_the_same_in_command_and_library() -> None:
    def command(bulk: object) -> None: ...

    option = inspect.signature(predicts_many_files(command)).parameters["max_row_bytes"]
    assert option.default == BulkSettings().max_row_bytes
