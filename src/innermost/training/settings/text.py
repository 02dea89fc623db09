"""A configuration as TOML that can be edited and passed to ``--config``."""

from __future__ import annotations

from typing import Any

from innermost import _toml
from innermost.training.settings.config import Config


def config_text(config: Config) -> str:
    return settings_text(config.to_dict())


def settings_text(settings: dict[str, Any]) -> str:
    tables: dict[str, Any] = _without_unset(settings)
    return _toml.dumps(tables)


def _without_unset(value: Any) -> Any:
    """Remove unset values: TOML has no null."""
    if isinstance(value, dict):
        unset: tuple[object, ...] = (None, (), {})
        return {name: _without_unset(v) for name, v in value.items() if v not in unset}
    return [_without_unset(v) for v in value] if isinstance(value, list | tuple) else value
