"""Let the rare characters of a trained model share the row of unknown ones.

    python -m tools.merge_rare_characters MODEL TEXT.jsonl... --min-count 20

MODEL is a folder written by ``innermost train``, and the text is what it was trained on. A corpus
with a few words in many scripts gives the model a row for each of their characters, hardly trained,
but none for characters it never saw. Afterwards both share one row: the mean of the rows removed.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from innermost.corpus import read
from innermost.parts.wordchar.vocabulary import EDGE, UNKNOWN

EMBEDDING = "wordchar.characters.embedding"
FIRST = max(UNKNOWN, EDGE) + 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("text", type=Path, nargs="+")
    parser.add_argument("--min-count", type=int, default=20)
    arguments = parser.parse_args()
    counts = Counter(
        character
        for path in arguments.text
        for sentence in read(path)
        for token in sentence.tokens
        for character in token
    )
    kept = merge(arguments.model, counts, arguments.min_count)
    print(f"{arguments.model}: {kept} characters kept")


def merge(model: Path, counts: Counter[str], min_count: int) -> int:
    """How many characters are left."""
    vocabulary_path, weights_path = model / "vocabulary.json", model / "weights.safetensors"
    vocabulary = json.loads(vocabulary_path.read_text(encoding="utf-8"))
    weights = load_file(weights_path)
    is_frequent = np.array([counts[c] >= min_count for c in vocabulary["characters"]])
    rows = weights[EMBEDDING]
    own = rows[FIRST:]
    if not is_frequent.all():
        rows[UNKNOWN] = own[~is_frequent].mean(axis=0)
    weights[EMBEDDING] = np.concatenate([rows[:FIRST], own[is_frequent]])
    vocabulary["characters"] = [
        c for c, keep in zip(vocabulary["characters"], is_frequent, strict=True) if keep
    ]
    save_file(weights, weights_path)
    vocabulary_path.write_text(
        json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8", newline="\n"
    )
    return len(vocabulary["characters"])


if __name__ == "__main__":
    main()
