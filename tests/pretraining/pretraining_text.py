"""Generated text in which it is known which words share contexts."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

ANIMALS = ["cat", "dog", "fox", "hare", "mole"]
METALS = ["iron", "zinc", "lead", "gold", "tin"]
_SEEN = ["runs", "sleeps", "hunts", "digs"]
_DONE = ["melts", "rusts", "shines", "bends"]


def two_worlds(lines: int, seed: int = 0) -> list[str]:
    """Sentences about animals and about metals: animals are interchangeable, and so are metals."""
    chosen = random.Random(seed)
    text = []
    for _ in range(lines):
        if chosen.random() < 0.5:
            noun, verb, place = chosen.choice(ANIMALS), chosen.choice(_SEEN), "near the warm burrow"
        else:
            noun, verb, place = chosen.choice(METALS), chosen.choice(_DONE), "in a hot furnace"
        text.append(f"{noun} {verb} {place}")
    return text


def write_lines(path: Path, lines: list[str]) -> Path:
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path
