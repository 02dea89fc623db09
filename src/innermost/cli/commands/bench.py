"""``innermost bench``: how fast a model is on this machine, and where its time goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from innermost.cli.shared.reading_options import reads_texts
from innermost.corpus.reading import ReadingOptions

if TYPE_CHECKING:
    from innermost.evaluation.speed import Benchmark, Speed

COLD_STARTS = 3


@reads_texts
def bench(
    model: Annotated[str, typer.Argument(help="An installed model's name, or a folder.")],
    data: Annotated[Path, typer.Argument(help="Sentences to predict on, in any corpus format.")],
    reading: ReadingOptions,
    sentences: Annotated[int, typer.Option(min=1, help="Use at most N sentences.")] = 1000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of measurement rounds.")] = 5,
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads (default: all).")] = (
        None
    ),
    device: Annotated[
        str, typer.Option(help="cpu, or cuda for a GPU (needs the package onnxruntime-gpu).")
    ] = "cpu",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure speed by batch size and maximum depth, time per stage, memory and startup time.

    Example: `innermost bench genia test.jsonl`
    """
    from itertools import islice

    from innermost.cli.shared.output import print_json, show_report
    from innermost.corpus import Report
    from innermost.corpus.reading import read_corpus
    from innermost.evaluation.speed import benchmark
    from innermost.runtime import load

    nlp = load(model, threads=threads, device=device)
    report = Report()
    corpus = read_corpus(data, reading.with_tokenizer(nlp.tokenizer.name), report)
    used = list(islice(corpus, sentences))
    show_report(report)
    result = benchmark(nlp, used, rounds=rounds)
    cold_start = _cold_start(nlp.folder, device, next(" ".join(s.tokens) for s in used if s.tokens))
    if json:
        print_json(result.to_dict() | {"cold_start_seconds": cold_start})
    else:
        _show(result, cold_start)


def _cold_start(folder: Path, device: str, text: str) -> float:
    """Seconds from the start of a process to printed entities, the best of several runs."""
    import subprocess
    import sys
    from time import perf_counter

    options = ["--model", str(folder), "--device", device, "--format", "jsonl", "--", text]
    command = [sys.executable, "-m", "innermost", "predict", *options]
    times: list[float] = []
    for _ in range(COLD_STARTS):
        begun = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(perf_counter() - begun)
    return min(times)


def _show(result: Benchmark, cold_start: float) -> None:
    from innermost.cli.shared.output import stdout_console
    from innermost.plurals import count

    console = stdout_console()
    console.print(
        f"{count(result.sentences, 'sentence')}, {count(result.tokens, 'token')}, "
        f"{count(result.entities, 'entity', 'entities')}\n"
    )
    console.print(_table("sentences per batch", result.batch_sizes, "times 1"))
    console.print(_table("maximum depth", result.depths, "times depth 1"))
    raw, singly = result.raw_text.tokens_per_second, result.raw_text_singly.tokens_per_second
    console.print(
        f"From raw text: {singly:,.0f} tokens/s one sentence at a time, {raw:,.0f} batched,"
    )
    stages = sorted(result.stages.items(), key=lambda stage: -stage[1])
    console.print("of which " + ", ".join(f"{name} {share:.1%}" for name, share in stages))
    if result.peak_memory_bytes is not None:
        console.print(f"Peak memory: {result.peak_memory_bytes / 1e6:,.0f} MB")
    console.print(f"Cold start, process to printed entities: {cold_start:.2f} s")


def _table(first: str, speeds: dict[str, Speed], ratio: str) -> object:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD)
    for column in (first, "tokens/s", "ms per sentence", ratio):
        table.add_column(column, justify="left" if column == first else "right", no_wrap=True)
    for name, speed in speeds.items():
        table.add_row(
            name,
            f"{speed.tokens_per_second:,.0f}",
            f"{speed.milliseconds_per_sentence:.2f}",
            f"{speed.ratio:.2f}",
        )
    return table
