"""Several processes that train one model together, as started by ``torchrun``.

Every process has all data and the same weights. A step takes the batch that a single process would:
each process computes the gradients of its share of the sentences, and the sums are the same
everywhere. The main process alone evaluates, writes and prints.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import msgspec
import torch
from torch import Tensor, nn

from innermost.errors import LostConnectionError, UsageError
from innermost.network.device import choose_device

T = TypeVar("T")

STARTING = timedelta(minutes=5)
"""The longest wait for all processes to start."""
STEP = timedelta(minutes=1)
"""The longest wait for the gradients of another process. One that ended is noticed at once, unless
the wait is on a GPU."""
MAIN = timedelta(days=1)
"""The longest wait for the main process while it evaluates, exports or runs a frozen encoder."""


class World:
    """The processes of a training: this one alone."""

    rank = 0
    size = 1

    @property
    def is_main(self) -> bool:
        return self.rank == 0

    def device(self, name: str) -> torch.device:
        """The device of this process, where ``name`` is the setting."""
        return choose_device(name)

    def share(self, batch: list[int]) -> list[int]:
        """The sentences of a batch that this process computes, maybe none."""
        return batch

    def sum_gradients(self, parameters: Sequence[nn.Parameter], loss: Tensor) -> Tensor:
        """Replace the gradients by their sums over all processes; return the sum of ``loss``."""
        return loss

    def agree(self, value: T) -> T:
        """The value of the main process, which must be representable in JSON. Waits for it."""
        return value

    def copy_weights(self, model: nn.Module) -> None:
        """Give ``model`` the weights of the main process."""


ALONE = World()


class Processes(World):
    """A world of several processes, connected over the network."""

    def __init__(self, rank: int, size: int, device: torch.device) -> None:
        import torch.distributed as dist

        self.rank, self.size = rank, size
        self._dist = dist
        self._device = device
        with _peers():
            store, _, _ = next(dist.rendezvous("env://", timeout=STARTING))  # type: ignore[attr-defined]
            # torchrun keeps the store when it restarts the processes (--max-restarts).
            attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
            store = dist.PrefixStore(f"attempt-{attempt}", store)  # type: ignore[attr-defined]
            # Messages between CPUs notice at once when a process ends, those between GPUs do not.
            dist.init_process_group(
                "gloo", store=store, rank=rank, world_size=size, timeout=STARTING
            )
            self._main = dist.new_group(backend="gloo", timeout=MAIN)
            self._step = self._tensors = dist.new_group(backend="gloo", timeout=STEP)
            if device.type == "cuda":
                self._tensors = dist.new_group(backend="nccl", timeout=STEP)

    def device(self, name: str) -> torch.device:
        return self._device

    def share(self, batch: list[int]) -> list[int]:
        """Every ``size``-th sentence: they are sorted by length, so the shares are similar."""
        return batch[self.rank :: self.size]

    def sum_gradients(self, parameters: Sequence[nn.Parameter], loss: Tensor) -> Tensor:
        used = torch.tensor([p.grad is not None for p in parameters], dtype=torch.uint8)
        with _peers():
            self._dist.all_reduce(used, self._dist.ReduceOp.MAX, group=self._step)
        # A parameter that no process used has no gradient, as with a single process.
        summed = [p for p, is_used in zip(parameters, used.tolist(), strict=True) if is_used]
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in summed]
        flat = torch.cat([loss.reshape(1), *(gradient.flatten() for gradient in gradients)])
        with _peers():
            self._dist.all_reduce(flat, group=self._tensors)
        total, *parts = torch.split(flat, [1, *(p.numel() for p in summed)])
        for parameter, part in zip(summed, parts, strict=True):
            parameter.grad = part.view_as(parameter)
        return total[0]

    def agree(self, value: T) -> T:
        data = bytearray(msgspec.json.encode(value))
        length = torch.tensor(len(data))
        with _peers():
            self._dist.broadcast(length, 0, group=self._main)
            content = torch.empty(int(length), dtype=torch.uint8)
            if self.is_main:
                content = torch.frombuffer(data, dtype=torch.uint8)
            self._dist.broadcast(content, 0, group=self._main)
        decoded: T = msgspec.json.decode(content.numpy().tobytes())
        return decoded

    def copy_weights(self, model: nn.Module) -> None:
        with _peers(), torch.no_grad():
            for tensor in model.state_dict().values():
                self._dist.broadcast(tensor, 0, group=self._tensors)

    def close(self) -> None:
        self._dist.destroy_process_group()


@contextmanager
def open_world(device: str) -> Iterator[World]:
    """The processes that ``torchrun`` started, or this one alone; ``device`` is the setting."""
    size = started_processes()
    if size == 1:
        yield ALONE
        return
    import torch.distributed as dist

    if not dist.is_available():
        raise UsageError("this build of torch cannot train in several processes")
    needed = ("RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    if missing := [name for name in needed if name not in os.environ]:
        raise UsageError(
            f"the variable WORLD_SIZE is {size}, but {missing[0]} is not set",
            hint="start with torchrun, or unset WORLD_SIZE to train in one process",
        )
    own = _own_device(device, int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"]))
    world = Processes(int(os.environ["RANK"]), size, own)
    yield world
    world.close()  # After an error, the end of the process closes the connections.


def started_processes() -> int:
    """The number of processes that were started together."""
    return int(os.environ.get("WORLD_SIZE", 1))


def _own_device(name: str, local_rank: int, processes: int) -> torch.device:
    """Each process on a machine gets its own GPU."""
    device = choose_device(name)
    if device.type != "cuda":
        return device
    if ":" in name:
        raise UsageError(
            f"training.device is {name}, one GPU for {processes} processes",
            hint="leave training.device as it is: every process takes its own GPU",
        )
    if (gpus := torch.cuda.device_count()) < processes:
        raise UsageError(
            f"{processes} processes, but {gpus} GPU{'s' * (gpus > 1)}",
            hint=f"start {gpus} with --nproc-per-node, or add --set training.device=cpu",
        )
    torch.cuda.set_device(local_rank)
    return torch.device("cuda", local_rank)


@contextmanager
def _peers() -> Iterator[Any]:
    """Turn errors of the connection into one that says what to do."""
    try:
        yield
    except RuntimeError as error:
        # Without the line of torch's source before it, and its advice after it.
        reason = re.sub(r"^\[.*?\] ", "", str(error).strip().splitlines()[0]).split(". ")[0]
        raise LostConnectionError(
            f"the connection to another process of this training failed: {reason}",
            hint="its own error is the cause, if it printed one; then start all of them again "
            "with --resume",
        ) from error
