"""What is masked, and that the model learns to predict it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from innermost.errors import UsageError
from innermost.parts.transformer.huggingface import load_pretrained
from innermost.pretraining.encoder import EncoderSettings, pretrain_encoder
from innermost.pretraining.events import HeldOut
from innermost.pretraining.masked_lm import MaskedLM, choose, hide
from innermost.pretraining.settings import Execution
from innermost.pretraining.subword_text import Sequences, SubwordText
from pretraining.pretraining_text import two_worlds, write_lines
from pretraining.tiny_encoder import write_tiny_encoder


def test_a_share_of_sub_words_is_chosen() -> None:
    chosen = choose(
        torch.zeros(200, 100, dtype=torch.bool),
        whole_words=False,
        generator=torch.Generator().manual_seed(1),
    )
    assert float(chosen.float().mean()) == pytest.approx(0.15, abs=0.01)


@given(seed=st.integers(0, 1000))
def test_whole_words_are_chosen_as_wholes(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    continues = torch.rand(8, 50, generator=generator) < 0.4
    chosen = choose(continues, whole_words=True, generator=generator)
    for row in range(8):
        for place in range(1, 50):
            if continues[row, place]:
                assert chosen[row, place] == chosen[row, place - 1]


def test_what_is_hidden_is_hidden_in_the_known_shares() -> None:
    generator = torch.Generator().manual_seed(3)
    numbers = torch.full((300, 100), 7)
    guessed = torch.rand(numbers.shape, generator=generator) < 0.5
    hidden = hide(numbers, guessed, mask=1, vocabulary=10_000, generator=generator)
    assert (hidden[~guessed] == 7).all()
    found = hidden[guessed]
    assert float((found == 1).float().mean()) == pytest.approx(0.8, abs=0.02)
    assert float((found == 7).float().mean()) == pytest.approx(0.1, abs=0.02)


@given(length=st.integers(1, 12), total=st.integers(1, 60))
def test_sequences_leave_nothing_out(length: int, total: int) -> None:
    sequences = Sequences(np.arange(total), length)
    read = sequences.read(np.arange(sequences.count))
    assert sorted(set(read.flatten().tolist())) == list(range(total))
    assert read.shape == (sequences.count, min(length, total))


def test_sub_words_of_a_word_are_marked_and_line_ends_never_hidden(tmp_path: Path) -> None:
    folder = write_tiny_encoder(tmp_path / "tiny")
    text = SubwordText(load_pretrained(str(folder)))
    path = write_lines(tmp_path / "a.txt", ["cat unseenword dog"])
    [[line]] = list(text.encode([path]))
    tokenizer = load_pretrained(str(folder)).subwords
    assert line[-1] == 2 * tokenizer.after[0]
    goes_on = [number % 2 for number in line]
    assert goes_on[0] == 0
    assert sum(goes_on) > 2  # the word that is not in the vocabulary was split
    coded = np.tile(line, (50, 1))
    generator = torch.Generator().manual_seed(1)
    batch = text.masked(coded, whole_words=True, generator=generator)
    assert (batch.numbers[:, 0] == tokenizer.before[0]).all()
    assert (batch.numbers[:, -2:] == tokenizer.after[0]).all()
    assert len(batch.places) == len(batch.answers) > 0
    assert int((batch.places % batch.numbers.shape[1]).max()) < batch.numbers.shape[1] - 2


def test_an_encoder_learns_to_guess_and_can_be_loaded_again(tmp_path: Path) -> None:
    folder = write_tiny_encoder(tmp_path / "tiny")
    text = write_lines(tmp_path / "text.txt", two_worlds(600))
    chosen = EncoderSettings(
        init=str(folder), epochs=3, length=16, batch_tokens=256, learning_rate=5e-3
    )
    events = list(pretrain_encoder([text], tmp_path / "out", chosen, Execution(device="cpu")))
    vocabulary = load_pretrained(str(folder)).encoder.config.vocab_size
    last = events[-1]
    assert isinstance(last, HeldOut)
    assert last.loss < 0.6 * np.log(vocabulary)
    after = load_pretrained(str(tmp_path / "out"))
    before = load_pretrained(str(folder))
    assert after.tokenizer == before.tokenizer
    names = before.encoder.state_dict().keys()
    assert after.encoder.state_dict().keys() == names
    assert any(
        not torch.equal(after.encoder.state_dict()[n], before.encoder.state_dict()[n])
        for n in names
    )
    # The head is loaded too, so that continued training starts where it ended.
    model = MaskedLM(after.encoder)
    model.load_head(tmp_path / "out")
    assert not torch.equal(model.dense.weight, torch.eye(len(model.dense.weight)))


def test_a_sequence_longer_than_the_encoder_reads_is_refused(tmp_path: Path) -> None:
    folder = write_tiny_encoder(tmp_path / "tiny")
    text = write_lines(tmp_path / "text.txt", two_worlds(10))
    chosen = EncoderSettings(init=str(folder), length=4096)
    with pytest.raises(UsageError, match="--length 4096"):
        list(pretrain_encoder([text], tmp_path / "out", chosen))
