from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from innermost.corpus import Sentence
from innermost.network.tagger import Tagger, TaggerFeatures, TaggerInput
from innermost.parts.wordchar import module
from innermost.parts.wordchar.features import WordCharFeatures
from innermost.parts.wordchar.module import CharacterCNN, WordCharEmbedder
from innermost.parts.wordchar.vocabulary import build_vocabulary, spell

SENTENCES = [
    ["the", "wife", "of", "the", "mayor", "of", "Springfield", "laughed"],
    ["IL-2", "receptor", "gene"],
    ["x" * 5000, "ends"],
    ["Ω"],
]
TAGGER = ("hidden", "layers", "dropout", "recurrent_dropout")


def encoder(**changes):
    torch.manual_seed(0)
    vocabulary = build_vocabulary([t for s in SENTENCES[:2] for t in s], ["the", "of", "gene"])
    settings = {
        "word_dimension": 7,
        "character_dimension": 5,
        "character_filters": 6,
        "hidden": 8,
        "layers": 2,
        "word_dropout": 0.0,
        "dropout": 0.0,
        "recurrent_dropout": 0.0,
    }
    settings |= changes
    tagger = {name: settings.pop(name) for name in TAGGER}
    embedder = WordCharEmbedder(vocabulary, torch.randn(3, 7), **settings)
    model = Tagger({"wordchar": embedder}, 3, **tagger)
    return model, TaggerFeatures([WordCharFeatures(vocabulary)])


def emissions(model, features, sentences):
    return model(features.collate(features.prepare([Sentence(s) for s in sentences])))


def test_shape_and_independence_of_the_batch():
    """A sentence's emissions do not depend on what else is in the batch, nor on padding."""
    model, features = encoder()
    model.eval()
    together = emissions(model, features, SENTENCES)
    assert together.shape == (4, 3, 8, 5)
    for row, sentence in enumerate(SENTENCES):
        alone = emissions(model, features, [sentence])
        torch.testing.assert_close(together[row, :, : len(sentence)], alone[0])
        assert (together[row, :, len(sentence) :] == 0).all()


def test_the_character_cnn_equals_a_convolution():
    torch.manual_seed(2)
    words = ["a", "abc", "cab", "bb"]
    vocabulary = build_vocabulary(words, [])
    cnn = CharacterCNN(vocabulary.character_count, 4, 5)
    nn.init.normal_(cnn.bias)
    spelling = spell(vocabulary, words)
    got = cnn(torch.from_numpy(spelling.windows), torch.from_numpy(spelling.lengths))
    kernel = cnn.kernel.permute(2, 1, 0)
    for row, word in zip(got, words, strict=True):
        characters = cnn.embedding[vocabulary.spell(word)].T.unsqueeze(0)
        convolved = nn.functional.conv1d(characters, kernel, cnn.bias, padding=1)
        torch.testing.assert_close(row, torch.tanh(convolved.amax(-1)[0]))


def test_pretrained_vectors_stay_and_are_not_saved_with_the_weights():
    model, features = encoder()
    assert not any("pretrained" in name for name in model.state_dict())
    emissions(model, features, SENTENCES).sum().backward()
    assert model.wordchar.pretrained.grad is None
    assert model.wordchar.trained.grad is not None


def test_word_dropout_puts_the_unknown_word():
    model, features = encoder(word_dropout=0.999)
    model.train()
    batch = features.collate(features.prepare([Sentence(SENTENCES[1])]))
    torch.manual_seed(0)
    dropped = model(batch)
    model.eval()
    forms = batch.parts[0]
    unknown = replace(forms, words=forms.words * 0)
    torch.testing.assert_close(dropped, model(TaggerInput(batch.layout, (unknown,))))


def test_batches_must_be_sorted():
    _, features = encoder()
    with pytest.raises(ValueError, match="descending"):
        features.collate(features.prepare([Sentence(["a"]), Sentence(["a", "b"])]))


def test_words_added_after_the_first_batch_are_known():
    model, features = encoder()
    model.eval()
    emissions(model, features, [["the"]])
    assert np.isfinite(emissions(model, features, [["of", "new"]]).detach().numpy()).all()


def test_the_names_of_the_weights():
    """Saved models depend on them."""
    model, _ = encoder()
    names = set(model.state_dict())
    assert {n for n in names if not n.startswith("lstm.")} == {
        "wordchar.trained",
        "wordchar.characters.embedding",
        "wordchar.characters.kernel",
        "wordchar.characters.bias",
        "emit.weight",
        "emit.bias",
    }
    assert "lstm.layers.1.weight_hh_l0_reverse" in names


def test_without_layers_only_the_linear_one_is_left():
    model, features = encoder(layers=0)
    model.eval()
    batch = features.collate(features.prepare([Sentence(["the", "gene"])]))
    (vectors,) = [e(p) for e, p in zip(model.embedders, batch.parts, strict=True)]
    expected = model.emit(vectors).view(2, 3, 5).transpose(0, 1)
    torch.testing.assert_close(model(batch)[0], expected)


def test_the_tables_of_some_characters_are_rows_of_those_of_all(monkeypatch):
    torch.manual_seed(1)
    cnn = CharacterCNN(9, 4, 5)
    windows, spelled = torch.tensor([[0, 3, 7], [3, 7, 0], [0, 7, 0]]), torch.tensor([2, 1])
    expected = cnn(windows, spelled)
    expected.sum().backward()
    gradients = [p.grad.clone() for p in cnn.parameters()]
    cnn.zero_grad()
    monkeypatch.setattr(module, "MANY_CHARACTERS", 0)
    some = cnn(windows, spelled)
    some.sum().backward()
    torch.testing.assert_close(some, expected)
    for parameter, gradient in zip(cnn.parameters(), gradients, strict=True):
        torch.testing.assert_close(parameter.grad, gradient)
