"""spaCy's ``spancat``: trains with the settings that spaCy recommends for a CPU, and predicts.

Runs in a separate environment; uses only spaCy's public interface.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import protocol
import spacy
from spacy.cli.init_config import init_config
from spacy.cli.train import train as spacy_train
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy_docs import found, training_docs


class OutOfTimeError(Exception):
    """Ends the training between two steps."""


def train(
    data: Path, out: Path, minutes: float, longest: int, transformer: str | None
) -> protocol.Extent:
    """Train for ``minutes`` and keep the best model on development data."""
    vocab = spacy.blank("en").vocab
    for split in ("train", "dev"):
        DocBin(docs=training_docs(data / f"{split}.jsonl", vocab)).to_disk(out / f"{split}.spacy")
    config = init_config(lang="en", pipeline=["spancat"], optimize="efficiency", gpu=False)
    config["components"]["spancat"]["suggester"]["sizes"] = list(range(1, longest + 1))
    config["training"]["before_update"] = {"@callbacks": "benchmark.time_limit", "minutes": minutes}
    config.to_disk(out / "config.cfg")
    paths = {f"paths.{split}": str(out / f"{split}.spacy") for split in ("train", "dev")}
    with suppress(OutOfTimeError):
        spacy_train(out / "config.cfg", out, overrides=paths)
    return f"{reached['step']:,} steps, epoch {reached['epoch'] + 1}"


reached = {"step": 0, "epoch": 0}


@spacy.registry.callbacks("benchmark.time_limit")
def time_limit(minutes: float) -> Callable[[Language, dict[str, int]], None]:
    end = time.monotonic() + 60 * minutes

    def check(nlp: Language, progress: dict[str, int]) -> None:
        reached.update(progress)
        if time.monotonic() > end:
            raise OutOfTimeError

    return check


def load(model: Path) -> protocol.Predict:
    nlp = spacy.load(model / "model-best")

    def predict(sentences: list[list[str]]) -> list[list[protocol.Entity]]:
        docs = [Doc(nlp.vocab, words=tokens) for tokens in sentences]
        return [found(doc) for doc in nlp.pipe(docs, batch_size=len(docs))]

    return predict


if __name__ == "__main__":
    protocol.serve(load, train)
