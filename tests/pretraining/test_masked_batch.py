"""The positions of masked sub-words and the masked loss, against plain implementations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import cross_entropy, gelu, linear

from innermost.parts.transformer.huggingface import Pretrained, load_pretrained
from innermost.pretraining.masked_lm import MaskedBatch, MaskedLM, choose
from innermost.pretraining.subword_text import SubwordText
from pretraining.tiny_encoder import write_tiny_encoder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Pretrained:
    folder: Path = tmp_path_factory.mktemp("encoder") / "tiny"
    return load_pretrained(str(write_tiny_encoder(folder)))


def _coded(rows: int, columns: int, seed: int) -> np.ndarray[Any, Any]:
    """Sub-words of an encoded text, with ends of lines (twice 3) among them."""
    random = np.random.default_rng(seed)
    coded = random.integers(2 * 5, 2 * 40, (rows, columns))
    coded[random.random(coded.shape) < 0.2] = 2 * 3
    return coded


def _masked(
    tiny: Pretrained, coded: np.ndarray[Any, Any], seed: int, *, whole_words: bool = False
) -> MaskedBatch:
    generator = torch.Generator().manual_seed(seed)
    return SubwordText(tiny).masked(coded, whole_words=whole_words, generator=generator)


def _places_and_answers(
    coded: np.ndarray[Any, Any], tiny: Pretrained, seed: int, *, whole_words: bool
) -> Iterator[tuple[int, int]]:
    """One position after the other; the choice is drawn first."""
    chosen = choose(
        torch.from_numpy(coded % 2 == 1),
        whole_words=whole_words,
        generator=torch.Generator().manual_seed(seed),
    )
    place = 0
    for row, numbers in enumerate(coded // 2):
        place += len(tiny.subwords.before)
        for column, number in enumerate(numbers):
            if chosen[row, column] and number not in tiny.subwords.after:
                yield place, number
            place += 1
        place += len(tiny.subwords.after)


@settings(deadline=None)
@given(
    rows=st.integers(1, 5),
    columns=st.integers(1, 30),
    seed=st.integers(0, 1000),
    whole_words=st.booleans(),
)
def test_places_are_those_of_what_was_chosen(
    tiny: Pretrained, rows: int, columns: int, seed: int, whole_words: bool
) -> None:
    coded = _coded(rows, columns, seed)
    batch = _masked(tiny, coded, seed, whole_words=whole_words)
    expected = list(_places_and_answers(coded, tiny, seed, whole_words=whole_words))
    found = zip(batch.places.tolist(), batch.answers.tolist(), strict=True)
    assert list(found) == expected
    assert batch.places.dtype == torch.int64


def test_the_loss_is_that_of_a_mask_over_all_positions(tiny: Pretrained) -> None:
    batch = _masked(tiny, _coded(8, 20, 1), 1)
    model = MaskedLM(tiny.encoder).eval()
    mask = torch.zeros(batch.numbers.numel(), dtype=torch.bool)
    mask[batch.places] = True

    def masked_loss() -> torch.Tensor:
        encoded = model.encoder(input_ids=batch.numbers).last_hidden_state
        states = encoded[mask.view(batch.numbers.shape)]
        states = model.norm(gelu(model.dense(states)))
        scores = linear(states, model.encoder.get_input_embeddings().weight, model.bias)
        return cross_entropy(scores, batch.answers, reduction="sum")

    found, expected = model(batch), masked_loss()
    assert torch.equal(found, expected)
    weights = list(model.parameters())
    for ours, theirs in zip(
        torch.autograd.grad(found, weights, allow_unused=True),
        torch.autograd.grad(expected, weights, allow_unused=True),
        strict=True,
    ):
        assert (ours is None) == (theirs is None)
        assert ours is None or torch.equal(ours, theirs)


def test_nothing_waits_for_what_a_tensor_holds(tmp_path: Path) -> None:
    """On the device ``meta`` tensors have no values: reading one is an error."""
    pytest.importorskip("transformers", "5", reason="transformers 4 itself looks for padding")
    tiny = load_pretrained(str(write_tiny_encoder(tmp_path / "tiny")))
    batch = _masked(tiny, _coded(4, 20, 2), 2)
    meta = torch.device("meta")
    loss = MaskedLM(tiny.encoder).to(meta)(batch.to(meta))
    loss.backward()
    assert loss.shape == ()
