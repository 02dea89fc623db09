"""Add words of other languages to a model, with vectors that fit its own.

    python tools/add_words.py MODEL VECTORS.npz OUT [--own 120000] [--more 110000]

Keeps the MODEL's most frequent words and adds the most frequent words of VECTORS that it lacks.
Their vectors come from another space: a linear map, learned by ridge regression from the words that
both have (names, numbers, loans), takes them to the model's. OUT is a folder to export, and then to
start training from.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec
import numpy as np
import torch

from innermost.arrays import Floats
from innermost.files.atomic import write_atomically
from innermost.model_folder.contents import WEIGHTS
from innermost.model_folder.info import FILE, info_bytes
from innermost.parts.wordchar.training import load, wordchar_part
from innermost.parts.wordchar.vectors import Vectors, read_vectors
from innermost.parts.wordchar.vocabulary import Vocabulary
from innermost.training.build import assemble
from innermost.training.records.checkpoint import weights_bytes
from innermost.training.start import read_start

RIDGE = 10.0
HELD_OUT = 20
"""One in so many shared words only measures the map."""


def linear_map(source: Floats, target: Floats, weights: Floats) -> Floats:
    """The matrix that takes ``source`` rows, with a constant, nearest to those of ``target``."""
    rows = np.hstack([source, np.ones((len(source), 1), np.float32)]) * np.sqrt(weights)[:, None]
    square = rows.T @ rows + RIDGE * np.eye(rows.shape[1])
    solved = np.linalg.solve(square, rows.T @ (target * np.sqrt(weights)[:, None]))
    return np.asarray(solved, dtype=np.float32)


def mapped(source: Floats, matrix: Floats) -> Floats:
    return np.asarray(source @ matrix[:-1] + matrix[-1], dtype=np.float32)


def main() -> None:
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=shape)
    parser.add_argument("model")
    parser.add_argument("vectors", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--own", type=int, default=120_000, help="words of the model that are kept")
    parser.add_argument("--more", type=int, default=110_000, help="words that are added, at most")
    options = parser.parse_args()

    start = read_start(options.model)
    settings = start.encoder.parts["wordchar"]
    part = load(settings, start.folder, torch.device("cpu"))  # type: ignore[arg-type]
    own = {word: row for row, word in enumerate(part.vectors.words)}
    other = read_vectors(options.vectors)
    length = np.linalg.norm(other.table, axis=1, keepdims=True)
    table = (other.table / np.maximum(length, 1e-6)).astype(np.float32)

    pairs = [
        (row, own.get(word, own.get(word.lower())))
        for row, word in enumerate(other.words)
        if word.lower() in own and word.isalpha() and len(word) > 3
    ]
    there, here = (np.array(column) for column in zip(*pairs, strict=True))
    weights = (1 / np.sqrt(np.arange(1, len(other.words) + 1)))[there].astype(np.float32)
    learned = np.arange(len(pairs)) % HELD_OUT > 0
    target = part.vectors.table[here].astype(np.float32)
    matrix = linear_map(table[there][learned], target[learned], weights[learned])
    guessed, true = mapped(table[there][~learned], matrix), target[~learned]
    cosines = (
        (guessed * true).sum(1) / np.linalg.norm(guessed, axis=1) / np.linalg.norm(true, axis=1)
    )
    print(f"{len(pairs):,} shared words, mean cosine of those held out {cosines.mean():.3f}")

    kept = part.vectors.words[: options.own]
    names = set(kept) | set(part.vocabulary.trained)
    more = [
        row
        for row, word in enumerate(other.words)
        if word not in names and word.lower() not in names and not word.isdigit()
    ][: options.more]
    added = mapped(table[more], matrix)
    spread = part.vectors.table[:20_000].std() / added.std()
    # In turn, so that the most frequent words are those of all languages (`export --top`).
    order = np.argsort(np.r_[np.arange(len(kept)) / len(kept), np.arange(len(more)) / len(more)])
    both = [*kept, *(other.words[row] for row in more)]
    words = [both[row] for row in order]
    vectors = np.vstack([part.vectors.table[: options.own], added * spread])[order]
    print(f"{len(kept):,} words kept, {len(more):,} added, scaled by {spread:.2f}")

    vocabulary = Vocabulary(part.vocabulary.trained, words, part.vocabulary.characters)
    larger = wordchar_part(settings, vocabulary, Vectors(words, vectors.astype(np.float32)))  # type: ignore[arg-type]
    built = assemble(start.encoder, {"wordchar": larger}, len(start.info.types))
    weights_of = {name: torch.from_numpy(np.array(w)) for name, w in start.weights.items()}
    built.model.load_state_dict(weights_of)
    options.out.mkdir(parents=True, exist_ok=True)
    larger.save(options.out)
    write_atomically(options.out / WEIGHTS, weights_bytes(dict(built.model.state_dict())))
    info = msgspec.structs.replace(start.info, name="", version="", export=None, scores={})
    write_atomically(options.out / FILE, info_bytes(info))


if __name__ == "__main__":
    main()
