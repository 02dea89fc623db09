"""Does ``innermost suggest`` save annotation? A simulation on annotated data.

    python -m benchmarks.active_learning TRAIN DEV TEST --out DIR

Starts with a random sample of TRAIN and adds sentences step by step, either at random or as
``suggest`` chooses them with the model of the step before; the gold annotation of TRAIN plays the
annotator. Results are appended to DIR/results.jsonl as they come, and an interrupted simulation
continues with the last of them. At the end: how many sentences ``suggest`` needs for the score that
random choice reaches with all of them.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

import innermost
from innermost.corpus import Sentence, read
from innermost.errors import TrainingError
from innermost.prediction.suggestions import Wanted, suggest
from innermost.runtime.model import Model
from innermost.training.settings.config import load_settings

DEVELOPMENT = 200
STRATEGIES = ("random", "suggest")


@dataclass(frozen=True)
class Step:
    strategy: str
    repeat: int
    sentences: int
    tokens: int
    f1: float
    chosen: list[int]
    """Numbers of the training sentences."""


@dataclass(frozen=True)
class Simulation:
    train: list[Sentence]
    dev: list[Sentence]
    test: list[Sentence]
    start: int
    add: int
    until: int
    settings: dict[str, object]
    per_token: bool = False

    def steps(self, strategy: str, repeat: int, chosen: list[int] | None = None) -> Iterator[Step]:
        """Train, score, choose more; ``chosen`` are the sentences of the step to continue with."""
        order = list(range(len(self.train)))
        random.Random(repeat).shuffle(order)
        chosen = chosen or order[: self.start]
        while True:
            sentences = [self.train[i] for i in chosen]
            with tempfile.TemporaryDirectory() as folder:
                f1, model = self._trained(sentences, Path(folder) / "run", repeat)
                tokens = sum(len(s.tokens) for s in sentences)
                yield Step(strategy, repeat, len(sentences), tokens, f1, chosen)
                if len(chosen) >= self.until:
                    return
                if strategy == "random" or model is None:
                    left = [number for number in order if number not in set(chosen)]
                    more = left[: self.add]
                else:
                    more = self._suggested(model, chosen)
                if not more:
                    return
                chosen = [*chosen, *more]

    def _trained(
        self, sentences: list[Sentence], out: Path, seed: int
    ) -> tuple[float, Model | None]:
        try:
            result = innermost.train(
                sentences, self.dev, test=self.test, out=out, seed=seed, settings=self.settings
            )
        except TrainingError:
            return 0.0, None
        return result.scores["micro"]["f1"], result.model

    def _suggested(self, model: Model, chosen: Sequence[int]) -> list[int]:
        taken = set(chosen)
        pool = [
            Sentence(sentence.tokens, id=str(number))
            for number, sentence in enumerate(self.train)
            if number not in taken
        ]
        known = [self.train[number] for number in chosen]
        suggestions = suggest(model, pool, Wanted(self.add, self.per_token), known)
        return [int(suggestion.sentence.id or 0) for suggestion in suggestions]


def read_steps(path: Path) -> list[Step]:
    if not path.exists():
        return []
    return [Step(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def needed(steps: Sequence[Step], target: float, what: str) -> float | None:
    """How many sentences or tokens reach the target, between two steps in proportion."""
    before: Step | None = None
    for step in sorted(steps, key=lambda step: step.sentences):
        if step.f1 >= target:
            amount = float(getattr(step, what))
            if before is None or step.f1 == before.f1:
                return amount
            share = (target - before.f1) / (step.f1 - before.f1)
            earlier = float(getattr(before, what))
            return earlier + max(share, 0.0) * (amount - earlier)
        before = step
    return None


def report(steps: Sequence[Step]) -> str:
    sizes = sorted({step.sentences for step in steps})
    lines = ["| sentences | random F1 | suggest F1 | repeats |", "|---|---|---|---|"]
    for size in sizes:
        cells = [[s.f1 for s in steps if (s.sentences, s.strategy) == (size, strategy)]
                 for strategy in STRATEGIES]  # fmt: skip
        shown = [f"{100 * fmean(cell):.1f}" if cell else "" for cell in cells]
        lines.append(f"| {size:,} | {' | '.join(shown)} | {max(map(len, cells))} |")
    for repeat in sorted({step.repeat for step in steps}):
        own = [step for step in steps if step.repeat == repeat]
        randomly = [step for step in own if step.strategy == "random"]
        suggested = [step for step in own if step.strategy == "suggest"]
        if not randomly or not suggested:
            continue
        last = max(randomly, key=lambda step: step.sentences)
        shares = []
        for what in ("sentences", "tokens"):
            amount = needed(suggested, last.f1, what)
            shares.append(
                "not reached" if amount is None else f"{amount / getattr(last, what):.0%}"
            )
        lines.append(
            f"\nrepeat {repeat}: random choice reaches {100 * last.f1:.1f} with {last.sentences:,} "
            f"sentences; suggest needs {shares[0]} of the sentences, {shares[1]} of the tokens"
        )
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Course:
    """One strategy from one random beginning; its steps are appended to a file."""

    simulation: Simulation
    strategy: str
    repeat: int
    path: Path

    def run(self) -> None:
        known = read_steps(self.path)
        for step in _new_steps(self.simulation, self.strategy, self.repeat, known):
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(step)) + "\n")
            print(
                f"repeat {self.repeat}, {self.strategy}: {step.sentences:,} sentences, F1 "
                f"{100 * step.f1:.2f}",
                file=sys.stderr,
            )


def main() -> None:
    options = _parser().parse_args()
    train, dev, test = (
        [s for s in read(path) if s.tokens] for path in (options.train, options.dev, options.test)
    )
    random.Random(0).shuffle(dev)
    values = {"training": {"threads": options.threads}}
    settings = load_settings(None, options.set or [], values=values)
    simulation = Simulation(
        *(train, dev[:DEVELOPMENT], test),
        *(options.start, options.add, options.until, settings, options.per_token),
    )
    randomly = replace(simulation, add=options.random_add or options.add)
    simulations = {"random": randomly, "suggest": simulation}
    path = options.out / "results.jsonl"
    options.out.mkdir(parents=True, exist_ok=True)
    courses = [
        Course(simulations[strategy], strategy, repeat, path)
        for strategy in STRATEGIES
        for repeat in range(1, options.repeats + 1)
    ]
    if options.jobs == 1:
        for course in courses:
            course.run()
    else:
        with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
            for _ in pool.map(Course.run, courses):
                pass
    print(report(read_steps(path)))


def _new_steps(
    simulation: Simulation, strategy: str, repeat: int, steps: Sequence[Step]
) -> Iterator[Step]:
    """Those after the last one that is known, whose model has to be trained again."""
    known = [step for step in steps if (step.strategy, step.repeat) == (strategy, repeat)]
    if not known:
        yield from simulation.steps(strategy, repeat)
        return
    last = max(known, key=lambda step: step.sentences)
    if last.sentences < simulation.until:
        yield from islice(simulation.steps(strategy, repeat, last.chosen), 1, None)


def _parser() -> argparse.ArgumentParser:
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "benchmarks.active_learning", description=__doc__, formatter_class=shape
    )
    add = parser.add_argument
    for name in ("train", "dev", "test"):
        add(name, type=Path, metavar=name.upper())
    add("--out", type=Path, required=True, help="where results are kept")
    add("--start", type=int, default=100, help="sentences to begin with (%(default)s)")
    add("--add", type=int, default=100, help="sentences of each step (%(default)s)")
    add("--random-add", type=int, help="the same for random choice (by default, as --add)")
    add("--per-token", action="store_true", help="rank as suggest --per-token does")
    add("--until", type=int, default=1_000, help="sentences at the end (%(default)s)")
    add("--repeats", type=int, default=5, help="random beginnings (%(default)s)")
    add("--threads", type=int, default=2, help="CPU threads of each model (%(default)s)")
    add("--jobs", type=int, default=1, help="models at a time (%(default)s)")
    add("--set", action="append", metavar="SECTION.KEY=VALUE", help="a setting of the training")
    return parser


if __name__ == "__main__":
    main()
