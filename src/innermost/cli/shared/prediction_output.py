"""What ``innermost predict`` writes, run by run, in whole lines."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator

import msgspec
from rich.console import Console

from innermost.document import Document

Runs = Iterable[list[Document]]

_FILE_WIDTH = 100


def jsonl(runs: Runs) -> Iterator[bytes]:
    encode = msgspec.json.Encoder().encode
    for documents in runs:
        yield b"".join(encode(document.to_dict()) + b"\n" for document in documents)


def html(runs: Runs) -> Iterator[bytes]:
    from innermost.rendering.html import page

    documents = ((None, document) for run in runs for document in run)
    return (part.encode() for part in page(documents, "Nested entities"))


def pretty(runs: Runs, *, to_file: bool) -> Iterator[bytes]:
    from innermost.rendering.terminal import draw

    # A file gets no colours and a fixed width.
    console = (
        Console(file=io.StringIO(), width=_FILE_WIDTH, color_system=None) if to_file else Console()
    )
    for documents in runs:
        with console.capture() as captured:
            for document in documents:
                for line in draw(document, console.width):
                    console.print(line, soft_wrap=True)
                console.print()
        yield captured.get().encode(errors="replace")


def writer(format: str, *, to_file: bool) -> Callable[[Runs], Iterator[bytes]]:
    if format == "pretty":
        return lambda runs: pretty(runs, to_file=to_file)
    return {"jsonl": jsonl, "html": html}[format]
