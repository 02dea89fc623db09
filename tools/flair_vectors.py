"""Check that our vectors equal those of the flair library. Needs the extra ``flair``.

    python tools/flair_vectors.py FOLDER

FOLDER contains character language models (``chars.json``, ``model.safetensors``). Their weights are
put into flair's own classes, both embed the same sentences, and the largest difference is printed.
The conversion from flair's model to ours is checked as well.
"""

from __future__ import annotations

import sys

import numpy as np
import torch
from flair.data import Dictionary, Sentence
from flair.embeddings import FlairEmbeddings
from flair.models import LanguageModel

from innermost.parts.flair.character_lm import CharacterLM, load_character_lms
from innermost.parts.flair.conversion import convert
from innermost.parts.flair.string_embeddings import word_states

LINES = [
    "The old town hall of Ghent burned down twice .",
    "IL-2 gene expression needs NF-kappa B , and “ β-catenin ” does not .",
    "rain",
    " ".join(f"word{number}" for number in range(300)),
]
SENTENCES = [line.split() for line in LINES]


def to_flair(model: CharacterLM) -> LanguageModel:
    dictionary = Dictionary(add_unk=False)
    dictionary.add_unk = True
    for character in model.characters:
        dictionary.add_item(character)
    theirs = LanguageModel(
        dictionary,
        model.direction == "forward",
        hidden_size=model.hidden,
        nlayers=model.rnn.num_layers,
        embedding_size=model.encoder.embedding_dim,
    )
    theirs.load_state_dict(model.state_dict())
    return theirs.eval()


def main(folder: str) -> None:
    for model in load_character_lms(folder):
        theirs = to_flair(model)
        sentences = [Sentence(tokens) for tokens in SENTENCES]
        FlairEmbeddings(theirs).embed(sentences)
        expected = [torch.stack([t.embedding.cpu() for t in s]).numpy() for s in sentences]
        for name, ours in (("read", model), ("converted", convert(theirs).cpu())):
            pairs = zip(word_states(ours, SENTENCES), expected, strict=True)
            largest = max(float(np.abs(own - other).max()) for own, other in pairs)
            print(f"{model.direction} {name}: largest difference {largest:.1e}")


if __name__ == "__main__":
    main(*sys.argv[1:])
