"""Sentences as the input of a fine-tuned transformer."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from innermost.corpus import Sentence
from innermost.corpus.sentence import documents
from innermost.network.embedder import Layout
from innermost.parts.transformer.document_windows import Pieces, Style, window_numbers
from innermost.parts.transformer.module import TransformerInput
from innermost.parts.transformer.subwords import Subwords
from innermost.parts.transformer.windows import fill_up, lay_out


class SubwordFeatures:
    """Sentences as windows of sub-words."""

    def __init__(self, subwords: Subwords, context: int, style: Style) -> None:
        self.subwords = subwords
        self.context = context
        self.style = style

    def prepare(self, sentences: Sequence[Sentence]) -> list[Pieces]:
        grouped = [[s.tokens for s in group] for _, group in documents(sentences)]
        return self.subwords(grouped, self.context, self.style)

    def groups(self, items: Sequence[Pieces]) -> list[int]:
        return window_numbers(items)

    def collate(self, items: Sequence[Pieces], layout: Layout) -> TransformerInput:
        windows = lay_out(items, self.subwords)
        ids, mask = fill_up(windows.ids, self.subwords.pad)
        places = windows.window * ids.shape[1] + windows.position
        parts = (ids, mask, places, windows.counts, layout.order())
        return TransformerInput(*map(torch.from_numpy, parts))
