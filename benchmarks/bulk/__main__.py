"""``python -m benchmarks.bulk``: bulk prediction compared with itself.

    python -m benchmarks.bulk jobs     2 jobs and 1 job, in turns
    python -m benchmarks.bulk engines  one process, two jobs, Ray and Spark
    python -m benchmarks.bulk growth   10^3, 10^4, ... sentences

Every process has one thread. CPU seconds are those of a run with all its processes: other programs
on the machine make seconds longer, CPU seconds hardly.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from benchmarks.bulk.engines import compare
from benchmarks.bulk.runs import Run, predict
from benchmarks.bulk.sentences import WORDS, write_sentences

_SENTENCES = {"jobs": 1_000_000, "engines": 200_000, "growth": 1_000_000}
_SMALLEST = 1_000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=_SENTENCES)
    parser.add_argument("--sentences", type=int)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--words", type=int, default=WORDS, help="mean length, for growth")
    parser.add_argument("--model", default="genia")
    options = parser.parse_args()
    sentences = options.sentences or _SENTENCES[options.what]
    print(f"CPUs: {len(os.sched_getaffinity(0))}, load before: {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.what == "jobs":
            compare_jobs(folder, sentences, options.rounds, options.jobs, options.model)
        elif options.what == "engines":
            compare_engines(folder, sentences, options.model)
        else:
            grow(folder, sentences, options.words, options.jobs, options.model)


def compare_jobs(folder: Path, sentences: int, rounds: int, jobs: int, model: str) -> None:
    totals = {1: Run(0.0, 0.0), jobs: Run(0.0, 0.0)}
    words = 0
    for number in range(rounds):
        inputs = folder / f"in{number}"
        words += write_sentences(inputs, sentences // rounds, seed=number)
        runs: dict[int, Run] = {}
        # Whatever else runs on the machine should not always meet the same one.
        for count in (1, jobs) if number % 2 else (jobs, 1):
            output = folder / f"out{number}-{count}"
            runs[count] = predict(inputs, output, model, "--jobs", str(count))
            totals[count].seconds += runs[count].seconds
            totals[count].cpu_seconds += runs[count].cpu_seconds
            totals[count].memory += runs[count].memory
        print(
            f"round {number + 1}: {_ratio(runs, jobs)}; outputs equal: "
            f"{_files(folder / f'out{number}-1') == _files(folder / f'out{number}-{jobs}')}; "
            f"load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    for count, total in totals.items():
        print(f"--jobs {count}: {_described(total, words)}")
    print(f"all {sentences:,} sentences, {words:,} words: {_ratio(totals, jobs)}")


def compare_engines(folder: Path, sentences: int, model: str) -> None:
    write_sentences(folder / "in", sentences)
    for name, seconds, equal in compare(folder / "in", folder, model):
        print(f"{name}: {seconds:.1f} s, entities equal: {equal}", flush=True)


def grow(folder: Path, most: int, mean: int, jobs: int, model: str) -> None:
    """Ten times as many sentences again and again."""
    sentences = _SMALLEST
    while sentences <= most:
        words = write_sentences(folder / f"in{sentences}", sentences, mean=mean)
        output = folder / f"out{sentences}"
        run = predict(folder / f"in{sentences}", output, model, "--jobs", str(jobs))
        print(
            f"{sentences:,} sentences: {_described(run, words)}, "
            f"{1e6 * run.cpu_seconds / words:.1f} CPU µs/word, load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
        sentences *= 10


def _ratio(runs: dict[int, Run], jobs: int) -> str:
    one, several = runs[1], runs[jobs]
    return (
        f"{jobs} jobs / 1 job: throughput {one.seconds / several.seconds:.2f}x, "
        f"CPU time {several.cpu_seconds / one.cpu_seconds:.2f}x"
    )


def _described(run: Run, words: int) -> str:
    memory = ", ".join(f"{first:.0f} then {then:.0f}" for first, then in sorted(run.memory)[-4:])
    return (
        f"{run.seconds:.1f} s, {run.cpu_seconds:.1f} CPU s, {words / run.seconds:,.0f} words/s, "
        f"memory in the two halves, MB: {memory}"
    )


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}


if __name__ == "__main__":
    main()
