"""The method and its ablations: the rows of the paper's Table 4."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec

from innermost.training.settings.config import Config


class Variant(str, Enum):
    """A variant; the value names its folder and its part of the results."""

    FULL = "full"
    WITHOUT_LEARNING = "without-L"
    WITHOUT_LEARNING_AND_DECODING = "without-L-and-D"

    def applied(self, config: Config) -> Config:
        """The configuration of this variant."""
        objective = msgspec.structs.replace(config.objective, **_CHANGES[self])
        return msgspec.structs.replace(config, objective=objective)


_CHANGES: dict[Variant, dict[str, Any]] = {
    Variant.FULL: {},
    Variant.WITHOUT_LEARNING: {"inner": False},
    Variant.WITHOUT_LEARNING_AND_DECODING: {"inner": False, "max_depth": 1},
}
