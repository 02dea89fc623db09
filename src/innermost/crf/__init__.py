"""The method of Shibuya & Hovy (TACL 2020): one CRF per entity type with fixed transitions.

Tags, in this order everywhere: ``B I E S O`` = 0..4. Emissions are ``[batch, type, token, tag]``.
Training (torch): :func:`pack`, :func:`nll`, and below it :func:`log_partition`,
:func:`log_partition_without_best`; :func:`soften` for soft targets. Prediction (NumPy):
:func:`decode` and :func:`score`; :func:`find` gives the same entities as arrays, and
:func:`entropy` how uncertain they are.

The torch half is imported when it is first used, so that prediction needs no torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from innermost.crf.decoding import decode, find
from innermost.crf.entities import Entities
from innermost.crf.scoring import score
from innermost.crf.uncertainty import entropy

if TYPE_CHECKING:
    from innermost.crf.loss import log_partition, log_partition_without_best, nll
    from innermost.crf.soft_targets import marginals, soften
    from innermost.crf.targets import pack

__all__ = [
    "Entities",
    "decode",
    "entropy",
    "find",
    "log_partition",
    "log_partition_without_best",
    "marginals",
    "nll",
    "pack",
    "score",
    "scores",
    "soften",
]

scores = score
"""An alias."""

_TORCH = {
    "log_partition": "loss",
    "log_partition_without_best": "loss",
    "marginals": "soft_targets",
    "nll": "loss",
    "pack": "targets",
    "soften": "soft_targets",
}


def __getattr__(name: str) -> Any:
    if name in _TORCH:
        from importlib import import_module

        return getattr(import_module(f"innermost.crf.{_TORCH[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
