"""The display of pretraining, on standard error."""

from __future__ import annotations

from collections.abc import Callable

from innermost.cli.shared.progress import NotedBar
from innermost.pretraining.events import Event, HeldOut, Reading


class PretrainingDisplay(NotedBar):
    """A bar with speed and loss; one line per evaluation on held-out text."""

    def __init__(self, unit: str, measure: str, scale: Callable[[float], float]) -> None:
        super().__init__("reading", total=None)
        self.unit = unit
        self.measure = measure
        self.scale = scale
        self.heldout: float | None = None
        """The last evaluation."""

    def show(self, event: Event) -> None:
        if isinstance(event, Reading):
            note = f"{event.lines:,} lines, {event.units:,} {self.unit}"
            self.update(self.task, note=note)
            return
        self.update(self.task, description="training", total=1.0, completed=event.done)
        if isinstance(event, HeldOut):
            self.heldout = self.scale(event.loss)
            self.console.print(f"{event.done:6.1%}  held-out {self.measure} {self.heldout:.3f}")
        else:
            speed = f"{event.units_per_second:,.0f} {self.unit}/s"
            self.update(self.task, note=f"{self.measure} {self.scale(event.loss):.3f}  {speed}")
