"""All settings that affect the output. Two runs with equal settings write equal bytes."""

from __future__ import annotations

from typing import Literal

import msgspec

OutputFormat = Literal["jsonl", "parquet"]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    text_column: str = "text"
    id_column: str = "id"
    output_format: OutputFormat | None = None
    """None: Parquet from Parquet, JSON lines from everything else."""
    max_row_bytes: int = 10_000_000
    """Longer rows are rejected unread."""
    block_bytes: int = 1 << 20
    """Rows are predicted, and resumed, in blocks of about this much text..."""
    block_rows: int = 4_096
    """... and of at most this many rows."""
    max_depth: int | None = None
    min_score: float | dict[str, float] = 0.0
    types: list[str] | None = None
    layer: str | None = None
    sentences: bool = True
    tokenizer: str | None = None
    """None: that of the model."""
    device: str = "cpu"
    """Scores differ in their last digits between a CPU and a GPU."""
