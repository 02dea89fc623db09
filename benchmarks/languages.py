"""How well a model finds people, organizations and places in corpora of other languages.

    python -m benchmarks.languages MODEL [MODEL...] --data DIR

DIR has a folder for each corpus with test.jsonl. Their types for people, organizations and places
are renamed; all other types, theirs and the model's, are left out.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import innermost
from innermost.corpus import Sentence, read
from innermost.evaluation import Evaluation
from innermost.evaluation.counts import Counts
from innermost.nest import Span

TYPES = {
    "person": "PER PERSON PESSOA",
    "organization": "ORG ORGANIZATION ORGANIZACAO GPE_ORG",
    "place": "LOC LOCATION LOCAL GPE_LOC COUNTRY CITY DISTRICT STATE_OR_PROVINCE FACILITY",
}
TYPE_OF = {label: name for name, labels in TYPES.items() for label in (name, *labels.split())}


def renamed(entities: list[Span]) -> list[Span]:
    """Those of the three types, each place once."""
    spans = (Span(e.start, e.end, TYPE_OF[e.label]) for e in entities if e.label in TYPE_OF)
    return list(dict.fromkeys(spans))


def evaluated(model: str, sentences: list[Sentence]) -> Evaluation:
    evaluation = Evaluation()
    predictions = innermost.load(model).predict_sentences(sentences)
    for sentence, spans in zip(sentences, predictions, strict=True):
        evaluation.add(renamed(sentence.entities), [s for s in spans if s.label in TYPES])
    return evaluation


def row(corpus: str, model: str, counts: Counts) -> str:
    scores = " | ".join(f"{100 * x:.2f}" for x in (counts.precision, counts.recall, counts.f1))
    return f"| {corpus} | {model} | {scores} |"


def main() -> None:
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "benchmarks.languages", description=__doc__, formatter_class=shape
    )
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    options = parser.parse_args()
    print("| corpus | sentences | model | precision | recall | F1 |\n|---|---:|---|---:|---:|---:|")
    total = dict.fromkeys(options.models, Counts())
    for path in sorted(options.data.glob("*/test.jsonl")):
        sentences = [s for s in read(path) if s.tokens]
        for model in options.models:
            counts = evaluated(model, sentences).micro
            total[model] += counts
            print(row(f"{path.parent.name} | {len(sentences):,}", model, counts))
    for model, counts in total.items():
        print(row("all | ", model, counts))


if __name__ == "__main__":
    main()
