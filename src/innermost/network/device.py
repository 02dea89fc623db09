"""The device to compute on."""

from __future__ import annotations

import torch

from innermost.errors import UsageError


def choose_device(name: str) -> torch.device:
    """``auto`` is the GPU if there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise UsageError(f"the device {name!r} cannot be used: {error}") from None
    return device
