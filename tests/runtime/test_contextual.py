"""Models with a transformer: trained on the toy corpus, then run without torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby, product
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the models of these tests are made with torch")
pytest.importorskip("transformers", reason="needs the transformers library")

import torch

from helpers.model_folders import torch_emissions
from helpers.tiny_transformer import write_tiny_bert
from helpers.toy_corpus import toy_sentences
from helpers.trained_models import load_data, load_trained
from innermost import Document, crf
from innermost.corpus import Sentence
from innermost.errors import ModelError, UsageError
from innermost.export.folder import export
from innermost.parts.transformer.runtime import TransformerFeatures
from innermost.runtime import load, pipeline
from innermost.runtime.model import Model
from innermost.training.events import EpochScored, Reading, Ready
from innermost.training.run import run
from innermost.training.settings.config import Config, build_config

WORDS = {"word_dimension": 8, "character_dimension": 4, "character_filters": 6}
KINDS: dict[str, dict[str, object]] = {
    "frozen": {"kind": "transformer", "layers_used": "mix", "context": 8},
    "tuned": {"kind": "transformer", "fine_tune": True, "layers": 0, "learning_rate": 2e-3},
    "stack": {"kind": "stack", "wordchar": WORDS, "transformer": {"pooling": "first"}},
    "shared": {
        "kind": "stack",
        "wordchar": WORDS,
        "transformer": {"fine_tune": True, "windows": "shared", "context": 2},
    },
}
TAGGER = {"hidden": 16, "dropout": 0.0, "recurrent_dropout": 0.0}
SENTENCES = sorted((s.tokens for s in toy_sentences()), key=len, reverse=True)


@pytest.fixture(scope="session")
def trained(
    toy_corpus_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """The folder of a model of a kind, trained on first use."""
    bert = write_tiny_bert(tmp_path_factory.mktemp("bert"))
    made: dict[str, Path] = {}

    def train(kind: str) -> Path:
        if kind not in made:
            made[kind] = _train(kind, bert, toy_corpus_file, tmp_path_factory.mktemp(kind))
        return made[kind]

    return train


def settings_of(kind: str, bert: Path, corpus: Path, epochs: int = 12) -> Config:
    encoder = TAGGER | {"layers": 1} | KINDS[kind]
    if "transformer" in encoder:
        encoder["transformer"] = {"model": str(bert), **encoder["transformer"]}
    else:
        encoder["model"] = str(bert)
    settings = {
        "data": {"train": str(corpus), "dev": str(corpus), "tokenizer": "whitespace"},
        "encoder": encoder,
        "training": {
            "optimizer": "adamw",
            "learning_rate": 0.02,
            "epochs": epochs,
            "batch_tokens": 200,
            "threads": 1,
            "device": "cpu",
        },
    }
    return build_config(settings)


def _train(kind: str, bert: Path, corpus: Path, folder: Path) -> Path:
    config = settings_of(kind, bert, corpus)
    data, _ = load_data(config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INNERMOST_CACHE", str(folder / "cache"))
        events = list(run(config, data, 1, folder / "run"))
    losses = [event.loss for event in events if isinstance(event, EpochScored)]
    assert losses[-1] < 0.5 * losses[0]
    return folder / "run" / "model"


def onnx_emissions(model: Model, sentences: list[list[str]]) -> np.ndarray:
    items = model.pipeline.features.prepare([[s] for s in sentences])
    return model.pipeline.encoder(
        model.pipeline.features(items), np.array([len(s) for s in sentences])
    )


def inside(emissions: np.ndarray, sentences: list[list[str]]) -> np.ndarray:
    lengths = np.array([len(s) for s in sentences])
    return emissions.swapaxes(1, 2)[np.arange(lengths.max()) < lengths[:, None]]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INNERMOST_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("kind", KINDS)
def test_same_emissions_and_entities_as_torch(trained: Callable[[str], Path], kind: str) -> None:
    folder = trained(kind)
    model = load(folder, threads=1)
    odd = [["the", "\x00", "mayor", "\u200b"], ["Ω" * 300, "of"], ["x"]]
    sentences = [*SENTENCES[:20], *odd]
    sentences.sort(key=len, reverse=True)
    expected = torch_emissions(folder, sentences)
    found = onnx_emissions(model, sentences)
    np.testing.assert_allclose(inside(found, sentences), inside(expected, sentences), atol=1e-3)
    decoded = crf.decode(expected, [len(s) for s in sentences])
    spans = list(model.predict_sentences([Sentence(s) for s in sentences]))
    assert decoded == [
        [(e.start, e.end, model.types.index(e.label), e.level) for e in entities]
        for entities in spans
    ]
    assert any(decoded)


@pytest.mark.parametrize("kind", KINDS)
def test_int8_is_close_and_smaller(
    trained: Callable[[str], Path], kind: str, tmp_path: Path
) -> None:
    folder = trained(kind)
    small, exact = load(export(folder, tmp_path / "int8", int8=True)), load(folder)
    found = inside(onnx_emissions(small, SENTENCES), SENTENCES)
    expected = inside(onnx_emissions(exact, SENTENCES), SENTENCES)
    assert 0 < np.abs(found - expected).max() < 0.1 * np.abs(expected).max()
    assert {p.name for p in small.folder.iterdir()} >= {"transformer.onnx", "tokenizer.json"}
    assert not (small.folder / "weights.safetensors").exists()
    assert not (small.folder / "transformer").exists()


def test_a_document_of_50_000_tokens_goes_through_whole(trained: Callable[[str], Path]) -> None:
    model = load(trained("stack"), max_depth=1)
    filler = ["it", "rained", "and", "nobody", "won", "a", "prize", "."]
    last = ["nobody", "in", "Oslo", "was", "in", "the", "news", "."]
    tokens = filler * 6_250 + ["o" * 5_000] + last
    (found,) = model.predict_sentences([Sentence(tokens)])
    place = len(tokens) - 6
    assert tokens[place] == "Oslo"
    assert any((e.start, e.end, e.label) == (place, place + 1, "PLACE") for e in found)


def in_documents(size: int, words: int) -> list[Sentence]:
    """Short sentences, ``size`` in each document."""
    return [Sentence(s.tokens[:words], doc=f"{i // size}") for i, s in enumerate(toy_sentences())]


@pytest.mark.parametrize("kind", ["frozen", "shared"])
def test_context_is_read_at_run_time_too(trained: Callable[[str], Path], kind: str) -> None:
    folder = trained(kind)
    model = load(folder)
    sentences = in_documents(3, 4)
    built, _ = load_trained(folder)
    built.model.eval()
    for item, sentence, found in zip(
        built.features.prepare(sentences),
        sentences,
        model.predict_sentences(sentences),
        strict=True,
    ):
        with torch.no_grad():
            emissions = built.model(built.features.collate([item])).numpy()
        (decoded,) = crf.decode(emissions, [len(sentence.tokens)])
        assert [(e.start, e.end, model.types.index(e.label), e.level) for e in found] == decoded
    spans = list(model.predict_sentences(sentences))
    assert spans != list(model.predict_sentences([Sentence(s.tokens) for s in sentences]))


def test_shared_windows_are_read_once_whatever_the_batches(
    trained: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer depends on the document alone, and nothing that was computed stays in memory."""
    windows: list[list[int]] = []
    run = TransformerFeatures._run

    def counting(self: TransformerFeatures, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        windows.extend(row[on == 1].tolist() for row, on in zip(ids, mask, strict=True))
        return run(self, ids, mask)

    monkeypatch.setattr(TransformerFeatures, "_run", counting)
    sentences = in_documents(8, 2)
    sentences[20] = Sentence(["of", "oslo"] * 30, doc=sentences[20].doc)
    results, readings = [], []
    for batch_tokens, portion in product((1, 50, 100_000), (1, 100, 100_000)):
        monkeypatch.setattr(pipeline, "GROUPED_TOKENS", portion)
        model = Model(trained("shared"), threads=1, batch_tokens=batch_tokens)
        windows.clear()
        results.append(list(model.predict_sentences(sentences)))
        readings.append(sorted(windows))
        documents = [list(group) for _, group in groupby(sentences, lambda s: s.doc)]
        assert [len(d.entities) for d in model.pipe(documents)] == [
            sum(map(len, list(results[-1])[8 * n : 8 * n + 8])) for n in range(6)
        ]
    assert all(reading == readings[0] for reading in readings)
    assert len(readings[0]) < len(sentences)
    for result in results:
        for one, other in zip(result, results[0], strict=True):
            assert [e[:4] for e in one] == [e[:4] for e in other]
            np.testing.assert_allclose([e.score for e in one], [e.score for e in other], atol=1e-5)


def test_vectors_of_shared_windows_leave_memory(trained: Callable[[str], Path]) -> None:
    features = load(trained("shared")).pipeline.features._parts[1]
    items = features.prepare([[["oslo"], ["in", "the", "news"]], [["nobody"]]])
    assert features.groups(items) == [0, 0, 1]
    first = features([items[0], items[2]])
    assert list(items[1].window.vectors) == [1]
    again = features([items[1], items[0]])  # a batch may be repeated with less memory
    np.testing.assert_allclose(again[:1, 1], first[:1, 0], atol=1e-5)
    assert not items[1].window.vectors


def test_only_shared_windows_are_recorded(trained: Callable[[str], Path]) -> None:
    """Earlier versions can still read the others."""
    for kind in KINDS:
        text = (trained(kind) / "model.toml").read_text()
        assert ('windows = "shared"' in text) == (kind == "shared")
        assert 'sentence"' not in text


def test_model_folders_name_what_is_missing(trained: Callable[[str], Path], tmp_path: Path) -> None:
    folder = export(trained("stack"), tmp_path / "out")
    (folder / "tokenizer.json").rename(folder / "gone")
    with pytest.raises(ModelError, match=r"it has no tokenizer\.json"):
        load(folder)
    (folder / "gone").rename(folder / "tokenizer.json")
    (folder / "transformer.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelError, match=r"transformer\.onnx is damaged"):
        load(folder)
    assert str(tmp_path.parent) not in (folder / "model.toml").read_text()
    with pytest.raises(UsageError, match="no word vectors"):
        export(trained("tuned"), tmp_path / "top", top=5)


@pytest.mark.parametrize("kind", ["frozen", "tuned", "shared"])
def test_a_stopped_run_goes_on_as_if_it_had_not_been(
    toy_corpus_file: Path, tmp_path: Path, kind: str
) -> None:
    bert = write_tiny_bert(tmp_path / "bert")
    config = settings_of(kind, bert, toy_corpus_file, epochs=2)
    data, _ = load_data(config)
    first = next(run(config, data, 1, tmp_path / "read"))
    words = sum(len(s.tokens) for s in toy_sentences())
    assert (first == Reading(str(toy_corpus_file), 0, words)) == (kind == "frozen")
    for _ in run(config, data, 1, tmp_path / "whole"):
        pass
    stopped = run(config, data, 1, tmp_path / "stopped")
    assert isinstance(next(stopped), Ready)
    next(event for event in stopped if isinstance(event, EpochScored))
    stopped.close()
    for _ in run(config, data, 1, tmp_path / "stopped", resume=True):
        pass
    one, other = (
        (tmp_path / name / "model" / "weights.safetensors").read_bytes()
        for name in ("whole", "stopped")
    )
    assert one == other


INT8_SCORES = 0.05
"""How far scores of int8 BiLSTMs may depend on the batch, which determines their rounding."""


def _spans(documents: Sequence[Document]) -> list[list[tuple[int, int, str, int]]]:
    return [[(e.start, e.end, e.label, e.level) for e in d.entities] for d in documents]


def _scores(documents: Sequence[Document]) -> np.ndarray:
    return np.array([e.score for document in documents for e in document.entities])


@pytest.mark.parametrize(
    ("kind", "int8"), [("frozen", False), ("tuned", True), ("stack", True), ("shared", False)]
)
def test_the_same_answer_in_any_company(
    trained: Callable[[str], Path], kind: str, int8: bool, tmp_path: Path
) -> None:
    """Batches, their order, threads and processes."""
    folder = export(trained(kind), tmp_path / "out", int8=True) if int8 else trained(kind)
    texts = [" ".join(sentence.tokens) for sentence in toy_sentences()]
    texts += ["", " ".join(texts[:9]), "Oslo"]
    model = Model(folder, threads=1)
    alone = [model(text) for text in texts]
    assert len(_scores(alone)) > 20
    bound = INT8_SCORES if (kind, int8) == ("stack", True) else 1e-5
    for threads, batch_tokens in product((1, 2), (1, 64, 100_000)):
        model = Model(folder, threads=threads, batch_tokens=batch_tokens)
        documents = model(texts[::-1])[::-1]
        assert _spans(documents) == _spans(alone)
        np.testing.assert_allclose(_scores(documents), _scores(alone), rtol=0, atol=bound)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(model, texts).result() == model(texts)
