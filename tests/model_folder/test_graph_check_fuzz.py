"""Damaged graphs: refused with a message, or read exactly as the package ``onnx`` reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

pytest.importorskip("torch", reason="the graphs of these tests are made with torch")
pytest.importorskip("onnx", reason="the graphs of these tests are made with onnx")

from innermost.errors import ModelError
from innermost.model_folder.graph_check import check_graph
from model_folder.graphs import recurrent_graphs
from model_folder.mutations import mutated
from oracles.onnx_reading import onnx_reading

GRAPHS = [graph for _, graph in recurrent_graphs()]


@given(mutated(GRAPHS))
def test_a_damaged_graph_is_refused_or_read_right(data: bytes) -> None:
    try:
        graph = check_graph(data, Path("encoder.onnx"))
    except ModelError:
        return
    assert graph == onnx_reading(data)
