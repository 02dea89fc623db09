"""What ``innermost predict`` writes, run by run, in whole lines."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import msgspec
from rich.console import Console

from innermost.document import Document

Runs = Iterable[list[tuple[str | None, Document]]]
"""Documents with their names, as they come."""

_FILE_WIDTH = 100
_USUAL_WIDTH = 80


def jsonl(runs: Runs) -> Iterator[bytes]:
    encode = msgspec.json.Encoder().encode
    for documents in runs:
        yield b"".join(encode(document.to_dict()) + b"\n" for _, document in documents)


def html(runs: Runs, *, model: str) -> Iterator[bytes]:
    from innermost.rendering.html import page

    parts = page(_headed(runs), "Nested entities", f"Found by the model {model}.")
    return (part.encode() for part in parts)


def svg(runs: Runs, *, model: str) -> Iterator[bytes]:
    from innermost.rendering.svg import picture

    yield picture(_headed(runs), f"Nested entities found by the model {model}").encode()


def _headed(runs: Runs) -> Iterator[tuple[str | None, Document]]:
    """The name of a document is given once, with its first sentence."""
    last = None
    for run in runs:
        for name, document in run:
            yield (None if name == last else name), document
            last = name


def pretty(runs: Runs, *, to_file: bool) -> Iterator[bytes]:
    from innermost.rendering.terminal import draw

    console = drawing_console(to_file=to_file)
    for documents in runs:
        with console.capture() as captured:
            for _, document in documents:
                for line in draw(document, console.width):
                    console.print(line, soft_wrap=True)
                console.print()
        yield captured.get().encode(errors="replace")


def drawing_console(*, to_file: bool) -> Console:
    """For drawings in text: a file gets no colors and a fixed width."""
    if to_file:
        return Console(file=io.StringIO(), width=_FILE_WIDTH, color_system=None)
    console = Console()
    # COLUMNS=0 means that the width is not known.
    return console if console.width > 0 else Console(width=_USUAL_WIDTH)


def writer(format: str, *, to_file: bool, model: str) -> Callable[[Runs], Iterator[bytes]]:
    if format == "pretty":
        return partial(pretty, to_file=to_file)
    if format == "jsonl":
        return jsonl
    return partial({"html": html, "svg": svg}[format], model=model)
