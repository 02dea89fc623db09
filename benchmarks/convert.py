"""Speed and memory of a conversion from the native format to itself: read, check, write.

    python benchmarks/convert.py [MEGABYTES] [native|characters]

Generates a corpus of that size (default: 1000 MB) in a temporary folder and prints tokens per
second and peak resident memory.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from innermost import corpus
from innermost.corpus import Options, Report

_WORDS = ["the", "a", "of", "IL-2", "gene", "NF-kappa", "B", "binds", "in", "T", "cells", ",", "."]


def generate(path: Path, size: int) -> int:
    """Write sentences of 5 to 45 tokens until the file has ``size`` bytes; return the tokens."""
    source = random.Random(1)
    block: list[str] = []
    tokens_of_block = 0
    for number in range(2000):
        tokens = source.choices(_WORDS, k=source.randint(5, 45))
        entities = []
        for _ in range(source.randint(0, 4)):
            start = source.randrange(len(tokens))
            end = source.randint(start + 1, min(start + 6, len(tokens)))
            entities.append([start, end, source.choice(["DNA", "RNA", "protein"])])
        record = {"doc": f"d{number // 10}", "tokens": tokens, "entities": entities}
        block.append(json.dumps(record) + "\n")
        tokens_of_block += len(tokens)
    data = "".join(block).encode()
    repeats = max(1, size // len(data))
    with path.open("wb") as file:
        for _ in range(repeats):
            file.write(data)
    return tokens_of_block * repeats


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    form = "characters" if "characters" in sys.argv[2:] else "tokens"
    with tempfile.TemporaryDirectory() as name:
        given, made = Path(name) / "in.jsonl", Path(name) / "out.jsonl"
        tokens = generate(given, megabytes * 1_000_000)
        options, report = Options(settings={"form": form}), Report()
        started = time.perf_counter()
        corpus.write(
            corpus.read(given, options=options, report=report), made, options=options, report=report
        )
        seconds = time.perf_counter() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{given.stat().st_size / 1e6:.0f} MB, {tokens:,} tokens to {form}: {seconds:.1f} s, "
            f"{tokens / seconds:,.0f} tokens/s, peak {peak:.0f} MB"
        )


if __name__ == "__main__":
    main()
