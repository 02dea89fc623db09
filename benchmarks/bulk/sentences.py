"""Input files: random words of a biomedical text, 25 in a sentence on average."""

from __future__ import annotations

import json
import random
from pathlib import Path

FILES = 8
WORDS = 25
_TEXT = (
    "the IL-2 receptor alpha chain gene promoter is active in human T cells and NF-kappa B binds "
    "to it after stimulation with TNF of mice that express protein kinase C ; this effect was "
    "inhibited by dexamethasone , but not by cyclosporin A ."
)


def write_sentences(folder: Path, sentences: int, seed: int = 0, mean: int = WORDS) -> int:
    """JSON lines in several files, one sentence per line, of 0.4 to 1.6 times the mean length.

    Returns the number of words.
    """
    folder.mkdir(parents=True)
    vocabulary = _TEXT.split()
    chance = random.Random(seed)
    words = 0
    for number in range(FILES):
        with (folder / f"{number}.jsonl").open("w", encoding="utf-8") as file:
            for index in range(number, sentences, FILES):
                text = chance.choices(vocabulary, k=chance.randint(2 * mean // 5, 8 * mean // 5))
                words += len(text)
                file.write(json.dumps({"id": index, "text": " ".join(text)}) + "\n")
    return words
