"""Word vectors: the loss against a loop over pairs, and neighbors that are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from innermost.errors import DataError
from innermost.parts.wordchar.vectors import read_vectors
from innermost.pretraining.events import HeldOut
from innermost.pretraining.settings import Execution
from innermost.pretraining.skipgram import (
    BLOCK,
    NegativeSampler,
    SkipGram,
    cut_blocks,
    keep_probability,
)
from innermost.pretraining.vectors import VectorSettings, pretrain_vectors
from pretraining.pretraining_text import ANIMALS, METALS, two_worlds, write_lines


@settings(max_examples=15, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 30), min_size=1, max_size=12),
    window=st.integers(1, 6),
    seed=st.integers(0, 1000),
)
def test_the_loss_is_that_of_a_loop_over_pairs(lengths: list[int], window: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    words = random.integers(0, 20, sum(lengths))
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    blocks = cut_blocks(words, sentence, window, random)
    torch.manual_seed(seed)
    model = SkipGram(20, 7).double()
    torch.nn.init.normal_(model.contexts.weight)
    torch.nn.init.normal_(model.words.weight)
    negatives = torch.from_numpy(random.integers(0, 20, (len(blocks), 5)))
    model.requires_grad_(False)
    loss, pairs = model(blocks, negatives, 3)

    expected, count = 0.0, 0
    log_sigmoid = torch.nn.functional.logsigmoid
    for b in range(len(blocks)):
        for i in range(BLOCK):
            center = model.words.weight[blocks.words[b, i]]
            far = [float(log_sigmoid(-center @ model.contexts.weight[n])) for n in negatives[b]]
            for j in range(BLOCK):
                near = 0 < abs(i - j) <= int(blocks.window[b, i])
                if near and blocks.sentence[b, i] == blocks.sentence[b, j]:
                    context = model.contexts.weight[blocks.words[b, j]]
                    expected -= float(log_sigmoid(center @ context)) + 3 * sum(far) / 5
                    count += 1
    assert int(pairs) == count
    assert float(loss) == pytest.approx(expected, abs=1e-9)


@given(length=st.integers(0, 3 * BLOCK), seed=st.integers(0, 1000))
def test_blocks_hold_every_word_once_in_order(length: int, seed: int) -> None:
    words = np.arange(1, length + 1)
    blocks = cut_blocks(words, np.arange(length) // 9, 4, np.random.default_rng(seed))
    flat = blocks.words.flatten().numpy()
    assert flat[flat > 0].tolist() == words.tolist()
    outside = blocks.sentence.flatten().numpy()[flat == 0]
    assert len(set(outside.tolist())) == len(outside)  # padding is nobody's neighbor
    assert (outside < 0).all()


def test_frequent_words_are_kept_less_often() -> None:
    kept = keep_probability(np.array([9000, 900, 99, 1]), 1e-3)
    assert (np.diff(kept) >= 0).all()
    assert kept[0] == pytest.approx(np.sqrt(1e-3 / 0.9) + 1e-3 / 0.9)
    assert kept[-1] == 1.0


def test_negative_samples_follow_the_counts() -> None:
    counts = np.array([1000, 100, 10])
    drawn = NegativeSampler(counts).draw(4000, np.random.default_rng(0)).numpy().flatten()
    share = np.bincount(drawn, minlength=3) / len(drawn)
    assert share == pytest.approx(counts**0.75 / (counts**0.75).sum(), abs=0.01)


def test_words_that_keep_the_same_company_become_neighbors(tmp_path: Path) -> None:
    text = write_lines(tmp_path / "text.txt.gz", two_worlds(4000))
    out = tmp_path / "vectors.npz"
    chosen = VectorSettings(
        dimension=12, epochs=2, subsample=1e-2, tokenizer="whitespace", batch_blocks=2
    )
    events = list(pretrain_vectors([text], out, chosen, Execution(device="cpu"), processes=1))
    assert isinstance(events[-1], HeldOut)
    assert events[-1].loss < 9 * np.log(2)  # the loss of untrained vectors
    vectors = read_vectors(out)
    assert vectors.words[0] in ("near", "the", "warm", "burrow", "in", "a", "hot", "furnace")
    table = vectors.table / np.linalg.norm(vectors.table, axis=1, keepdims=True)
    place = {word: number for number, word in enumerate(vectors.words)}
    nouns = ANIMALS + METALS
    similar = table[[place[w] for w in nouns]] @ table[[place[w] for w in nouns]].T
    np.fill_diagonal(similar, -1)
    for row, noun in enumerate(nouns):
        nearest = nouns[int(similar[row].argmax())]
        assert (noun in ANIMALS) == (nearest in ANIMALS), f"{noun} is nearest to {nearest}"
    assert not (tmp_path / "vectors.npz.work").exists()


def test_too_rare_words_are_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    text = write_lines(tmp_path / "text.txt", ["a b c", "d e f"])
    with pytest.raises(DataError, match="--min-count"):
        list(pretrain_vectors([text], tmp_path / "v.npz", VectorSettings(), processes=1))
