"""How far a stream has come, on stderr, when a person is watching."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

T = TypeVar("T")

_UPDATE_EVERY = 64


def counted(items: Iterable[T], what: str) -> Iterator[T]:
    """The same items, with a line that counts them; it goes away at the end."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from items
        return
    columns = SpinnerColumn(), TextColumn(what), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=None)
        for number, item in enumerate(items):
            if number % _UPDATE_EVERY == 0:
                progress.update(task, completed=number)
            yield item
