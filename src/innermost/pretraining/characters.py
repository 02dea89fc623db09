"""Train a character language model on text, for the part ``flair``.

Each sentence is a line ``"\\n" + words joined by single spaces``, as when words are embedded; a
backward model reads every line from its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from innermost.errors import UsageError
from innermost.network.device import choose_device
from innermost.parts.flair.character_lm import (
    UNKNOWN,
    CharacterLM,
    State,
    load_character_lms,
    save_character_lms,
    with_characters,
)
from innermost.parts.flair.string_embeddings import LINE_START, Direction
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
from innermost.pretraining.precision import fast_precision
from innermost.pretraining.settings import CharacterSettings, Execution
from innermost.pretraining.text import sentences
from innermost.pretraining.workspace import Workspace, run_name

_CODE_POINTS = 0x110000


def pretrain_characters(
    paths: Sequence[str | Path],
    out: Path,
    settings: CharacterSettings,
    execution: Execution | None = None,
    *,
    processes: int | None = None,
) -> Iterator[Event]:
    """Train a character language model on text files and write it to the folder ``out``."""
    execution = execution or Execution()
    run = run_name(paths, settings)
    with Workspace.opened(out, run, resume=execution.resume) as workspace:
        if workspace is None:
            return
        if not is_complete(workspace.text):
            batches = (
                [code_points(line, settings.direction) for line in batch]
                for batch in sentences(paths, settings.tokenizer, processes=processes)
            )
            yield from write_text(workspace.text, batches, np.uint32)
            finish_text(workspace.text, np.uint32)
        task = CharacterTask(open_text(workspace.text), settings, choose_device(execution.device))
        if not (yield from train(task, workspace.checkpoint, execution)):
            return
        result = workspace.folder / "result"
        save_character_lms(result, [task.model])
        workspace.publish(result)


def code_points(line: list[list[str]], direction: Direction) -> Numbers:
    """The sentences of a line as the model reads them."""
    step = 1 if direction == "forward" else -1
    text = "".join(LINE_START + " ".join(tokens)[::step] for tokens in line)
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


class CharacterTask:
    """Truncated backpropagation at many positions of the text in parallel."""

    def __init__(
        self, text: EncodedText, settings: CharacterSettings, device: torch.device
    ) -> None:
        self.settings = settings
        self.device = device
        torch.manual_seed(settings.seed)
        counts = text.counts(_CODE_POINTS)
        self.model = _initial_model(counts, settings).to(device)
        self._number = np.zeros(_CODE_POINTS, dtype=np.int64)
        for number, character in enumerate(self.model.characters[1:], start=1):
            self._number[ord(character)] = number
        self._train = _Streams(text.train, settings.streams, settings.length)
        self._heldout = text.heldout
        self._optimizer = torch.optim.AdamW(
            self.model.parameters(),
            settings.learning_rate,
            weight_decay=0.0,
            fused=device.type == "cuda",
        )
        self._state = self.model.no_state(self._train.count)

    @property
    def steps(self) -> int:
        return self.settings.epochs * self._train.windows

    def step(self, number: int) -> Step:
        torch.manual_seed(self.settings.seed * 1_000_003 + number)
        self.model.train()
        for group in self._optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * rate_factor(number / self.steps)
        window = number % self._train.windows
        if window == 0:
            self._state = self.model.no_state(self._train.count)
        loss, count, state = self._loss(self._train.read(window), self._state)
        self._state = (state[0].detach(), state[1].detach())
        self._optimizer.zero_grad(set_to_none=True)
        (loss / count).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip)
        self._optimizer.step()
        return Step(loss.detach(), count, count)

    @torch.no_grad()
    def heldout_loss(self) -> float:
        """In nats per character."""
        self.model.eval()
        streams = _Streams(self._heldout, self.settings.streams, self.settings.length)
        state = self.model.no_state(streams.count)
        summed, total = 0.0, 0
        for window in range(streams.windows):
            loss, count, state = self._loss(streams.read(window), state)
            summed, total = summed + float(loss), total + count
        return summed / max(total, 1)

    def _loss(self, code_points: Numbers, state: State) -> tuple[Tensor, int, State]:
        """The loss summed over characters, each predicted from those before it."""
        numbers = torch.from_numpy(self._number[code_points]).to(self.device)
        # Not for the LSTM: with autocast it would run in float16, where small gradients vanish.
        outputs, state = self.model.states(numbers[:, :-1], state)
        with fast_precision(self.device):
            scores = self.model.decoder(outputs)
        wanted = numbers[:, 1:]
        loss = cross_entropy(scores.float().flatten(0, 1), wanted.flatten(), reduction="sum")
        return loss, wanted.numel(), state

    def tensors(self) -> Tensors:
        carried = {"state.h": self._state[0], "state.c": self._state[1]}
        return pack(self.model, self._optimizer) | carried

    def restore(self, tensors: Tensors) -> None:
        unpack(tensors, self.model, self._optimizer)
        self._state = (tensors["state.h"].to(self.device), tensors["state.c"].to(self.device))


class _Streams:
    """A text cut into parts of equal length that are read in parallel, one window at a time."""

    def __init__(self, numbers: Numbers, most: int, length: int) -> None:
        self._numbers = numbers
        self._length = length
        # A short text has fewer parts, so that each is long enough.
        self.count = max(1, min(most, len(numbers) // (length + 1)))
        self._part = max((len(numbers) - 1) // self.count, 0)
        self.windows = -(-self._part // length)

    def read(self, window: int) -> Numbers:
        """``[part, character]``: one more character than is used for prediction."""
        begin = window * self._length
        end = min(begin + self._length, self._part)
        starts = np.arange(self.count) * self._part
        found: Numbers = self._numbers[starts[:, None] + np.arange(begin, end + 1)]
        return found


def _initial_model(counts: Numbers, settings: CharacterSettings) -> CharacterLM:
    frequent = np.argsort(-counts, kind="stable")[: int((counts >= settings.min_count).sum())]
    characters = [chr(point) for point in frequent]
    if settings.init is not None:
        for model in load_character_lms(settings.init):
            if model.direction == settings.direction:
                return with_characters(model, characters)
        raise UsageError(
            f"{settings.init} contains no {settings.direction} model",
            hint="choose another --init, or the --direction in which it was trained",
        )
    characters = list(dict.fromkeys([UNKNOWN, LINE_START, " ", *characters]))
    return CharacterLM(
        characters, settings.direction, hidden=settings.hidden, layers=settings.layers
    )
