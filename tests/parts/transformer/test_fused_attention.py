"""Fused attention computes what the transformers library does."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="fused attention is for torch")
pytest.importorskip("transformers", reason="needs the transformers library")

import torch
from torch import Tensor

from helpers.tiny_transformer import FAMILIES, write_tiny_family
from innermost.parts.transformer.fused_attention import fuse_attention
from innermost.parts.transformer.huggingface import load_pretrained
from innermost.pretraining.encoder import EncoderSettings, pretrain_encoder
from pretraining.pretraining_text import two_worlds, write_lines


def _states_and_gradients(
    encoder: torch.nn.Module, numbers: Tensor, mask: Tensor
) -> tuple[Tensor, list[Tensor]]:
    states = encoder(input_ids=numbers, attention_mask=mask).last_hidden_state
    states = states * mask.unsqueeze(-1)
    trained = [p for n, p in encoder.named_parameters() if "relative" not in n]
    return states, list(torch.autograd.grad(states.square().sum(), trained, allow_unused=True))


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_states_and_gradients_are_the_same(family: str, padded: bool, tmp_path: Path) -> None:
    encoder = load_pretrained(str(write_tiny_family(family, tmp_path))).encoder.eval()
    numbers = torch.randint(5, 30, (3, 12), generator=torch.Generator().manual_seed(1))
    lengths = torch.tensor([12, 5, 9] if padded else [12, 12, 12])
    mask = (torch.arange(12) < lengths.unsqueeze(-1)).long()
    states, gradients = _states_and_gradients(encoder, numbers, mask)
    fuse_attention(encoder, padded=padded)
    fused, same = _states_and_gradients(encoder, numbers, mask)
    torch.testing.assert_close(fused, states, rtol=1e-4, atol=1e-5)
    for one, other in zip(same, gradients, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


def test_only_mpnet_is_changed(tmp_path: Path) -> None:
    for family in FAMILIES:
        encoder = load_pretrained(str(write_tiny_family(family, tmp_path / family))).encoder
        fuse_attention(encoder, padded=True)
        changed = [m for m in encoder.modules() if "forward" in vars(m)]
        assert bool(changed) == (family == "MPNet")


@pytest.mark.parametrize("dropout", [0.0, None])
def test_an_mpnet_is_pretrained_and_keeps_its_own_dropout(
    dropout: float | None, tmp_path: Path
) -> None:
    init = write_tiny_family("MPNet", tmp_path / "mpnet")
    text = write_lines(tmp_path / "text.txt", two_worlds(60))
    settings = EncoderSettings(init=str(init), length=24, batch_tokens=96, dropout=dropout)
    for _ in pretrain_encoder([text], tmp_path / "out", settings):
        pass
    before, after = (
        load_pretrained(str(init)).encoder,
        load_pretrained(str(tmp_path / "out")).encoder,
    )
    assert after.config.hidden_dropout_prob == before.config.hidden_dropout_prob == 0.1
    changed = [
        name
        for (name, one), two in zip(before.named_parameters(), after.parameters(), strict=True)
        if not torch.equal(one, two)
    ]
    assert any("attn.q.weight" in name for name in changed)
    assert not any("relative" in name for name in changed)


def test_dropout_is_that_of_the_settings(tmp_path: Path) -> None:
    from innermost.pretraining.encoder import _prepare

    encoder = load_pretrained(str(write_tiny_family("Bert", tmp_path))).encoder.train()
    numbers = torch.randint(5, 30, (3, 12), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        one, other = (encoder(input_ids=numbers).last_hidden_state for _ in range(2))
        assert not torch.equal(one, other)
        _prepare(encoder, 0.0)
        one, other = (encoder(input_ids=numbers).last_hidden_state for _ in range(2))
    assert torch.equal(one, other)
