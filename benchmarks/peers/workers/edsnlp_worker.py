"""EDS-NLP's ``eds.ner_crf`` on a transformer, as its tutorial sets it up: trains and predicts.

Runs in a separate environment; uses only EDS-NLP's public interface. The settings are those of the
tutorial, except for batches of 16 sentences: with larger ones a CPU would take too few steps.
"""

from __future__ import annotations

import time
from pathlib import Path

import edsnlp
import edsnlp.pipes as eds
import edsnlp.training
import protocol
from spacy.tokens import Doc
from spacy_docs import GROUP, found, training_docs

SENTENCES_A_STEP = 16
TRIAL_STEPS = 10
"""The learning rate falls to 0 over all steps, so their number is estimated from a few."""


def train(
    data: Path, out: Path, minutes: float, longest: int, transformer: str | None
) -> protocol.Extent:
    if transformer is None:
        raise SystemExit("eds.ner_crf reads a transformer's vectors: give --transformer FOLDER")
    nlp = edsnlp.blank("eds")
    words = eds.transformer(model=transformer, window=128, stride=96)
    nlp.add_pipe(
        eds.ner_crf(
            mode="joint",
            target_span_getter=GROUP,
            span_setter=GROUP,
            embedding=eds.text_cnn(kernel_sizes=[3], embedding=words),
        ),
        name="ner",
    )
    docs = training_docs(data / "train.jsonl", nlp.vocab)
    begun = time.monotonic()
    take_steps(nlp, docs, TRIAL_STEPS, out)
    used = time.monotonic() - begun
    steps = max(TRIAL_STEPS, int(TRIAL_STEPS * (60 * minutes / used - 1)))
    take_steps(nlp, docs, steps, out)
    seen = (TRIAL_STEPS + steps) * SENTENCES_A_STEP
    return f"{TRIAL_STEPS + steps:,} steps, {seen / len(docs):.2f} epochs"


def take_steps(nlp: edsnlp.Pipeline, docs: list[Doc], steps: int, out: Path) -> None:
    edsnlp.training.train(
        nlp=nlp,
        train_data=edsnlp.training.TrainingData(
            data=edsnlp.data.from_iterable(docs),
            batch_size=f"{SENTENCES_A_STEP} docs",
            shuffle="dataset",
            pipe_names=["ner"],
        ),
        max_steps=steps,
        validation_interval=steps,
        grad_max_norm=1.0,
        output_dir=out,
        logger=False,
        cpu=True,
    )


def load(model: Path) -> protocol.Predict:
    nlp = edsnlp.load(model / "model-last")

    def predict(sentences: list[list[str]]) -> list[list[protocol.Entity]]:
        docs = [Doc(nlp.vocab, words=tokens) for tokens in sentences]
        return [found(doc) for doc in nlp.pipe(docs).set_processing(batch_size=len(docs))]

    return predict


if __name__ == "__main__":
    protocol.serve(load, train)
