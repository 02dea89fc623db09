"""One of two processes that add their gradients: ``python world_member.py``, with the variables of
torchrun. Prints the sums as JSON."""

from __future__ import annotations

import json
import sys

import torch
from torch import nn

from innermost.training.world import open_world


def main() -> None:
    """Both use the first parameter, only process 1 the second, none the third."""
    first, second, third = parameters = [nn.Parameter(torch.ones(2, 2)) for _ in range(3)]
    with open_world("cpu") as world:
        loss = torch.zeros(())
        if share := world.share([5, 7, 9]):
            loss = sum(share) * first.sum()
        if world.rank == 1:
            loss = loss + 3 * second.sum()
        loss.backward()
        total = world.sum_gradients([first, second, third], loss.detach())
        sums = [None if p.grad is None else p.grad.tolist() for p in parameters]
        agreed = world.agree({"from": world.rank})
    sys.stdout.write(json.dumps([total.item(), sums, agreed]))


if __name__ == "__main__":
    main()
