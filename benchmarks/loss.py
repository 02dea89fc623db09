"""The batched loss compared with the same objective as a plain loop over spans.

    python benchmarks/loss.py CORPUS [--sentences 32]

Prints the time of forward and backward of both on the same batches, and their ratio.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import torch

from innermost import crf, nest
from innermost.corpus import read

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from oracles import loop_loss  # noqa: E402


def timed(
    loss: Callable[[torch.Tensor], torch.Tensor], emissions: torch.Tensor, times: int
) -> float:
    durations = []
    for _ in range(times):
        leaf = emissions.detach().requires_grad_()
        begun = time.perf_counter()
        loss(leaf).backward()
        durations.append(time.perf_counter() - begun)
    return statistics.median(durations)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--sentences", type=int, default=32)
    parser.add_argument("--batches", type=int, default=3)
    options = parser.parse_args()
    sentences = list(islice(read(options.corpus), options.sentences * options.batches))
    types = sorted({e.label for s in sentences for e in s.entities})
    torch.manual_seed(0)
    print(f"{'tokens':>8} {'inner terms':>12} {'loop ms':>10} {'batched ms':>11} {'ratio':>7}")
    for start in range(0, len(sentences), options.sentences):
        batch = sentences[start : start + options.sentences]
        lengths = torch.tensor([len(s.tokens) for s in batch])
        targets = [nest.target(s.entities, len(s.tokens), types) for s in batch]
        packed = crf.pack(targets)
        emissions = torch.randn(len(batch), len(types), int(lengths.max()), 5)
        slow = timed(lambda e: loop_loss.nll(e, lengths, targets), emissions, 1)  # noqa: B023
        fast = timed(lambda e: crf.nll(e, lengths, packed), emissions, 15)  # noqa: B023
        print(
            f"{int(lengths.sum()):>8,} {len(packed.length):>12,} {1e3 * slow:>10.1f} "
            f"{1e3 * fast:>11.2f} {slow / fast:>6.0f}x"
        )


if __name__ == "__main__":
    main()
