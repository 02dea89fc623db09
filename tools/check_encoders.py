"""Check a real transformer: our vectors against the transformers library's, torch against ONNX.

    python tools/check_encoders.py PATH/TO/MODEL

MODEL is a folder with config.json, model.safetensors and tokenizer.json. Exits with an
error if a check fails.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from transformers import AutoModel, PreTrainedTokenizerFast

from innermost.corpus import Sentence
from innermost.network.embedder import Layout
from innermost.parts.contract import ExportOptions
from innermost.parts.transformer.export import export
from innermost.parts.transformer.files import GRAPH, TOKENIZER
from innermost.parts.transformer.runtime import TransformerFeatures, open_features
from innermost.parts.transformer.settings import Settings
from innermost.parts.transformer.training import TransformerPart, build
from innermost.runtime.features import Opening

TEXT = (
    "We asked the rector of the University of Oslo , Ms. Hansen-Dahl , whether the IL-2 receptor "
    "alpha chain gene promoter (NF-kappa B dependent) had been sequenced in 2019 ."
)
WORDS = TEXT.split()
ODD = ["the", "\x00", "\u200b", "Ω" * 5_000, "end"]
LONG = WORDS * 40
CPU = torch.device("cpu")
SPEED_SENTENCES = 200


def main(model: str) -> None:
    settings = Settings(model=model, fine_tune=True)
    part = build(settings, None, [], CPU)
    part.module.eval()
    weights = sum(p.numel() for p in part.module.parameters())
    print(f"{model}: {weights:,} weights, windows of {part.pretrained.subwords.capacity} sub-words")

    ours = torch_vectors(part, [WORDS])[0]
    report("same vectors as transformers", np.abs(ours - expected(model, WORDS)).max(), 1e-4)

    sentences = [LONG, WORDS, ODD]
    vectors = torch_vectors(part, sentences)
    missing = sum(
        not np.isfinite(v).all() or len(v) != len(s) for v, s in pairs(vectors, sentences)
    )
    report("sentences without a vector for each word", missing, 0)
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        part.save(folder)
        weights = {name: weight.numpy() for name, weight in part.module.state_dict().items()}
        opening = Opening(threads=torch.get_num_threads())
        for name, limit in (("float32", 1e-3), ("int8", 0.15)):
            export(folder, folder, settings, weights, ExportOptions(int8=name == "int8"))
            size = (folder / GRAPH).stat().st_size
            features = open_features(folder, settings, opening)
            found = features(features.prepare([[s] for s in sentences]))
            errors = [
                np.sqrt(np.square(found[: len(v), column] - v).mean())
                for column, v in enumerate(vectors)
            ]
            report(f"ONNX {name} ({size / 1e6:.0f} MB), root mean square", max(errors), limit)
            print(f"  {speed(features):,.0f} tokens/s on {torch.get_num_threads()} threads")


def torch_vectors(part: TransformerPart, sentences: list[list[str]]) -> list[np.ndarray]:
    items = part.features.prepare([Sentence(s) for s in sentences])
    with torch.no_grad():
        return [
            part.module(part.features.collate([item], Layout.of([len(s)]))).numpy()
            for item, s in pairs(items, sentences)
        ]


def expected(model: str, words: list[str]) -> np.ndarray:
    """The mean of the last four layers and of each word's sub-words, normalized."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(Path(model) / TOKENIZER))
    encoding = tokenizer(words, is_split_into_words=True, return_tensors="pt")
    encoder = AutoModel.from_pretrained(model, dtype=torch.float32).eval()
    with torch.no_grad():
        states = encoder(
            input_ids=encoding["input_ids"],
            attention_mask=encoding["attention_mask"],
            output_hidden_states=True,
        ).hidden_states
    mean = torch.stack(states[-4:]).mean(0)[0]
    numbers = np.array([-1 if n is None else n for n in encoding.word_ids()])
    rows = torch.stack([mean[np.flatnonzero(numbers == w)].mean(0) for w in range(len(words))])
    return torch.nn.functional.layer_norm(rows, rows.shape[-1:]).numpy()


def speed(features: TransformerFeatures) -> float:
    items = features.prepare([[WORDS]] * SPEED_SENTENCES)
    best = 0.0
    for _ in range(2):
        begun = time.perf_counter()
        features(items)
        best = max(best, len(WORDS) * SPEED_SENTENCES / (time.perf_counter() - begun))
    return best


def report(what: str, value: float, limit: float) -> None:
    good = value <= limit
    print(f"{'ok  ' if good else 'FAIL'} {what}: {value:.2g} (at most {limit:g})")
    if not good:
        sys.exit(1)


def pairs(one: list, other: list) -> zip:
    return zip(one, other, strict=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
