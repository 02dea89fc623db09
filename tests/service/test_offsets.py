"""Offsets in code points, UTF-16 code units and UTF-8 bytes.

``offset_vectors.json`` is for clients in other languages too: for each text, the position in the
unit of every code point boundary, the end included. It is written in ASCII, with escapes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.service.offsets import unit_positions

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "offset_vectors.json").read_text(encoding="ascii")
)
ENCODINGS = {"utf16": ("utf-16-le", 2), "byte": ("utf-8", 1)}


def positions(text: str, unit: str) -> list[int]:
    converted = unit_positions(text, unit)
    return list(range(len(text) + 1)) if converted is None else converted.tolist()


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
@pytest.mark.parametrize("unit", ENCODINGS)
def test_shared_vectors(vector: dict[str, Any], unit: str) -> None:
    assert positions(vector["text"], unit) == vector[unit]


@given(st.text())
def test_against_encoding_every_prefix(text: str) -> None:
    assert positions(text, "codepoint") == list(range(len(text) + 1))
    for unit, (encoding, width) in ENCODINGS.items():
        lengths = [len(text[:end].encode(encoding)) // width for end in range(len(text) + 1)]
        assert positions(text, unit) == lengths
