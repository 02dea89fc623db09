"""A BiLSTM with variational dropout on the fused kernels.

Gal & Ghahramani's dropout uses one mask for all time steps. For a layer's input and output that is
one mask per sentence. For the recurrent state, masking ``h`` before ``W h`` is the same as dropping
columns of ``W``, so the fused kernel runs unchanged with a masked weight; that mask is shared by
the sentences of a batch.
"""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn


class VariationalBiLSTM(nn.Module):
    """``[row, inputs] -> [row, width]``, one row per token of a packed batch.

    Without any layers, only the dropout of the input remains.
    """

    def __init__(
        self, inputs: int, hidden: int, layers: int, *, dropout: float, recurrent_dropout: float
    ) -> None:
        super().__init__()
        widths = [inputs, *[2 * hidden] * layers]
        self.width = widths.pop()
        self.layers = nn.ModuleList(
            nn.LSTM(width, hidden, batch_first=True, bidirectional=True) for width in widths
        )
        self.dropout = dropout
        self.recurrent_dropout = recurrent_dropout
        for name, parameter in self.named_parameters():
            if "bias_hh" in name:
                nn.init.zeros_(parameter)
            elif "bias_ih" in name:
                nn.init.zeros_(parameter)
                parameter.data[hidden : 2 * hidden] = 1.0  # start with an open forget gate
            elif "weight_hh" in name:
                for gate in parameter.data.chunk(4):
                    nn.init.orthogonal_(gate)
            else:
                nn.init.xavier_uniform_(parameter)

    def forward(self, x: Tensor, batch_sizes: Tensor, sentence: Tensor) -> Tensor:
        """Both layouts are packed: token by token, each with the sentences that have it.

        ``batch_sizes [token]``, on the CPU, is their number; ``sentence [row]`` is the sentence of
        each row, the longest being 0.
        """
        on_cpu = x.device.type == "cpu"
        places = _places(batch_sizes, sentence) if on_cpu else ()
        for layer in self.layers:
            x = self._lock(x, batch_sizes, sentence)
            weights = self._weights(layer)
            x = _padded(x, weights, places) if on_cpu else self._packed(x, weights, batch_sizes)
        return self._lock(x, batch_sizes, sentence)

    def _weights(self, layer: nn.Module) -> list[Tensor]:
        """Four for each direction, as ``torch.lstm`` takes them."""
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        return [
            self._drop_columns(weight) if "weight_hh" in name else weight
            for direction in ("", "_reverse")
            for name in names
            for weight in [getattr(layer, name + direction)]
        ]

    def _packed(self, x: Tensor, weights: list[Tensor], batch_sizes: Tensor) -> Tensor:
        zeros = x.new_zeros(2, int(batch_sizes[0]), weights[1].shape[1])
        with warnings.catch_warnings():
            # A masked weight is a new tensor; the kernel copies it, which costs almost nothing.
            warnings.filterwarnings("ignore", "RNN module weights are not part of single contig")
            states, _, _ = torch.lstm(
                x,
                batch_sizes,
                (zeros, zeros),
                weights,
                has_biases=True,
                num_layers=1,
                dropout=0.0,
                train=self.training,
                bidirectional=True,
            )
        return states

    def _lock(self, x: Tensor, batch_sizes: Tensor, sentence: Tensor) -> Tensor:
        """Dropout with one mask for all tokens of a sentence."""
        if not (self.training and self.dropout):
            return x
        return x * _mask((int(batch_sizes[0]), x.shape[1]), self.dropout, x)[sentence]

    def _drop_columns(self, weight: Tensor) -> Tensor:
        if not (self.training and self.recurrent_dropout):
            return weight
        return weight * _mask((1, weight.shape[1]), self.recurrent_dropout, weight)


Places = tuple[tuple[Tensor, Tensor], ...]
"""For each direction, the token and the sentence of each row of a packed batch; from right to left,
the first token of a sentence is its last."""


def _places(batch_sizes: Tensor, sentence: Tensor) -> Places:
    token = torch.repeat_interleave(torch.arange(len(batch_sizes)), batch_sizes)
    lengths = (batch_sizes > torch.arange(int(batch_sizes[0])).unsqueeze(-1)).sum(-1)
    return (token, sentence), (lengths[sentence] - 1 - token, sentence)


def _padded(x: Tensor, weights: list[Tensor], places: Places) -> Tensor:
    """On a CPU, only batches without gaps run in one fused kernel: up to twice as fast."""
    states: list[Tensor] = []
    for place, own in zip(places, (weights[:4], weights[4:]), strict=True):
        time, sentences = (int(index.max()) + 1 for index in place)
        zeros = x.new_zeros(1, sentences, own[1].shape[1])
        padded = x.new_zeros(time, sentences, x.shape[1]).index_put(place, x)
        output, _, _ = torch.lstm(
            padded,
            (zeros, zeros),
            own,
            has_biases=True,
            num_layers=1,
            dropout=0.0,
            train=True,
            bidirectional=False,
            batch_first=False,
        )
        states.append(output[place])
    return torch.cat(states, dim=-1)


def _mask(shape: tuple[int, ...], rate: float, like: Tensor) -> Tensor:
    keep = 1.0 - rate
    return torch.empty(shape, device=like.device, dtype=like.dtype).bernoulli_(keep).div_(keep)
