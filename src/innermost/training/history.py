"""The log of a run: a line for each epoch, and which was the best."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from innermost.errors import CheckpointError
from innermost.files.atomic import write_atomically
from innermost.training.loop import EpochEnd


class History:
    """The log of a run, and its best epoch."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[dict[str, Any]] = []
        self.best: dict[str, Any] = {}

    def add(self, event: EpochEnd, dev: dict[str, float], seconds: float) -> bool:
        """Log an epoch; whether it is the best so far."""
        line = {
            "epoch": event.epoch,
            "loss": event.loss,
            "dev": dev,
            "seconds": round(seconds, 3),
            "tokens_per_second": round(event.tokens_per_second, 1),
        }
        if not self.lines:
            self.path.write_bytes(b"")
        with self.path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")
        self.lines.append(line)
        if not self.best or dev["f1"] > self.best["dev"]["f1"]:
            self.best = {"epoch": event.epoch, "dev": dev}
            return True
        return False

    def stale(self, patience: int) -> bool:
        """Whether the last ``patience`` epochs brought nothing better."""
        return bool(self.lines) and len(self.lines) - int(self.best["epoch"]) >= patience

    def state(self) -> dict[str, Any]:
        return {"best": self.best, "lines": len(self.lines)}

    def restore(self, state: dict[str, Any]) -> None:
        """Take the log back to where the checkpoint stood: what came after is done again."""
        try:
            kept = self.path.read_bytes().splitlines(keepends=True)[: state["lines"]]
            self.lines = [msgspec.json.decode(line) for line in kept]
        except (OSError, msgspec.DecodeError) as error:
            raise CheckpointError(f"{self.path}: the run's log is damaged: {error}") from None
        if len(self.lines) != state["lines"]:
            raise CheckpointError(
                f"{self.path} has {len(self.lines)} epochs, the checkpoint {state['lines']}"
            )
        write_atomically(self.path, b"".join(kept))
        self.best = state["best"]
