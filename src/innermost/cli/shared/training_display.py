"""What training shows: a progress bar while it runs, and tables of the results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from innermost.cli.shared.progress import NotedBar
from innermost.training.config import Config
from innermost.training.experiment import RunEvent, summarize
from innermost.training.loop import Progress
from innermost.training.run import Data, EpochScored, Reading, Ready

PERCENT = 100


class TrainingDisplay(NotedBar):
    """A progress bar with loss, F1, tokens/s and time left, on standard error."""

    def __init__(self, config: Config, data: Data) -> None:
        super().__init__("", total=config.training.epochs)
        for name, split in (("train", data.train), ("dev", data.dev), ("test", data.test)):
            if split is not None:
                self.console.print(
                    f"{name:<6}{len(split.sentences):>8,} sentences {split.tokens:>10,} tokens  "
                    f"{split.fingerprint}  {split.path}"
                )
        for path, labels in annotated_types(data):
            self.console.print(f"{path} annotates {labels}", markup=False, soft_wrap=True)
        notes = [source.summary for source in data.sources.values() if source is not None]
        self.console.print(", ".join([f"types: {', '.join(data.types)}", *filter(None, notes)]))
        self.epochs = config.training.epochs
        self.f1 = ""
        self.tenth = 0

    def show(self, item: RunEvent) -> None:
        event = item.event
        which = f"[{item.number}/{item.total}] " if item.total > 1 else ""
        name = f"{which}{item.variant} seed {item.seed}"
        if isinstance(event, Reading):
            note = f"the frozen encoder has read {event.done:,} of {event.words:,} words"
            self.update(self.task, description=event.path, total=event.words, completed=event.done)
            self.update(self.task, note=note)
            tenth = 10 * event.done // event.words
            if not self.console.is_terminal and tenth != self.tenth:
                self.console.print(f"{event.path}: {note}")
            self.tenth = tenth
        elif isinstance(event, Ready):
            self.console.print(f"{name}: {_ready(event)}")
            self.reset(self.task, description=name, total=self.epochs, note="")
        elif isinstance(event, Progress):
            done = event.epoch + event.done
            note = f"loss {event.loss:.2f} {self.f1} {event.tokens_per_second:,.0f} tokens/s"
            self.update(self.task, description=name, completed=done, note=note)
        elif isinstance(event, EpochScored):
            self.f1 = f"dev F1 {PERCENT * event.dev_f1:.2f} (best {PERCENT * event.best_f1:.2f})"
            note = f"loss {event.loss:.2f} {self.f1} {event.tokens_per_second:,.0f} tokens/s"
            self.update(self.task, description=name, completed=event.epoch, note=note)
            if not self.console.is_terminal:
                self.console.print(f"{name} epoch {event.epoch}/{event.epochs} {note}")
        else:
            self.f1 = ""
            self.reset(self.task, total=self.epochs)


def annotated_types(data: Data) -> list[tuple[str, str]]:
    """What each file annotates, if any of them annotates only some of the types."""
    files = [
        file for split in (data.train, data.dev, data.test) if split for file in split.coverage
    ]
    if all(file.annotates is None for file in files):
        return []
    everything = f"all types: {', '.join(data.types)}"
    return [
        (file.path, everything if file.annotates is None else _some(file.annotates, data.types))
        for file in files
    ]


def _some(annotated: frozenset[str], types: Sequence[str]) -> str:
    unknown = ", ".join(label for label in types if label not in annotated)
    return f"{', '.join(sorted(annotated))}; unknown in it: {unknown or 'nothing'}"


def _ready(event: Ready) -> str:
    memory = event.peak_memory
    needed = "" if memory is None else f", which take at most {memory / 2**30:.1f} GiB of the GPU"
    return f"{event.trained_weights:,} weights, batches of {event.batch_tokens:,} tokens{needed}"


def print_results(results: dict[str, list[dict[str, Any]]], out: Path) -> None:
    """Mean and standard deviation over seeds, one row for each variant."""
    console = Console()
    split = "test" if all("test" in r for rows in results.values() for r in rows) else "dev"
    summaries = {variant: summarize(rows, split) for variant, rows in results.items()}
    names = list(dict.fromkeys(name for s in summaries.values() for name in s))
    first = next(iter(results.values()))
    seeds = ", ".join(str(r["seed"]) for r in first)
    table = Table(title=f"{split} scores (%), seeds {seeds}: mean ± standard deviation")
    table.add_column("")
    for name in names:
        table.add_column(name, justify="right")
    for variant, summary in summaries.items():
        cells = [
            f"{PERCENT * summary[n][0]:.2f} ± {PERCENT * summary[n][1]:.2f}" if n in summary else ""
            for n in names
        ]
        table.add_row(variant, *cells)
    console.print(table)
    prints = ", ".join(f"{k} {v}" for k, v in first[0]["fingerprints"].items())
    environment = first[0]["environment"]
    console.print(f"data {prints}; {environment['date']}, {environment['hardware']}", style="dim")
    console.print(f"written to {out}", style="dim")
