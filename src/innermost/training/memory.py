"""The GPU memory that training will need, measured before it starts."""

from __future__ import annotations

import torch

from innermost.network.tagger import TaggerFeatures
from innermost.training.data.dataset import Prepared
from innermost.training.loop import TrainingState, batch_loss
from innermost.training.world import World

OPTIMIZER_BYTES = 8
"""Per trained weight: two moments in single precision."""


def peak_memory(
    state: TrainingState,
    data: Prepared,
    features: TaggerFeatures,
    device: torch.device,
    world: World,
) -> int | None:
    """The bytes of a step with the largest batch that the token budget allows.

    That batch repeats the longest sentence as often as it fits; no other needs more. Of several
    processes, the main one has the largest share. On a CPU there is nothing to measure.
    """
    if device.type != "cuda" or not world.is_main:
        return None
    longest = max(range(len(data.lengths)), key=data.lengths.__getitem__)
    times = max(state.config.training.batch_tokens // data.lengths[longest], 1)
    torch.cuda.reset_peak_memory_stats(device)
    state.model.train()
    batch_loss(state, data, features, world.share([longest] * times), device).backward()  # type: ignore[no-untyped-call]
    state.model.zero_grad(set_to_none=True)
    trained = sum(p.numel() for p in state.model.parameters() if p.requires_grad)
    return torch.cuda.max_memory_allocated(device) + OPTIMIZER_BYTES * trained
