"""The exported network is the trained one: torch is the oracle."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.model_folders import PRETRAINED, TRAINED, torch_emissions, write_random_model
from helpers.toy_corpus import toy_sentences
from helpers.trained_models import load_trained
from innermost import crf
from innermost.errors import ModelError, UsageError
from innermost.export.folder import export
from innermost.model_folder.contents import WEIGHTS
from innermost.parts.contract import Storage
from innermost.parts.wordchar.word_table import WordTable, quantize
from innermost.runtime import load
from innermost.runtime.model import Model

WORDS = st.sampled_from([*PRETRAINED, *TRAINED, "The", "unknown", "Ω", "a" * 600])
SENTENCES = st.lists(st.lists(WORDS | st.text(min_size=1, max_size=4), min_size=1), min_size=1)


def onnx_emissions(model: Model, sentences: list[list[str]]) -> np.ndarray:
    lengths = np.array([len(s) for s in sentences])
    return model.pipeline.encoder(model.pipeline.features(sentences), lengths)


def inside(emissions: np.ndarray, sentences: list[list[str]]) -> np.ndarray:
    """The emissions without padding."""
    lengths = np.array([len(s) for s in sentences])
    return emissions.swapaxes(1, 2)[np.arange(lengths.max()) < lengths[:, None]]


@settings(max_examples=40, deadline=None)
@given(SENTENCES)
def test_same_emissions_as_torch(
    random_folder: Path, random_model: Model, sentences: list[list[str]]
) -> None:
    sentences.sort(key=len, reverse=True)
    expected = inside(torch_emissions(random_folder, sentences), sentences)
    found = inside(onnx_emissions(random_model, sentences), sentences)
    np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("layers", [1, 3])
def test_any_number_of_layers(tmp_path: Path, layers: int) -> None:
    folder = export(write_random_model(tmp_path, layers=layers))
    sentences = [["the", "river", "bank"], ["sea"]]
    expected = inside(torch_emissions(folder, sentences), sentences)
    found = inside(onnx_emissions(load(folder), sentences), sentences)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_same_entities_as_torch(toy_model: Path, toy: Model) -> None:
    sentences = sorted(toy_sentences(), key=lambda s: -len(s.tokens))
    tokens = [s.tokens for s in sentences]
    decoded = crf.decode(torch_emissions(toy_model, tokens), [len(t) for t in tokens])
    found = [
        [(e.start, e.end, toy.types.index(e.label), e.level) for e in entities]
        for entities in toy.predict_sentences(sentences)
    ]
    assert found == decoded
    assert sum(map(len, found)) > 90


def test_int8_is_close_and_smaller(toy_model: Path, toy: Model, tmp_path: Path) -> None:
    small = load(export(toy_model, tmp_path / "int8", int8=True))
    tokens = sorted((s.tokens for s in toy_sentences()), key=len, reverse=True)
    exact = inside(onnx_emissions(toy, tokens), tokens)
    difference = np.abs(inside(onnx_emissions(small, tokens), tokens) - exact)
    assert 0 < difference.max() < 0.02 * np.abs(exact).max()
    assert [d.to_dict()["text"] for d in small.predict_tokens(tokens)]
    assert [[e[:3] for e in s] for s in small.predict_sentences(toy_sentences())] == [
        [e[:3] for e in s] for s in toy.predict_sentences(toy_sentences())
    ]
    size = {m: (m.folder / "encoder.onnx").stat().st_size for m in (toy, small)}
    assert size[small] < 0.5 * size[toy]
    assert not (small.folder / "weights.safetensors").exists()


@pytest.fixture(scope="module", params=["int8", "int4"])
def small_model(
    random_folder: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Model:
    folder = tmp_path_factory.mktemp("small")
    return load(export(random_folder, folder, int8=True, vectors=request.param))


@settings(max_examples=60, deadline=None)
@given(SENTENCES)
def test_in_int8_a_sentence_does_not_depend_on_its_neighbors(
    small_model: Model, sentences: list[list[str]]
) -> None:
    sentences.sort(key=len, reverse=True)
    together = inside(onnx_emissions(small_model, sentences), sentences)
    alone = [inside(onnx_emissions(small_model, [s]), [s]) for s in sentences]
    np.testing.assert_array_equal(together, np.concatenate(alone))


def test_int8_vectors_are_within_half_a_step(random_folder: Path, tmp_path: Path) -> None:
    small = load(export(random_folder, tmp_path / "int8", int8=True))
    exact = load(random_folder)
    words = [[*PRETRAINED, *TRAINED, "unheard"]]
    width = 10
    step = np.abs(exact.pipeline.features(words)[:, :, :width]).max(-1, keepdims=True) / 127
    rounded = small.pipeline.features(words)
    difference = np.abs(rounded - exact.pipeline.features(words))[:, :, :width]
    assert (difference <= step / 2 + 1e-4).all()
    assert difference.max() > 0


@pytest.mark.parametrize("storage", ["float16", "int8", "int4"])
@pytest.mark.parametrize("int8", [False, True])
def test_vectors_that_are_quantized_stay_as_they_are(
    random_folder: Path, tmp_path: Path, storage: Storage, int8: bool
) -> None:
    first = export(random_folder, tmp_path / "first", vectors=storage)
    shutil.copy(random_folder / WEIGHTS, first / WEIGHTS)
    again = export(first, tmp_path / "again", int8=int8, top=3)
    kept = np.load(again / "vectors.npy")
    if storage == "float16" and int8:
        assert kept.dtype == np.int8
    else:
        np.testing.assert_array_equal(kept, np.load(first / "vectors.npy")[:3])
    words = [PRETRAINED[:3]]
    width = 10
    before, after = (load(m).pipeline.features(words)[:, :, :width] for m in (first, again))
    np.testing.assert_allclose(after, before, atol=np.abs(before).max() / 127 if int8 else 0)


def test_top_keeps_the_most_frequent_words(random_folder: Path, tmp_path: Path) -> None:
    fewer = load(export(random_folder, tmp_path / "top", top=3))
    exact = load(random_folder)
    kept, dropped = [PRETRAINED[:3] + TRAINED], [PRETRAINED[3:]]
    np.testing.assert_array_equal(fewer.pipeline.features(kept), exact.pipeline.features(kept))
    assert (fewer.pipeline.features(dropped) != exact.pipeline.features(dropped)).any(axis=-1).all()
    assert len(fewer.pipeline.features.vocabulary.pretrained) == 3


def test_words_that_are_needed_stay_beside_the_most_frequent(
    random_folder: Path, tmp_path: Path
) -> None:
    needed = [PRETRAINED[-1], TRAINED[0], PRETRAINED[0], "never-seen"]
    fewer = load(export(random_folder, tmp_path / "top", top=2, keep=needed))
    assert fewer.pipeline.features.vocabulary.pretrained == [*PRETRAINED[:2], PRETRAINED[-1]]
    words, exact = [[*needed[:3], PRETRAINED[1]]], load(random_folder)
    np.testing.assert_array_equal(fewer.pipeline.features(words), exact.pipeline.features(words))


def test_export_leaves_the_trained_folder_usable(toy_model: Path) -> None:
    built, info = load_trained(toy_model)
    assert built.parts["wordchar"].vocabulary.trained
    assert info.types == ["ORG", "PERSON", "PLACE"]


def test_export_over_itself_is_refused(random_folder: Path) -> None:
    with pytest.raises(UsageError, match="is the model itself"):
        export(random_folder, random_folder, int8=True)
    with pytest.raises(UsageError, match="contains the model itself"):
        export(random_folder, random_folder.parent)


def test_a_folder_that_is_no_model_is_left_alone(random_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(UsageError, match="contains no model"):
        export(random_folder, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    assert (tmp_path / "README.md").read_text() == "mine"


def test_export_of_an_exported_folder_is_refused(random_folder: Path, tmp_path: Path) -> None:
    shipped = export(random_folder, tmp_path / "shipped")
    with pytest.raises(ModelError, match=r"already exported, without the weights\.safetensors"):
        export(shipped, tmp_path / "again")


@pytest.mark.parametrize("storage", ["float16", "int8", "int4"])
def test_word_vectors_in_fewer_bits_are_within_half_a_step(
    random_folder: Path, tmp_path: Path, storage: str
) -> None:
    exact = np.load(random_folder / "vectors.npy").astype(np.float32)
    small = export(random_folder, tmp_path / "small", vectors=storage)
    table = WordTable(small / "vectors.npy", *exact.shape)
    step = {"float16": 1e-3, "int8": 1 / 127, "int4": 1 / 7}[storage]
    rows = np.arange(len(exact))
    bound = np.abs(exact).max(axis=1, keepdims=True) * step / 2 + 1e-6
    assert (np.abs(table[rows] - exact) <= bound).all()
    assert load(small)("nobody in Oslo").text == "nobody in Oslo"


def test_odd_widths_do_not_fit_in_four_bits() -> None:
    with pytest.raises(UsageError, match="even"):
        quantize(np.ones((2, 5), np.float32), "int4")
