"""A BiLSTM with variational dropout on the fused kernels.

Gal & Ghahramani's dropout uses one mask for all time steps. On a layer's input and output that is
a mask per sentence. On the recurrent state, masking ``h`` before ``W h`` is the same as dropping
columns of ``W``, so the fused kernel runs unchanged with a masked weight; that mask is shared by
the sentences of a batch.
"""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence


class VariationalBiLSTM(nn.Module):
    """``[batch, token, inputs] -> [batch, token, 2 * hidden]``."""

    def __init__(
        self, inputs: int, hidden: int, layers: int, *, dropout: float, recurrent_dropout: float
    ) -> None:
        super().__init__()
        widths = [inputs] + [2 * hidden] * (layers - 1)
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
                parameter.data[hidden : 2 * hidden] = 1.0  # an open forget gate to begin with
            elif "weight_hh" in name:
                for gate in parameter.data.chunk(4):
                    nn.init.orthogonal_(gate)
            else:
                nn.init.xavier_uniform_(parameter)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """``lengths`` are on the CPU, in descending order."""
        for layer in self.layers:
            x = self._run(layer, locked_dropout(x, self.dropout, self.training), lengths)
        return locked_dropout(x, self.dropout, self.training)

    def _run(self, layer: nn.Module, x: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        weights = [
            self._drop_columns(weight) if "weight_hh" in name else weight
            for direction in ("", "_reverse")
            for name in names
            for weight in [getattr(layer, name + direction)]
        ]
        hidden = weights[1].shape[1]
        zeros = x.new_zeros(2, x.shape[0], hidden)
        with warnings.catch_warnings():
            # A masked weight is a new tensor; the kernel copies it, which costs next to nothing.
            warnings.filterwarnings(
                "ignore", "RNN module weights are not part of single contiguous"
            )
            data, _, _ = torch.lstm(
                packed.data,
                packed.batch_sizes,
                (zeros, zeros),
                weights,
                has_biases=True,
                num_layers=1,
                dropout=0.0,
                train=self.training,
                bidirectional=True,
            )
        states = PackedSequence(data, packed.batch_sizes)
        return pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])[0]

    def _drop_columns(self, weight: Tensor) -> Tensor:
        if not (self.training and self.recurrent_dropout):
            return weight
        return weight * _mask((1, weight.shape[1]), self.recurrent_dropout, weight)


def locked_dropout(x: Tensor, rate: float, training: bool) -> Tensor:
    """Dropout with one mask for all tokens of a sentence: ``x`` is ``[batch, token, feature]``."""
    if not (training and rate):
        return x
    return x * _mask((x.shape[0], 1, x.shape[2]), rate, x)


def _mask(shape: tuple[int, ...], rate: float, like: Tensor) -> Tensor:
    keep = 1.0 - rate
    return torch.empty(shape, device=like.device, dtype=like.dtype).bernoulli_(keep).div_(keep)
