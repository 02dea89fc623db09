"""This project's model, queried in the same way as the others."""

from __future__ import annotations

from pathlib import Path

import protocol

import innermost
from innermost.corpus import Sentence


def load(model: Path) -> protocol.Predict:
    nlp = innermost.load(str(model), threads=protocol.threads())

    def predict(sentences: list[list[str]]) -> list[list[protocol.Entity]]:
        spans = nlp.predict_sentences(Sentence(tokens) for tokens in sentences)
        return [[(s.start, s.end, s.label) for s in found] for found in spans]

    return predict


if __name__ == "__main__":
    protocol.serve(load)
