"""A configuration as TOML that can be edited and given to ``--config``."""

from __future__ import annotations

from typing import Any

import tomli_w

from innermost.training.config import Config


def config_text(config: Config) -> str:
    return tomli_w.dumps(_without_unset(config.to_dict()))


def _without_unset(settings: dict[str, Any]) -> dict[str, Any]:
    """Without what is not set: TOML has no null."""
    return {
        name: _without_unset(value) if isinstance(value, dict) else value
        for name, value in settings.items()
        if value is not None and value != () and value != {}
    }
