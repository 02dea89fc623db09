"""``README.md``: the card of a model, for people."""

from __future__ import annotations

from pathlib import Path

from innermost.model_folder.contents import CARD


def read_card(folder: Path) -> str:
    """The card; empty if there is none."""
    path = folder / CARD
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def summary(card: str) -> str:
    """The first paragraph under the title, on one line."""
    blocks = (block.strip() for block in card.split("\n\n"))
    return next((" ".join(b.split()) for b in blocks if b and not b.startswith(("#", "---"))), "")
