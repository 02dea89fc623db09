"""MPNet's attention in one operation: the transformers library computes it step by step.

It is faster, above all on a GPU. The bias of relative positions, a few hundred numbers that all
layers share, is used as it is and not trained.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import MethodType
from typing import Any

from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

_NAME = "MPNetSelfAttention"


def fuse_attention(encoder: nn.Module, *, padded: bool) -> None:
    """Replace the attention of an MPNet; other encoders are left alone.

    Only with ``padded`` is the attention mask respected; without padding, it is not needed.
    """
    for module in encoder.modules():
        if type(module).__name__ == _NAME:
            # Its number of parameters depends on the version of transformers.
            parameters = list(inspect.signature(module.forward).parameters)
            first = parameters.index("hidden_states") + 1
            bias = parameters.index("position_bias") - first
            mask = parameters.index("attention_mask") - first if padded else None
            module.forward = MethodType(_attention(bias, mask), module)


def _attention(bias: int, mask: int | None) -> Callable[..., tuple[Tensor]]:
    """The method, which gets the bias and the mask at these places after the states."""

    def forward(self: Any, hidden_states: Tensor, *more: Any, **_: object) -> tuple[Tensor]:
        sequences, length, _width = hidden_states.shape
        heads = (sequences, length, self.num_attention_heads, self.attention_head_size)
        query, key, value = (
            project(hidden_states).view(heads).transpose(1, 2)
            for project in (self.q, self.k, self.v)
        )
        added = more[bias].detach()
        if mask is not None and more[mask] is not None:  # None: nothing is padded
            added = added + more[mask]
        added = added.to(query.dtype).expand(sequences, -1, -1, -1)
        dropout = float(self.dropout.p) if self.training else 0.0
        states = scaled_dot_product_attention(query, key, value, attn_mask=added, dropout_p=dropout)
        return (self.o(states.transpose(1, 2).reshape(hidden_states.shape)),)

    return forward
