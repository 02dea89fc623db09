"""The notebook about training runs from top to bottom."""

import json
from functools import partial
from pathlib import Path

import pytest

import innermost

torch = pytest.importorskip("torch")
NOTEBOOK = Path(__file__).parents[2] / "examples" / "training.ipynb"


def test_every_cell_runs(capsys, monkeypatch):
    """With fewer epochs than the settings that follow from the data."""
    few = {"training": {"epochs": 8, "threads": 1}}
    monkeypatch.setattr(innermost, "train", partial(innermost.train, settings=few), raising=False)
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            exec("".join(cell["source"]), names)
    output = capsys.readouterr().out
    assert "starting from litbank" in output
    assert "Ghent" in output
