"""The example in docs/crf.md runs and learns what it claims."""

import re
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "crf.md"


def test_the_example_learns_its_nested_entities():
    pytest.importorskip("torch")
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    names: dict = {"__name__": "example"}
    exec(compile("import torch\ntorch.manual_seed(0)\n" + code, str(DOCUMENT), "exec"), names)
    expected = [
        sorted((s.start, s.end, names["TYPES"].index(s.label)) for s in sentence)
        for sentence in names["spans"]
    ]
    assert [sorted(e[:3] for e in sentence) for sentence in names["decoded"]] == expected
    assert all(0 < p <= 1 for row in names["probabilities"] for p in row)
