"""The training loop: a generator of events. Logging, saving and stopping live outside."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from innermost import crf
from innermost.network.tagger import Tagger, TaggerFeatures
from innermost.training.averaging import WeightAverage
from innermost.training.data.batching import shuffled_batches
from innermost.training.data.dataset import Prepared
from innermost.training.gradients import add_gradients
from innermost.training.optimizers import build_optimizer, rate_factor
from innermost.training.settings.config import Config
from innermost.training.world import ALONE, World

REPORT_EVERY = 20
"""Steps between reports: each one waits for the device."""
BETWEEN_RANKS = 1_000_000_007
"""Between the random seeds of two processes: the same dropout in both would be half the noise."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Part of an epoch is done."""

    epoch: int
    done: float
    loss: float
    tokens_per_second: float


@dataclass(frozen=True, slots=True)
class EpochEnd:
    """An epoch is done: the state may be evaluated and saved now."""

    epoch: int
    loss: float
    tokens_per_second: float


class NonFiniteLoss(Exception):  # noqa: N818
    """The loss of a batch was infinite or not a number."""

    def __init__(self, epoch: int, batch: list[int]) -> None:
        super().__init__(f"epoch {epoch}, sentences {batch}")
        self.epoch = epoch
        self.batch = batch


class TrainingState:
    """Everything that changes during training: weights, their average, the optimizer, the epoch."""

    def __init__(self, model: Tagger, config: Config) -> None:
        self.model = model
        self.config = config
        self.optimizer = build_optimizer(model, config.training, config.start.encoder_rate)
        decay, span = config.training.average, config.training.average_span
        self.average = WeightAverage(model, decay, span) if decay else None
        self.epoch = 0
        """Finished epochs."""

    @property
    def evaluated(self) -> nn.Module:
        """The weights to evaluate and save: the average if there is one."""
        return self.model if self.average is None else self.average.module


def train(
    state: TrainingState,
    data: Prepared,
    features: TaggerFeatures,
    *,
    seed: int,
    device: torch.device,
    world: World = ALONE,
) -> Iterator[Progress | EpochEnd]:
    """Train from ``state`` to the last epoch of its config.

    All randomness in an epoch is determined by the seed and the epoch's number, so a run that is
    resumed after any epoch ends exactly as it would have. A loss that is not finite raises
    :class:`NonFiniteLoss`.
    """
    config = state.config.training
    groups = features.groups(data.items)
    while state.epoch < config.epochs:
        torch.manual_seed(seed * 1_000_003 + state.epoch + world.rank * BETWEEN_RANKS)
        state.model.train()
        plan = shuffled_batches(
            data.lengths, config.batch_tokens, groups, seed=seed, epoch=state.epoch
        )
        begun = time.perf_counter()
        summed = torch.zeros((), device=device)
        first_bad = torch.full((), len(plan), device=device)
        tokens = sentences = 0
        for number, batch in enumerate(plan):
            progress = (state.epoch + number / len(plan)) / config.epochs
            loss_of_batch = _step(state, data, features, batch, progress, device, world)
            summed += loss_of_batch * len(batch)
            # Read only when reporting: waiting for the device at every step would slow it down.
            bad = torch.where(loss_of_batch.isfinite(), len(plan), number)
            first_bad = torch.minimum(first_bad, bad)
            tokens += sum(data.lengths[i] for i in batch)
            sentences += len(batch)
            if (number + 1) % REPORT_EVERY == 0:
                _check_finite(int(first_bad), plan, state.epoch)
                loss = summed.item() / sentences
                speed = tokens / (time.perf_counter() - begun)
                yield Progress(state.epoch, (number + 1) / len(plan), loss, speed)
        _check_finite(int(first_bad), plan, state.epoch)
        loss = summed.item() / sentences
        state.epoch += 1
        yield EpochEnd(state.epoch, loss, tokens / (time.perf_counter() - begun))


def _check_finite(first_bad: int, plan: list[list[int]], epoch: int) -> None:
    if first_bad < len(plan):
        raise NonFiniteLoss(epoch + 1, plan[first_bad])


def _step(
    state: TrainingState,
    data: Prepared,
    features: TaggerFeatures,
    batch: list[int],
    progress: float,
    device: torch.device,
    world: World,
) -> Tensor:
    config = state.config
    for group in state.optimizer.param_groups:
        group["lr"] = group["rate"] * rate_factor(progress, config.training)
    state.optimizer.zero_grad(set_to_none=True)
    loss = torch.zeros((), device=device)
    if share := world.share(batch):
        loss = add_gradients(
            lambda part: batch_loss(state, data, features, part, device),
            share,
            len(batch),
            state.optimizer.zero_grad,
        )
    trained = [parameter for parameter in state.model.parameters() if parameter.requires_grad]
    loss = world.sum_gradients(trained, loss)
    if config.training.clip:
        nn.utils.clip_grad_norm_(state.model.parameters(), config.training.clip)
    state.optimizer.step()
    if state.average is not None:
        state.average.update(state.model)
    return loss


def batch_loss(
    state: TrainingState,
    data: Prepared,
    features: TaggerFeatures,
    batch: list[int],
    device: torch.device,
) -> Tensor:
    """The loss of these sentences, per sentence."""
    config = state.config
    inputs = features.collate([data.items[i] for i in batch])
    targets = crf.pack([data.targets[i] for i in batch]).to(device)
    with precision(config.training.precision, device):
        emissions = state.model(inputs.to(device))
    return crf.nll(emissions, inputs.lengths, targets, inner=config.objective.inner)


def precision(name: str, device: torch.device) -> AbstractContextManager[object]:
    if name == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)
