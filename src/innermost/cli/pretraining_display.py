"""What pretraining shows while it runs, on standard error."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from innermost.pretraining.events import Event, HeldOut, Reading


class PretrainingDisplay:
    """A bar with speed and loss; a line for every measurement on held-out text."""

    def __init__(self, unit: str, measure: str, scale: Callable[[float], float]) -> None:
        self.unit = unit
        self.measure = measure
        self.scale = scale
        self.heldout: float | None = None
        """The last measurement."""
        self._console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )
        self._task = self._bar.add_task("reading", total=None, note="")

    def __enter__(self) -> PretrainingDisplay:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def show(self, event: Event) -> None:
        if isinstance(event, Reading):
            note = f"{event.lines:,} lines, {event.units:,} {self.unit}"
            self._bar.update(self._task, note=note)
            return
        self._bar.update(self._task, description="training", total=1.0, completed=event.done)
        if isinstance(event, HeldOut):
            self.heldout = self.scale(event.loss)
            self._console.print(f"{event.done:6.1%}  held-out {self.measure} {self.heldout:.3f}")
        else:
            speed = f"{event.units_per_second:,.0f} {self.unit}/s"
            self._bar.update(
                self._task, note=f"{self.measure} {self.scale(event.loss):.3f}  {speed}"
            )
