"""Training speed of a recipe: tokens per second, and the time of one epoch.

    python benchmarks/training.py recipes/genia-wordchar.toml CORPUS [--seconds 20] [--set ...]

The ratio is relative to the original implementation of the paper, 1,180 tokens/s in training on two
CPU cores (measured on a similar machine; pass --baseline for your own figure).
"""

from __future__ import annotations

import argparse
import time

import torch

from innermost.corpus import Report
from innermost.network.device import choose_device
from innermost.training.build import build
from innermost.training.data.dataset import prepare, read_split
from innermost.training.experiment import gather
from innermost.training.loop import EpochEnd, TrainingState, train
from innermost.training.records.environment import describe
from innermost.training.settings.config import DataFile, load_config


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config")
    parser.add_argument("corpus")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--baseline", type=float, default=1180)
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    options = parser.parse_args()
    config = load_config(options.config, options.overrides)
    device = choose_device(config.training.device)
    files = [DataFile(path=options.corpus)]
    split = read_split(files, config.data.reading, Report())
    data, _ = gather(config, split, split, None)
    torch.manual_seed(1)
    built = build(config.encoder, split.sentences, len(data.types), data.sources, device)
    built.model.to(device)
    prepared = prepare(split, built.features, data.types)
    state = TrainingState(built.model, config)
    begun = time.perf_counter()
    for event in train(state, prepared, built.features, seed=1, device=device):
        enough = time.perf_counter() - begun > options.seconds
        if isinstance(event, EpochEnd) or enough:
            speed = event.tokens_per_second
            print(
                f"{speed:,.0f} tokens/s, an epoch of {split.tokens:,} tokens in "
                f"{split.tokens / speed:.2f} s, {speed / options.baseline:.1f}x the original",
                flush=True,
            )
        if enough:
            break
    print(describe(device))


if __name__ == "__main__":
    main()
