"""Train word vectors on text, for the part ``wordchar``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from innermost.errors import DataError, UsageError
from innermost.network.device import choose_device
from innermost.parts.wordchar.vectors import Vectors, write_vectors
from innermost.pretraining.checkpoint import Tensors, pack, unpack
from innermost.pretraining.encoded_text import (
    EncodedText,
    Numbering,
    Numbers,
    finish_text,
    is_complete,
    open_text,
    write_text,
)
from innermost.pretraining.events import Event
from innermost.pretraining.loop import Step, rate_factor, train
from innermost.pretraining.settings import Execution, VectorSettings
from innermost.pretraining.skipgram import (
    Blocks,
    NegativeSampler,
    SkipGram,
    cut_blocks,
    keep_probability,
)
from innermost.pretraining.text import sentences
from innermost.pretraining.workspace import Workspace, run_name

SENTENCE_END = ""
_CHUNK = 1 << 18
"""Words per step: the text between two points where training can resume."""


def pretrain_vectors(
    paths: Sequence[str | Path],
    out: Path,
    settings: VectorSettings,
    execution: Execution | None = None,
    *,
    processes: int | None = None,
) -> Iterator[Event]:
    """Train word vectors on text files and write them to ``out``, an ``.npz`` file."""
    if out.suffix != ".npz":
        raise UsageError(f"{out}: word vectors are written to an .npz file", hint="rename it")
    execution = execution or Execution()
    run = run_name(paths, settings)
    with Workspace.opened(out, run, resume=execution.resume) as workspace:
        if workspace is None:
            return
        if not is_complete(workspace.text):
            numbering = Numbering([SENTENCE_END])
            batches = (
                [numbering(word for s in line for word in (*s, SENTENCE_END)) for line in batch]
                for batch in sentences(paths, settings.tokenizer, processes=processes)
            )
            yield from write_text(workspace.text, batches, np.int32)
            finish_text(workspace.text, np.int32, numbering.names)
        task = VectorTask(open_text(workspace.text), settings, choose_device(execution.device))
        if not (yield from train(task, workspace.checkpoint, execution)):
            return
        result = workspace.folder / "result.npz"
        write_vectors(task.result(), result)
        workspace.publish(result)


class VectorTask:
    """Skip-gram over an encoded text, one chunk per step."""

    def __init__(self, text: EncodedText, settings: VectorSettings, device: torch.device) -> None:
        self.settings = settings
        self.device = device
        self._text = text
        counts = text.counts(len(text.names))
        end = text.names.index(SENTENCE_END)
        counts[end] = 0
        # Most frequent first; ties in order of first occurrence.
        order = np.argsort(-counts, kind="stable")
        order = order[counts[order] >= settings.min_count]
        if not len(order):
            raise DataError(
                f"no word occurs {settings.min_count} times", hint="add text or set --min-count 1"
            )
        self.words = [text.names[number] for number in order]
        self._rank = np.full(len(counts), -1, dtype=np.int64)
        self._rank[order] = np.arange(len(order))
        self._end = end
        self._keep = keep_probability(counts[order], settings.subsample)
        self._sampler = NegativeSampler(counts[order])
        torch.manual_seed(settings.seed)
        self.model = SkipGram(len(order), settings.dimension).to(device)
        self._optimizer = torch.optim.Adagrad(self.model.parameters(), settings.learning_rate)
        self._chunks = -(-len(text.train) // _CHUNK)

    @property
    def steps(self) -> int:
        return self.settings.epochs * self._chunks

    def step(self, number: int) -> Step:
        random = np.random.default_rng((self.settings.seed, number))
        start = number % self._chunks * _CHUNK
        numbers = self._text.train[start : start + _CHUNK]
        blocks = self._blocks(numbers, random, subsample=True)
        order = torch.split(
            torch.from_numpy(random.permutation(len(blocks))), self.settings.batch_blocks
        )
        total = torch.zeros(2, device=self.device)
        for index, chosen in enumerate(order):
            progress = (number + index / len(order)) / self.steps
            for group in self._optimizer.param_groups:
                group["lr"] = self.settings.learning_rate * rate_factor(progress, warmup=0.0)
            loss, pairs = self._loss(blocks, chosen, random)
            self._optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            # torch warns unless its own sparse tensors are explicitly left unchecked.
            with torch.sparse.check_sparse_tensor_invariants(False):  # type: ignore[no-untyped-call]
                self._optimizer.step()
            total += torch.stack((loss.detach(), pairs))
        return Step(total[0], int(total[1]), len(numbers))

    @torch.no_grad()
    def heldout_loss(self) -> float:
        """Per pair: the loss of the word and of its negative samples."""
        random = np.random.default_rng(self.settings.seed)
        blocks = self._blocks(self._text.heldout, random, subsample=False)
        summed, total = 0.0, 0
        for chosen in torch.split(torch.arange(len(blocks)), self.settings.batch_blocks):
            loss, pairs = self._loss(blocks, chosen, random)
            summed, total = summed + float(loss), total + int(pairs)
        return summed / max(total, 1)

    def _blocks(self, numbers: Numbers, random: np.random.Generator, *, subsample: bool) -> Blocks:
        words = self._rank[numbers]
        sentence = np.cumsum(numbers == self._end)
        kept = words >= 0
        if subsample:
            kept &= random.random(len(words)) < self._keep[words]
        return cut_blocks(words[kept], sentence[kept], self.settings.window, random)

    def _loss(
        self, blocks: Blocks, chosen: Tensor, random: np.random.Generator
    ) -> tuple[Tensor, Tensor]:
        """The loss summed over pairs of words, and their number."""
        negatives = self._sampler.draw(len(chosen), random).to(self.device)
        part = blocks.part(chosen, self.device)
        loss, pairs = self.model(part, negatives, self.settings.negatives)
        return loss, pairs

    def tensors(self) -> Tensors:
        return pack(self.model, self._optimizer)

    def restore(self, tensors: Tensors) -> None:
        unpack(tensors, self.model, self._optimizer)

    def result(self) -> Vectors:
        return Vectors(self.words, self.model.words.weight.detach().cpu().numpy())
