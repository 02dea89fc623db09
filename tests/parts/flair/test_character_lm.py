"""Folders of character language models, and the states of words against a plain loop."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from innermost.errors import MissingExtraError, ModelError
from innermost.parts.flair import string_embeddings as flair
from innermost.parts.flair.character_lm import (
    UNKNOWN,
    CharacterLM,
    load_character_lms,
    save_character_lms,
    with_characters,
)
from innermost.parts.flair.conversion import convert, from_flair

CHARACTERS = [UNKNOWN, " ", "\n", *"abcdeABC-12."]


def tiny(direction: str, layers: int = 1, characters: list[str] = CHARACTERS) -> CharacterLM:
    torch.manual_seed(len(direction))
    model = CharacterLM(characters, direction, embedding=5, hidden=6, layers=layers)
    return model.double().eval()


def states_one_by_one(model: CharacterLM, sentence: list[str]) -> Tensor:
    """As flair does it: a text, offsets counted along it, one character after the other."""
    text = " ".join(sentence)
    line = "\n" + (text if model.direction == "forward" else text[::-1]) + " "
    states, state = [], None
    with torch.no_grad():
        for character in line:
            known = character in model.characters
            number = model.characters.index(character) if known else 0
            output, state = model.rnn(model.encoder(torch.tensor([[number]])), state)
            states.append(output[0, 0])
    offset_forward, offset_backward = 1, len(text) + 1
    found = []
    for token in sentence:
        offset_forward += len(token)
        found.append(states[offset_forward if model.direction == "forward" else offset_backward])
        offset_forward += 1
        offset_backward -= 1 + len(token)
    return torch.stack(found)


token = st.text("abcdeABC-12.éß", min_size=1, max_size=8)


@settings(max_examples=25, deadline=None)
@given(
    sentences=st.lists(st.lists(token, min_size=1, max_size=7), min_size=1, max_size=5),
    layers=st.integers(1, 2),
    chunk=st.integers(1, 40),
)
def test_word_states_are_those_of_a_plain_loop(
    sentences: list[list[str]], layers: int, chunk: int
) -> None:
    models = [tiny("forward", layers), tiny("backward", layers)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flair, "CHUNK_CHARACTERS", chunk)
        patch.setattr(flair, "_MAX_ROWS", 3)
        found = flair.string_embeddings(models, sentences)
    for sentence, vectors in zip(sentences, found, strict=True):
        expected = torch.cat([states_one_by_one(model, sentence) for model in models], -1)
        assert vectors.shape == (len(sentence), 12)
        assert np.allclose(vectors, expected, atol=1e-6)


def test_many_short_words_are_longer_than_one_long_one() -> None:
    model = tiny("forward")
    sentences = [["abcde", "e"], ["a", "b", "c", "d", "e"]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flair, "CHUNK_CHARACTERS", 2)
        found = flair.word_states(model, sentences)
    for sentence, states in zip(sentences, found, strict=True):
        assert np.allclose(states, states_one_by_one(model, sentence), atol=1e-6)


def test_a_very_long_sentence_is_read_to_its_end() -> None:
    model = tiny("forward")
    sentence = ["abc-12"] * 3000 + ["E" * 5000, "b"]
    vectors = flair.word_states(model, [sentence, ["a"]])
    assert np.allclose(vectors[0], states_one_by_one(model, sentence), atol=1e-6)
    assert np.allclose(vectors[1], states_one_by_one(model, ["a"]), atol=1e-6)


def test_a_folder_gives_back_what_was_written(tmp_path: Path) -> None:
    models = [tiny("forward", 2).float(), tiny("backward", 2).float()]
    save_character_lms(tmp_path, models)
    again = load_character_lms(tmp_path)
    assert [model.direction for model in again] == ["forward", "backward"]
    for model, other in zip(models, again, strict=True):
        assert not other.training
        assert other.characters == CHARACTERS
        for name, tensor in model.state_dict().items():
            assert torch.equal(tensor, other.state_dict()[name])


def test_added_characters_begin_as_the_unknown_one() -> None:
    model = tiny("forward")
    wider = with_characters(model.float(), ["a", "é", "ß", "é"]).eval()
    assert wider.characters == [*CHARACTERS, "é", "ß"]
    for sentence in (["abc", "é"], ["ßa"]):
        assert np.array_equal(
            flair.word_states(model, [sentence])[0], flair.word_states(wider, [sentence])[0]
        )
    assert with_characters(model, "abc") is model


@pytest.mark.parametrize("damage", ["missing", "characters", "weights", "no model", "shape"])
def test_a_damaged_folder_is_an_error(tmp_path: Path, damage: str) -> None:
    from safetensors.torch import load_file, save_file

    save_character_lms(tmp_path, [tiny("forward").float()])
    weights = tmp_path / "model.safetensors"
    if damage == "missing":
        weights.unlink()
    elif damage == "characters":
        (tmp_path / "chars.json").write_text('["a", "b"]')
    elif damage == "weights":
        weights.write_bytes(weights.read_bytes()[:100])
    elif damage == "no model":
        save_file({"other": torch.zeros(1)}, weights)
    else:
        tensors = load_file(weights)
        save_file(tensors | {"fwd.decoder.bias": torch.zeros(3)}, weights)
    with pytest.raises(ModelError, match=str(tmp_path)):
        load_character_lms(tmp_path)


def test_two_models_with_different_characters_need_two_folders(tmp_path: Path) -> None:
    models = [tiny("forward"), tiny("backward", characters=[*CHARACTERS, "é"])]
    with pytest.raises(ModelError, match="two folders"):
        save_character_lms(tmp_path, models)


def like_flair(**changed: object) -> SimpleNamespace:
    """The attributes of flair's ``LanguageModel``."""
    model = tiny("backward").float()
    attributes = {
        "proj": None,
        "recurrent_type": "LSTM",
        "decoder": model.decoder,
        "document_delimiter": "\n",
        "dictionary": SimpleNamespace(get_items=lambda: list(CHARACTERS)),
        "is_forward_lm": False,
        "embedding_size": 5,
        "hidden_size": 6,
        "nlayers": 1,
        "dropout": 0.1,
        "state_dict": model.state_dict,
    }
    return SimpleNamespace(**(attributes | changed))


def test_a_model_of_flair_is_taken_over_as_it_is() -> None:
    found = convert(like_flair())
    assert (found.direction, found.characters) == ("backward", CHARACTERS)
    sentence = ["abc", "é"]
    expected = flair.word_states(tiny("backward").float(), [sentence])[0]
    assert np.array_equal(flair.word_states(found, [sentence])[0], expected)


@pytest.mark.parametrize(
    "changed",
    [{"proj": object()}, {"recurrent_type": "GRU"}, {"decoder": None}, {"document_delimiter": "|"}],
)
def test_a_model_of_flair_of_another_kind_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(ModelError):
        convert(like_flair(**changed))


def test_without_flair_its_files_are_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "flair.models", None)
    with pytest.raises(MissingExtraError, match=r"innermost\[flair\]"):
        from_flair([tmp_path / "model.pt"], tmp_path / "out")
    assert not (tmp_path / "out").exists()
