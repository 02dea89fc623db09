"""Memory of the spaCy component over many short documents.

    python -m benchmarks.spacy_memory [--docs 1000000] [--model english]

Prints the resident memory ten times along the way. It must be flat: the component keeps no
documents. spaCy itself stores every new word, so the words here are numbered from a fixed set.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path

import spacy

_TEMPLATE = "Ada Byron of Turin met case {} of the University of Ghent ."
_NUMBERS = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--docs", type=int, default=1_000_000)
    parser.add_argument("--model", default="english")
    options = parser.parse_args()
    nlp = spacy.blank("en")
    nlp.add_pipe("innermost", config={"model": options.model})
    begun = time.perf_counter()
    found = 0
    for number, doc in enumerate(nlp.pipe(_texts(options.docs), batch_size=256), start=1):
        found += len(doc.spans["innermost"])
        if number % max(options.docs // 10, 1) == 0:
            rate = number / (time.perf_counter() - begun)
            print(f"{number:>9,} docs {_memory():7.1f} MB {rate:7,.0f} docs/s", flush=True)
    print(f"{found:,} entities")


def _texts(count: int) -> Iterator[str]:
    return (_TEMPLATE.format(number % _NUMBERS) for number in range(count))


def _memory() -> float:
    """Megabytes that this process holds; Linux only."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
