"""What the context of a model with a transformer costs at run time.

    python -m benchmarks.context MODEL DATA [--context 64] [--overlap 16] [--sentences 300]
        [--device cuda]

The same weights predict the first documents of DATA without context, with ``context`` sub-words
around each sentence, and with windows that sentences share and that overlap by ``overlap``
sub-words. All are timed in turn, round after round, and the best round counts. On a CPU, time is
CPU time, which other programs affect less than the clock on the wall; "sub-words" are those that
the transformer reads, relative to those without context.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from innermost.corpus import Sentence, read
from innermost.corpus.quality.fingerprint import fingerprint
from innermost.corpus.sentence import documents
from innermost.parts.settings import model_encoder
from innermost.parts.transformer.runtime import TransformerFeatures
from innermost.runtime.devices import check_device
from innermost.runtime.features import Opening
from innermost.runtime.model import Model
from innermost.runtime.pipeline import Pipeline


class CountingFeatures(TransformerFeatures):
    """Counts the sub-words that the transformer reads."""

    read = 0

    def _run(self, ids: Any, mask: Any) -> Any:
        self.read += int(mask.sum())
        return super()._run(ids, mask)


def variants(
    model: Model, threads: int, device: str, context: int, overlap: int
) -> Iterator[Pipeline]:
    settings = model_encoder(model.folder, model.info).parts["transformer"]
    opening = Opening(threads, device=check_device(device))
    for change in (
        {"context": 0, "windows": "sentence"},
        {"context": context, "windows": "sentence"},
        {"context": overlap, "windows": "shared"},
    ):
        changed = msgspec.structs.replace(settings, **change)  # type: ignore[arg-type]
        features = CountingFeatures(model.folder, changed, opening)
        yield replace(model.pipeline, features=features)


def first_documents(path: str, count: int) -> list[Sentence]:
    """Whole documents of at least ``count`` sentences."""
    chosen: list[Sentence] = []
    for _, sentences in documents(read(path)):
        if len(chosen) >= count:
            break
        chosen += sentences
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="a folder written by innermost export")
    parser.add_argument("data")
    parser.add_argument("--context", type=int, default=64)
    parser.add_argument("--overlap", type=int, default=16)
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    model = Model(options.model, threads=options.threads, device=options.device)
    clock = time.process_time if options.device == "cpu" else time.perf_counter
    if set(model_encoder(model.folder, model.info).parts) != {"transformer"}:
        parser.error(f"{options.model}: the encoder must be a transformer, without other parts")
    pipelines = list(
        variants(model, options.threads, options.device, options.context, options.overlap)
    )
    sentences = first_documents(options.data, options.sentences)
    best = [float("inf")] * len(pipelines)
    for _ in range(options.rounds):
        for number, pipeline in enumerate(pipelines):
            begun = clock()
            for _ in pipeline.sentences(sentences):
                pass
            best[number] = min(best[number], clock() - begun)
    tokens = sum(len(sentence.tokens) for sentence in sentences)
    groups = sum(1 for _ in documents(sentences))
    print(
        f"{len(sentences):,} sentences of {groups:,} documents, {tokens:,} tokens, "
        f"fingerprint {fingerprint(sentences)}, device: {options.device}, "
        f"threads: {options.threads}"
    )
    names = ("no context", f"{options.context} per sentence", f"{options.overlap}, shared windows")
    print(f"{'':<24} {'tokens/s':>9} {'time':>6} {'sub-words':>10}")
    for name, pipeline, seconds in zip(names, pipelines, best, strict=True):
        read_ = pipeline.features.read / pipelines[0].features.read  # type: ignore[attr-defined]
        print(f"{name:<24} {tokens / seconds:>9,.0f} {seconds / best[0]:>6.2f} {read_:>10.2f}")


if __name__ == "__main__":
    main()
