"""Every setting is in docs/training.md, with its default where that is a plain value."""

from pathlib import Path

import msgspec
import pytest

from innermost.parts.settings import BiLSTMSettings
from innermost.parts.wordchar.settings import Settings
from innermost.training.settings.config import (
    DataConfig,
    ModelConfig,
    ObjectiveConfig,
    StartConfig,
    TrainingConfig,
)

TEXT = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")


SECTIONS = [
    DataConfig,
    StartConfig,
    ModelConfig,
    BiLSTMSettings,
    Settings,
    ObjectiveConfig,
    TrainingConfig,
]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_setting_is_documented(section):
    for field in msgspec.structs.fields(section):
        rows = [
            line for line in TEXT.splitlines() if line.startswith("|") and f"`{field.name}`" in line
        ]
        assert rows, f"{field.name} is not in docs/training.md"
        if isinstance(field.default, (int, float)) and not isinstance(field.default, bool):
            shown = f"{field.default:g}"
            assert any(shown in row.split("|")[2] for row in rows), f"{field.name}: {rows}"
