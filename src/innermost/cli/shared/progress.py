"""Progress on standard error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from innermost.cli.shared.output import stderr_console
from innermost.cli.shared.verbosity import is_quiet

T = TypeVar("T")

_UPDATE_EVERY = 64


def counted(items: Iterable[T], what: str, *, total: int | None = None) -> Iterator[T]:
    """The same items, with a counter while they are read, if stderr is a terminal."""
    console = stderr_console()
    if console.quiet or not console.is_terminal:
        yield from items
        return
    columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn(what)]
    if total is None:
        columns += [TextColumn("{task.completed:,}"), TimeElapsedColumn()]
    else:
        columns += [BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        for number, item in enumerate(items):
            if number % _UPDATE_EVERY == 0:
                progress.update(task, completed=number)
            yield item


class NotedBar(Progress):
    """One bar with a note and the time left; at the end, the time it took."""

    def __init__(self, description: str, total: float | None) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=Console(stderr=True, highlight=False, emoji=False, quiet=is_quiet()),
        )
        self.task = self.add_task(description, total=total, note="")
