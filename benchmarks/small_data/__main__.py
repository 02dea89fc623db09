"""How good models of little data are: four corpora, several amounts of data, several systems.

    python -m benchmarks.small_data DATA_DIR --out DIR [--sizes 100,300] [--systems auto,start-from]

DATA_DIR has a folder for each corpus (wnut17, gum, litbank, genia, or another that --corpora names)
with train.jsonl, dev.jsonl and test.jsonl in the native format. Results are appended to
DIR/results.jsonl as they come; a result that is already there is not computed again. At the end, or
with --report alone, the table goes to DIR/table.md and a plot of each corpus to DIR/CORPUS.svg.
docs/small-data.md has the figures.

--jobs 16 --device cuda trains several models at a time on a GPU.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.small_data import systems
from benchmarks.small_data.report import markdown, plot
from benchmarks.small_data.results import read_results
from benchmarks.small_data.runs import Run
from benchmarks.small_data.samples import CORPORA, Sample
from benchmarks.small_data.systems import Computer

ALL = "all"


def main() -> None:
    options = _parser().parse_args()
    path = options.out / "results.jsonl"
    if not options.report:
        computer = Computer(options.threads, options.device)
        runs = (Run(*row, path, computer, options.minutes) for row in _planned(options))
        if options.jobs == 1:
            for run in runs:
                run.execute()
        else:
            with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
                for _ in pool.map(Run.execute, runs):
                    pass
    results = read_results(path)
    options.out.mkdir(parents=True, exist_ok=True)
    table = markdown(results.values())
    (options.out / "table.md").write_text(table, encoding="utf-8")
    for corpus in sorted({result.corpus for result in results.values()}):
        picture = plot(results.values(), corpus)
        (options.out / f"{corpus}.svg").write_text(picture, encoding="utf-8")
    print(table)


def _planned(options: argparse.Namespace) -> Iterator[tuple[Sample, str]]:
    """The small and the important first, so that a stopped benchmark has whole rows."""
    for size in options.sizes:
        for number in options.samples:
            for corpus in options.corpora:
                sample = Sample(options.data, corpus, size, number)
                for system in options.systems:
                    if system == "grid":
                        yield from ((sample, name) for name in systems.grid(len(sample.train)))
                    else:
                        yield sample, system


def _parser() -> argparse.ArgumentParser:
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "benchmarks.small_data", description=__doc__, formatter_class=shape
    )
    add = parser.add_argument
    add("data", type=Path, metavar="DATA_DIR")
    add("--out", type=Path, required=True, help="where results are kept")
    add("--corpora", type=lambda text: text.split(","), default=list(CORPORA),
        help=f"folders of DATA_DIR ({','.join(CORPORA)})")  # fmt: skip
    add("--sizes", type=_sizes, default=[100, 300, 1_000, 3_000, None], help="sentences, or all")
    add("--samples", type=_numbers, default=[1, 2, 3], help="numbers of random samples")
    add("--systems", type=_names(systems.NAMES), default=list(systems.NAMES),
        help=", ".join(systems.NAMES))  # fmt: skip
    add("--threads", type=int, default=2, help="CPU threads of each model (%(default)s)")
    add("--device", default="cpu", help="cpu or cuda (%(default)s)")
    add("--jobs", type=int, default=1, help="models at a time (%(default)s)")
    add("--minutes", type=float, help="for spancat; by default, as many as auto took")
    add("--report", action="store_true", help="only write the table and the plots")
    return parser


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _sizes(text: str) -> list[int | None]:
    return [None if part == ALL else int(part) for part in text.split(",")]


def _names(known: object) -> object:
    def parse(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:  # type: ignore[operator]
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")  # type: ignore[call-overload]
        return names

    return parse


if __name__ == "__main__":
    main()
