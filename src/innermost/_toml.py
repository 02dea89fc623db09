"""TOML: read by the standard library where it can, written by ``tomli_w``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

if sys.version_info >= (3, 11):
    from tomllib import TOMLDecodeError, loads
else:
    from tomli import TOMLDecodeError, loads

__all__ = ["TOMLDecodeError", "dumps", "loads"]


def dumps(settings: Mapping[str, Any]) -> str:
    import tomli_w  # prediction only reads

    return tomli_w.dumps(settings)
