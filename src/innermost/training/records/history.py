"""The log of a run: one line per evaluation, and the best one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from innermost.errors import CheckpointError
from innermost.files.atomic import errors_of_writing, write_atomically
from innermost.training.loop import EpochEnd


class History:
    """The log of a run, and its best epoch."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[dict[str, Any]] = []
        self.best: dict[str, Any] = {}

    def add(self, event: EpochEnd, dev: dict[str, float] | None, seconds: float) -> bool:
        """Log an evaluation; return whether it is the best so far.

        As long as F1 is 0, or without evaluation, the latest is the best.
        """
        line = {
            "epoch": event.epoch,
            "loss": event.loss,
            "dev": dev,
            "seconds": round(seconds, 3),
            "tokens_per_second": round(event.tokens_per_second, 1),
        }
        with errors_of_writing(self.path):
            if not self.lines:
                self.path.write_bytes(b"")
            with self.path.open("ab") as file:
                file.write(msgspec.json.encode(line) + b"\n")
        self.lines.append(line)
        if not dev or not self.best_f1 or dev["f1"] > self.best_f1:
            self.best = {"epoch": event.epoch, "evaluation": len(self.lines), "dev": dev}
            return True
        return False

    @property
    def best_f1(self) -> float:
        dev = self.best.get("dev")
        return float(dev["f1"]) if dev else 0.0

    def stale(self, patience: int) -> bool:
        """Whether the last ``patience`` evaluations brought no improvement."""
        return bool(self.best_f1) and len(self.lines) - self.best["evaluation"] >= patience

    def state(self) -> dict[str, Any]:
        return {"best": self.best, "lines": len(self.lines)}

    def restore(self, state: dict[str, Any]) -> None:
        """Reset the log to the state of the checkpoint: later epochs are repeated."""
        try:
            kept = self.path.read_bytes().splitlines(keepends=True)[: state["lines"]]
            self.lines = [msgspec.json.decode(line) for line in kept]
        except (OSError, msgspec.DecodeError) as error:
            raise CheckpointError(f"{self.path}: the run's log is damaged: {error}") from None
        if len(self.lines) != state["lines"]:
            raise CheckpointError(
                f"{self.path} has {len(self.lines)} evaluations, the checkpoint {state['lines']}"
            )
        write_atomically(self.path, b"".join(kept))
        self.best = state["best"]
