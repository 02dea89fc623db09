"""Batches of torch tensors."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TypeVar

import torch

B = TypeVar("B", bound="TensorBatch")


class TensorBatch:
    """Base of frozen dataclasses whose fields are tensors, or None."""

    __slots__ = ()

    def to(self: B, device: torch.device | str) -> B:
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        moved = {
            name: tensor.to(device, non_blocking=True)
            for name, tensor in values.items()
            if tensor is not None
        }
        return replace(self, **moved)  # type: ignore[type-var]
