"""Word vectors of tokenized text, from the words and their parts of three to five characters.

    pip install gensim
    python tools/fasttext_vectors.py TEXT OUT.npz [--dimension 100] [--epochs 2] [--min-count 4]

In a language with many forms of each word, and with little text, they are better than those of
``innermost pretrain vectors``, which learns each word on its own. TEXT has a sentence per line,
with spaces between the words; it may be compressed.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from gensim.models import FastText
from gensim.models.word2vec import LineSentence

from innermost.parts.wordchar.vectors import Vectors, write_vectors


def main() -> None:
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=shape)
    parser.add_argument("text", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--dimension", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--min-count", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    model = FastText(
        *(LineSentence(str(options.text)),),
        vector_size=options.dimension,
        epochs=options.epochs,
        min_count=options.min_count,
        workers=options.workers,
        **{"sg": 1, "window": 4, "negative": 6, "sample": 1e-4, "seed": 1},
        **{"min_n": 3, "max_n": 5, "bucket": 400_000},
    )
    write_vectors(Vectors(list(model.wv.index_to_key), model.wv.vectors), options.out)


if __name__ == "__main__":
    main()
