"""Emissions that no network should give: refused, or decoded to entities like any others."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from innermost import crf

EXTREMES = [0.0, -0.0, 1e-45, -1e-40, 1e-38, 3e38, -3e38, 1e30, -1e30, 88.8, -104.0]
NUMBERS = st.one_of(
    st.sampled_from([float(np.float32(number)) for number in EXTREMES]),
    st.floats(-100, 100, width=32),
)
SPECIAL = st.sampled_from([np.nan, np.inf, -np.inf])


@st.composite
def batches(draw: st.DrawFn, numbers: st.SearchStrategy[float]) -> tuple[np.ndarray, np.ndarray]:
    shape = tuple(draw(st.integers(1, 3)) for _ in range(2)) + (draw(st.integers(1, 6)), 5)
    emissions = draw(arrays(np.float32, shape, elements=numbers))
    lengths = draw(arrays(np.int64, shape[0], elements=st.integers(1, shape[2])))
    return emissions, lengths


@given(batches(NUMBERS))
def test_huge_and_tiny_numbers_are_decoded(batch):
    emissions, lengths = batch
    with np.errstate(over="ignore", invalid="ignore"):
        entities = crf.decode(emissions, lengths)
    for sentence, length in zip(entities, lengths, strict=True):
        spans = [tuple(entity[:3]) for entity in sentence]
        assert len(set(spans)) == len(spans)
        for start, end, type_, level in sentence:
            assert 0 <= start < end <= length
            assert 0 <= type_ < emissions.shape[1]
            assert level >= 1


@given(batches(NUMBERS | SPECIAL))
def test_decoding_ends_whatever_the_numbers(batch):
    """Callers refuse NaN and infinities; should one come through, decoding must still end."""
    emissions, lengths = batch
    with np.errstate(over="ignore", invalid="ignore"):
        for sentence, length in zip(crf.decode(emissions, lengths), lengths, strict=True):
            assert all(0 <= start < end <= length for start, end, *_ in sentence)
