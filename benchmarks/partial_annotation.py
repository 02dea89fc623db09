"""What corpora with different types lose when they train one model together.

    python -m benchmarks.partial_annotation DATA_DIR [--corpora litbank,gum] [--sentences 3000]

DATA_DIR has a folder for each corpus with train.jsonl, dev.jsonl and test.jsonl. Plain `innermost
train` learns each corpus alone, and then all of them together, where every file annotates only its
own types. Printed is the test F1 of each corpus, once per seed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.small_data.samples import Sample

import innermost
from innermost.corpus import Sentence
from innermost.evaluation.counts import Counts

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Corpus:
    name: str
    files: dict[str, innermost.DataFile]
    types: tuple[str, ...]
    sentences: int
    fingerprint: str


def write_sample(sample: Sample, folder: Path) -> Corpus:
    """The sample as files that annotate the types of its training data."""
    folder.mkdir(parents=True)
    sample.write(folder)
    types = tuple(sorted(types_of(sample.train)))
    files = {
        split: innermost.DataFile(path=str(folder / f"{split}.jsonl"), annotates=types)
        for split in SPLITS
    }
    return Corpus(sample.corpus, files, types, len(sample.train), sample.fingerprint)


def types_of(sentences: Sequence[Sentence]) -> set[str]:
    return {entity.label for sentence in sentences for entity in sentence.entities}


def f1_of_corpora(
    corpora: Sequence[Corpus], out: Path, seed: int, settings: Mapping[str, Any]
) -> dict[str, float]:
    """The test F1 of each corpus with one model of them all."""
    train, dev, test = ([corpus.files[split] for corpus in corpora] for split in SPLITS)
    values = {"training": dict(settings)}
    result = innermost.train(train, dev, test=test, out=out, seed=seed, settings=values)
    types = result.details["test"]["types"]
    return {corpus.name: micro_f1(types, corpus.types) for corpus in corpora}


def micro_f1(scores: Mapping[str, Mapping[str, Any]], types: Sequence[str]) -> float:
    counts = Counts()
    for label in types:
        if own := scores.get(label):
            counts += Counts(own["gold"], own["predicted"], own["correct"])
    return counts.f1


def main() -> None:
    options = _parser().parse_args()
    settings = {"threads": options.threads, "device": options.device}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpora = [
            write_sample(Sample(options.data, corpus, options.sentences, 1), folder / corpus)
            for corpus in options.corpora
        ]
        prints = ", ".join(f"{c.name} {c.sentences:,} sentences {c.fingerprint}" for c in corpora)
        print(prints)
        print("| seed | corpus | alone | together | difference |\n|---|---|---:|---:|---:|")
        for seed in options.seeds:
            alone: dict[str, float] = {}
            for corpus in corpora:
                alone |= f1_of_corpora([corpus], folder / f"{corpus.name}-{seed}", seed, settings)
            together = f1_of_corpora(corpora, folder / f"together-{seed}", seed, settings)
            for name, f1 in alone.items():
                cells = (100 * f1, 100 * together[name], 100 * (together[name] - f1))
                row = " | ".join(f"{cell:.2f}" for cell in cells)
                print(f"| {seed} | {name} | {row} |", flush=True)


def _parser() -> argparse.ArgumentParser:
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "benchmarks.partial_annotation", description=__doc__, formatter_class=shape
    )
    add = parser.add_argument
    add("data", type=Path, metavar="DATA_DIR")
    add("--corpora", type=lambda text: text.split(","), default=["litbank", "gum"])
    add("--sentences", type=int, default=3_000, help="of each corpus (%(default)s)")
    add("--seeds", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2, 3])
    add("--threads", type=int, default=2, help="CPU threads (%(default)s)")
    add("--device", default="cpu", help="cpu or cuda (%(default)s)")
    return parser


if __name__ == "__main__":
    main()
