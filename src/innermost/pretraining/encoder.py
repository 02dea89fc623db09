"""Continued pretraining of a Hugging Face encoder on text, for the part ``transformer``."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from innermost.errors import InnermostWarning, UsageError
from innermost.network.device import choose_device
from innermost.parts.transformer.fused_attention import fuse_attention
from innermost.parts.transformer.huggingface import Pretrained, load_pretrained, save_pretrained
from innermost.pretraining.checkpoint import Tensors, pack, unpack
from innermost.pretraining.encoded_text import (
    EncodedText,
    Numbers,
    finish_text,
    is_complete,
    open_text,
    write_text,
)
from innermost.pretraining.events import Event
from innermost.pretraining.loop import Step, rate_factor, train
from innermost.pretraining.masked_lm import MaskedLM
from innermost.pretraining.precision import fast_precision
from innermost.pretraining.settings import EncoderSettings, Execution
from innermost.pretraining.subword_text import Sequences, SubwordText
from innermost.pretraining.workspace import Workspace, run_name

_ATTENTION_DROPOUT = ("dropout_prob", "attention_dropout")
"""Numbers of attention modules, by the version of transformers, that are no dropout layer."""


def pretrain_encoder(
    paths: Sequence[str | Path],
    out: Path,
    settings: EncoderSettings,
    execution: Execution | None = None,
) -> Iterator[Event]:
    """Continue the pretraining of an encoder on text files and write it to the folder ``out``."""
    execution = execution or Execution()
    run = run_name(paths, settings)
    with Workspace.opened(out, run, resume=execution.resume) as workspace:
        if workspace is None:
            return
        pretrained = load_pretrained(settings.init)
        subwords = SubwordText(pretrained)
        if not is_complete(workspace.text):
            yield from write_text(workspace.text, subwords.encode(paths), np.int32)
            finish_text(workspace.text, np.int32)
        text = open_text(workspace.text)
        task = EncoderTask(text, pretrained, subwords, settings, choose_device(execution.device))
        if not (yield from train(task, workspace.checkpoint, execution)):
            return
        result = workspace.folder / "result"
        save_pretrained(pretrained, result, weights=True)
        task.model.save_head(result)
        workspace.publish(result)


def _prepare(encoder: nn.Module, dropout: float | None) -> None:
    """Speed up its attention, and set its dropout; neither is saved with it."""
    fuse_attention(encoder, padded=False)
    if dropout is not None:
        for module in encoder.modules():
            if isinstance(module, nn.Dropout):
                module.p = dropout
            for name in _ATTENTION_DROPOUT:
                if isinstance(getattr(module, name, None), float):
                    setattr(module, name, dropout)


class EncoderTask:
    """Predict masked sub-words, one batch of sequences per step."""

    def __init__(
        self,
        text: EncodedText,
        pretrained: Pretrained,
        subwords: SubwordText,
        settings: EncoderSettings,
        device: torch.device,
    ) -> None:
        self.settings = settings
        self.device = device
        self._subwords = subwords
        longest = pretrained.subwords.capacity + subwords.specials
        if not subwords.specials < settings.length <= longest:
            raise UsageError(
                f"--length {settings.length}: this encoder reads sequences of "
                f"{subwords.specials + 1} to {longest} sub-words"
            )
        _prepare(pretrained.encoder, settings.dropout)
        self.model = MaskedLM(pretrained.encoder).to(device)
        self.model.load_head(settings.init)
        length = settings.length - subwords.specials
        self._train = Sequences(text.train, length)
        self._heldout = Sequences(text.heldout, length)
        self._batch = max(settings.batch_tokens // settings.length, 1)
        self._shuffled: tuple[int, Numbers] | None = None
        self._batches = -(-self._train.count // self._batch)
        self._optimizer = torch.optim.AdamW(
            self.model.parameters(),
            settings.learning_rate,
            weight_decay=settings.weight_decay,
            fused=device.type == "cuda",
        )
        self._compiled_rows = 0
        if settings.compile:
            self._compile()

    def _compile(self) -> None:
        """Compile the layers and try them on a batch, without other effects."""
        if not hasattr(torch.compiler, "set_stance"):
            raise UsageError(
                f"--compile needs torch 2.6 or newer, but this is {torch.__version__}",
                hint="install a newer version, or drop the option",
            )
        self._compiled_rows = min(self._batch, self._train.count)
        self.model.train()
        try:
            self.model.compile_layers()
            loss, _ = self._loss(self._train, np.arange(self._compiled_rows), torch.Generator())
            loss.backward()  # type: ignore[no-untyped-call]
        except Exception as error:  # of any kind: training works without compiling
            self._compiled_rows = 0
            reason = " ".join(str(error).splitlines()[:2]).strip()
            warnings.warn(
                "--compile: the layers could not be compiled, so they are trained uncompiled; "
                f"often a C compiler (gcc) is missing ({type(error).__name__}: {reason})",
                InnermostWarning,
                stacklevel=2,
            )
        self._optimizer.zero_grad(set_to_none=True)

    @property
    def steps(self) -> int:
        return self.settings.epochs * self._batches

    def step(self, number: int) -> Step:
        torch.manual_seed(self.settings.seed * 1_000_003 + number)
        self.model.train()
        for group in self._optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * rate_factor(number / self.steps)
        epoch, batch = divmod(number, self._batches)
        chosen = self._order(epoch)[batch * self._batch : (batch + 1) * self._batch]
        loss, count = self._loss(self._train, chosen, torch.default_generator)
        self._optimizer.zero_grad(set_to_none=True)
        (loss / max(count, 1)).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip)
        self._optimizer.step()
        return Step(loss.detach(), count, len(chosen) * self.settings.length)

    def _order(self, epoch: int) -> Numbers:
        """The order in which the sequences are read."""
        if self._shuffled is None or self._shuffled[0] != epoch:
            random = np.random.default_rng((self.settings.seed, epoch))
            self._shuffled = (epoch, random.permutation(self._train.count))
        return self._shuffled[1]

    @torch.no_grad()
    def heldout_loss(self) -> float:
        """In nats per masked sub-word; the same ones are masked every time."""
        self.model.eval()
        generator = torch.Generator().manual_seed(self.settings.seed)
        summed, total = 0.0, 0
        for start in range(0, self._heldout.count, self._batch):
            chosen = np.arange(start, min(start + self._batch, self._heldout.count))
            loss, count = self._loss(self._heldout, chosen, generator)
            summed, total = summed + float(loss), total + count
        return summed / max(total, 1)

    def _loss(
        self, sequences: Sequences, chosen: Numbers, generator: torch.Generator
    ) -> tuple[Tensor, int]:
        """The loss summed over the masked sub-words, and their number."""
        batch = self._subwords.masked(
            sequences.read(chosen), whole_words=self.settings.whole_words, generator=generator
        )
        with self._way_to_run(len(chosen)), fast_precision(self.device):
            loss: Tensor = self.model(batch.to(self.device))
        return loss, len(batch.answers)

    def _way_to_run(self, rows: int) -> AbstractContextManager[object]:
        """Compiled code is for one shape; the others are too rare to be worth compiling for."""
        if not self.settings.compile or (self.model.training and rows == self._compiled_rows):
            return nullcontext()
        plainly: AbstractContextManager[object] = torch.compiler.set_stance("force_eager")
        return plainly

    def tensors(self) -> Tensors:
        return pack(self.model, self._optimizer)

    def restore(self, tensors: Tensors) -> None:
        unpack(tensors, self.model, self._optimizer)
