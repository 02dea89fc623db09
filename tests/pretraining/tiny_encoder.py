"""A tiny BERT whose sub-words are the words of :func:`two_worlds`."""

from __future__ import annotations

from pathlib import Path

from helpers.tiny_transformer import write_tiny_bert
from pretraining.pretraining_text import two_worlds


def write_tiny_encoder(folder: Path, *, dropout: float = 0.1) -> Path:
    words = sorted({word for line in two_worlds(300) for word in line.split()})
    return write_tiny_bert(
        folder, pieces=words, width=32, positions=64, layers=2, dropout=dropout, spread=0.02
    )
