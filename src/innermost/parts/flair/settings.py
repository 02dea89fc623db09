"""The settings of character language models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import msgspec

from innermost.parts.settings import PartSettings, PathKind


class Settings(PartSettings, kw_only=True, frozen=True):
    """Settings of the part; the models are frozen."""

    paths: ClassVar[Mapping[str, PathKind]] = {"models": "folder"}

    models: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    """Folders; the vectors of all models in them, of both directions, are concatenated."""
