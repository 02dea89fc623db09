"""How well a model does on raw text: its own sentences and tokens, scored on character spans.

    python benchmarks/raw_text.py MODEL CORPUS [--from FORMAT] [--set key=value ...]

The corpus must know its original spacing (e.g. GENIA's official files, or brat). Gold spans that
the model's tokenizer cannot hit are counted: they are an upper bound on recall.
"""

from __future__ import annotations

import argparse

import innermost
from innermost.corpus import documents, read
from innermost.corpus.format import Options
from innermost.corpus.quality.fingerprint import fingerprint
from innermost.corpus.shared.character_spans import text_of
from innermost.evaluation import Evaluation
from innermost.nest import Span


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("corpus")
    parser.add_argument("--from", dest="format")
    parser.add_argument("--set", action="append", default=[], dest="settings")
    parser.add_argument("--tokenizer", default="unicode", help="for corpora of raw text")
    parser.add_argument("--inside-token", default="split")
    options = parser.parse_args()
    how = Options(
        tokenizer=options.tokenizer,
        inside_token=options.inside_token,
        settings=dict(setting.split("=", 1) for setting in options.settings),
    )
    nlp = innermost.load(options.model)
    sentences = list(read(options.corpus, format=options.format, options=how))
    evaluation = Evaluation()
    reachable = total = 0
    for _, document in documents(sentences):
        text, gold = text_of(document)
        found = nlp(text)
        evaluation.add(gold, [Span(e.start, e.end, e.label) for e in found.entities])
        tokens = [pair for sentence in nlp.tokenizer.split(text) for pair in sentence]
        starts, ends = {start for start, _ in tokens}, {end for _, end in tokens}
        reachable += sum(span.start in starts and span.end in ends for span in set(gold))
        total += len(set(gold))
    micro = evaluation.micro
    print(
        f"{options.corpus} {' '.join(options.settings)} {fingerprint(sentences)}: "
        f"P {100 * micro.precision:.2f} R {100 * micro.recall:.2f} F1 {100 * micro.f1:.2f}; "
        f"{100 * reachable / total:.2f}% of {total:,} gold spans lie on the tokenizer's boundaries"
    )


if __name__ == "__main__":
    main()
