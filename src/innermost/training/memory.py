"""The GPU memory that training will need, measured before it starts."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from innermost.network.tagger import TaggerFeatures
from innermost.runtime.batches import batches
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

    That batch repeats the longest sentence as often as it fits; no other needs more. Of sentences
    that are read in groups, it is the batch with the most tokens. Of several processes, the main
    one has the largest share. On a CPU there is nothing to measure.
    """
    if device.type != "cuda" or not world.is_main:
        return None
    batch = largest_batch(
        data.lengths, state.config.training.batch_tokens, features.groups(data.items)
    )
    torch.cuda.reset_peak_memory_stats(device)
    state.model.train()
    batch_loss(state, data, features, world.share(batch), device).backward()  # type: ignore[no-untyped-call]
    state.model.zero_grad(set_to_none=True)
    trained = sum(p.numel() for p in state.model.parameters() if p.requires_grad)
    return torch.cuda.max_memory_allocated(device) + OPTIMIZER_BYTES * trained


def largest_batch(
    lengths: Sequence[int], budget: int, groups: Sequence[Sequence[int]]
) -> list[int]:
    """The sentences of the batch to measure."""
    if len(groups) < len(lengths):
        plan = batches(lengths, budget, groups)
        return max(plan, key=lambda batch: sum(lengths[index] for index in batch))
    longest = max(range(len(lengths)), key=lengths.__getitem__)
    return [longest] * max(budget // lengths[longest], 1)
