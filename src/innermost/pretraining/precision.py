"""The precision to compute in."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch


def fast_precision(device: torch.device) -> AbstractContextManager[object]:
    """bfloat16 where it is fast; weights stay in float32."""
    return torch.autocast("cuda", torch.bfloat16) if device.type == "cuda" else nullcontext()
