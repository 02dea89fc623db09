from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="transformers are trained with torch")
pytest.importorskip("transformers", reason="needs the transformers library")

import torch
import transformers

from helpers.tiny_transformer import TEXT, write_tiny_bert, write_tiny_roberta
from innermost.corpus import Sentence
from innermost.errors import ConfigError
from innermost.network.embedder import Layout
from innermost.network.tagger import Tagger, TaggerFeatures
from innermost.parts.transformer.huggingface import load_pretrained
from innermost.parts.transformer.layer_choice import LayerMix, chosen_layers
from innermost.parts.transformer.settings import Settings
from innermost.parts.transformer.training import build, load

SENTENCES = [text.split() for text in TEXT]
LONG = ["oslo"] + ["mayor", "of"] * 40 + ["q" * 300]
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INNERMOST_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def part(folder: Path, **settings: object):
    return build(Settings(model=str(folder), **settings), None, [], CPU)


def vectors(made, sentences: list[Sentence]) -> list[np.ndarray]:
    """The output of the embedder, by sentence."""
    made.module.eval()
    items = made.features.prepare(sentences)
    found = []
    for item, sentence in zip(items, sentences, strict=True):
        layout = Layout.of([len(sentence.tokens)])
        with torch.no_grad():
            found.append(made.module(made.features.collate([item], layout)).numpy())
    return found


def expected(folder: Path, words: list[str], layers: list[int], pooling: str) -> np.ndarray:
    """By the transformers library alone: its tokenizer, its forward pass."""
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    model = transformers.AutoModel.from_pretrained(folder).eval()
    encoding = tokenizer(words, is_split_into_words=True, return_tensors="pt")
    with torch.no_grad():
        states = model(
            input_ids=encoding["input_ids"],
            attention_mask=encoding["attention_mask"],
            output_hidden_states=True,
        ).hidden_states
    mean = torch.stack([states[layer] for layer in layers]).mean(0)[0]
    numbers = encoding.word_ids()
    rows = []
    for word in range(len(words)):
        places = [i for i, n in enumerate(numbers) if n == word]
        rows.append(mean[places[:1] if pooling == "first" else places].mean(0))
    stacked = torch.stack(rows)
    return torch.nn.functional.layer_norm(stacked, stacked.shape[-1:]).numpy()


@pytest.mark.parametrize("fine_tune", [False, True])
@pytest.mark.parametrize("pooling", ["first", "mean"])
@pytest.mark.parametrize(
    ("layers_used", "layers"),
    [("last", [3]), ("mean-last-4", [1, 2, 3]), ((0, -1), [0, 3]), ("mix", [0, 1, 2, 3])],
)
def test_same_hidden_states_as_transformers(
    bert: Path, fine_tune: bool, pooling: str, layers_used, layers: list[int]
) -> None:
    made = part(bert, fine_tune=fine_tune, pooling=pooling, layers_used=layers_used)
    words = ["the", "mayor", "of", "Ghentish", "Oslo"]
    (found,) = vectors(made, [Sentence(words)])
    np.testing.assert_allclose(found, expected(bert, words, layers, pooling), atol=1e-5)


def test_models_that_count_positions_from_the_padding_on(tmp_path: Path) -> None:
    folder = write_tiny_roberta(tmp_path)
    made = part(folder)
    assert made.pretrained.subwords.capacity == 26 - 2 - 2
    first, second = vectors(made, [Sentence(["Oslo", "slept"]), Sentence(LONG)])
    assert first.shape == (2, 16)
    assert np.isfinite(second).all()


def test_batches_do_not_change_vectors(bert: Path) -> None:
    for fine_tune in (False, True):
        made = part(bert, fine_tune=fine_tune)
        sentences = sorted([*SENTENCES, LONG], key=len, reverse=True)
        alone = vectors(made, [Sentence(s) for s in sentences])
        layout = Layout.of([len(s) for s in sentences])
        items = made.features.prepare([Sentence(s) for s in sentences])
        with torch.no_grad():
            together = made.module(made.features.collate(items, layout)).numpy()
        np.testing.assert_allclose(together, np.concatenate(alone)[layout.order()], atol=1e-5)


@pytest.mark.parametrize("windows", ["sentence", "shared"])
def test_frozen_and_fine_tuned_read_the_same(bert: Path, windows: str) -> None:
    """Before any training; long sentences, context and documents included."""
    texts = [[s[0]] for s in SENTENCES] + SENTENCES
    sentences = [Sentence(s, doc="a") for s in [*texts, LONG]] + [Sentence(["\x00", "mayor"])]
    frozen = vectors(part(bert, context=2, windows=windows), sentences)
    tuned = vectors(part(bert, context=2, windows=windows, fine_tune=True), sentences)
    for one, other in zip(frozen, tuned, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_shared_windows_are_read_once_in_any_batch(bert: Path) -> None:
    made = part(bert, context=2, windows="shared", fine_tune=True)
    pairs = zip(SENTENCES * 3, "aaaabbbbbbcc", strict=True)
    sentences = [Sentence(words[:n], doc=doc) for words, doc in pairs for n in (2, 3)]
    alone = vectors(made, sentences)
    items = made.features.prepare(sentences)
    numbers = made.features.groups(items)
    assert 3 < len(set(numbers)) < len(items)
    places = {(number, s.doc) for number, s in zip(numbers, sentences, strict=True)}
    assert len(places) == len(set(numbers))
    order = sorted(range(len(items)), key=lambda i: -len(sentences[i].tokens))
    layout = Layout.of([len(sentences[i].tokens) for i in order])
    batch = made.features.collate([items[i] for i in order], layout)
    assert len(batch.ids) == len(set(numbers))
    with torch.no_grad():
        together = made.module(batch).numpy()
    expected = np.concatenate([alone[i] for i in order])[layout.order()]
    np.testing.assert_allclose(together, expected, atol=1e-5)


def test_a_long_sentence_is_stitched_from_windows(bert: Path) -> None:
    """Words beyond the first window have the vectors of their window."""
    made = part(bert, layers_used="last")
    words = ["oslo"] * 30
    pieces = made.pretrained.subwords([[words]])[0]
    assert len(pieces.ids) > made.pretrained.subwords.capacity
    (found,) = vectors(made, [Sentence(words)])
    capacity, count = made.pretrained.subwords.capacity, pieces.counts[0]
    fitting = capacity // count
    last = expected(bert, words[:fitting], [3], "mean")
    if capacity % count == 0:
        np.testing.assert_allclose(found[-1], last[-1], atol=1e-5)
    np.testing.assert_allclose(found[0], expected_first(bert, made, pieces), atol=1e-5)


def expected_first(folder: Path, made, pieces) -> np.ndarray:
    """The first word of the first window, which may end within a word."""
    subwords = made.pretrained.subwords
    ids = [*subwords.before, *pieces.ids[: subwords.capacity].tolist(), *subwords.after]
    model = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        state = model(input_ids=torch.tensor([ids])).last_hidden_state[0]
    begin = len(subwords.before)
    vector = state[begin : begin + pieces.counts[0]].mean(0)
    return torch.nn.functional.layer_norm(vector, vector.shape).numpy()


def test_context_matters_and_only_within_the_document(bert: Path) -> None:
    def second(context: int, *docs: str | None) -> np.ndarray:
        sentences = [Sentence(s[:3], doc=d) for s, d in zip(SENTENCES, docs, strict=False)]
        return vectors(part(bert, context=context), sentences)[1]

    alone = second(0, "a", "a")
    assert np.abs(second(4, "a", "a") - alone).max() > 1e-3
    for docs in (("a", "b"), (None, None)):
        np.testing.assert_allclose(second(4, *docs), alone, atol=1e-6)


def test_frozen_vectors_are_worked_out_once(
    bert: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = [Sentence(s) for s in SENTENCES]
    before = vectors(part(bert), sentences)
    assert len(list(cache.iterdir())) == 1
    made = part(bert)
    monkeypatch.setattr(made.features, "computing", lambda _: pytest.fail("computed again"))
    after = vectors(made, sentences)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)
    for other in (
        part(bert, pooling="first"),
        part(bert, layers_used="last"),
        part(bert, context=3),
        part(bert, context=3, windows="shared"),
    ):
        vectors(other, sentences)
    assert len(list(cache.iterdir())) == 5
    vectors(part(bert), sentences[:2])
    assert len(list(cache.iterdir())) == 6


def test_other_weights_are_another_cache(bert: Path, tmp_path: Path) -> None:
    other = write_tiny_bert(tmp_path / "other", seed=1)
    assert load_pretrained(str(bert)).fingerprint != load_pretrained(str(other)).fingerprint
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in bert.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    assert load_pretrained(str(bert)).fingerprint == load_pretrained(str(copy)).fingerprint


def test_fine_tuning_reaches_every_layer_at_its_own_rate(bert: Path) -> None:
    made = part(bert, fine_tune=True, learning_rate=1e-3, layer_decay=0.5, layers_used="mix")
    model = Tagger(
        {"transformer": made.module}, 2, hidden=4, layers=1, dropout=0.0, recurrent_dropout=0.0
    )
    groups = model.parameter_groups(0.1)
    rates = {id(p): g["rate"] for g in groups for p in g["params"]}
    named = dict(model.named_parameters())
    assert len(rates) == len(named) == sum(len(g["params"]) for g in groups)
    prefix = "transformer.encoder."
    query = "attention.self.query.weight"
    for name, rate in {
        "emit.weight": 0.1,
        "transformer.mix.weights": 0.1,
        f"{prefix}encoder.layer.2.{query}": 1e-3,
        f"{prefix}encoder.layer.1.{query}": 5e-4,
        f"{prefix}encoder.layer.0.{query}": 2.5e-4,
        f"{prefix}embeddings.word_embeddings.weight": 1.25e-4,
    }.items():
        assert rates[id(named[name])] == pytest.approx(rate)
    plain = {id(p) for g in groups if g.get("weight_decay") == 0.0 for p in g["params"]}
    assert id(named[f"{prefix}encoder.layer.0.attention.self.query.bias"]) in plain
    features = TaggerFeatures([made.features])
    model(features.collate(features.prepare([Sentence(SENTENCES[0])]))).square().sum().backward()
    assert all(p.grad is not None for p in model.parameters())


def test_gradient_checkpointing_gives_the_same_gradients(bert: Path) -> None:
    gradients = []
    for checkpointing in (False, True):
        made = part(bert, fine_tune=True, gradient_checkpointing=checkpointing)
        made.module.train()
        for module in made.module.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        for layer in made.module.encoder.encoder.layer:
            layer.attention.self.dropout.p = 0.0
            layer.attention.self.dropout_prob = 0.0  # of transformers 4
        batch = made.features.collate(
            made.features.prepare([Sentence(SENTENCES[0])]), Layout.of([10])
        )
        (made.module(batch)[:, :3] ** 2).sum().backward()
        gradients.append([p.grad for p in made.module.parameters()])
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other)


def test_saved_and_loaded_again(bert: Path, tmp_path: Path) -> None:
    sentences = [Sentence(SENTENCES[0])]
    for fine_tune in (False, True):
        settings = Settings(model=str(bert), fine_tune=fine_tune)
        made = build(settings, None, [], CPU)
        folder = tmp_path / str(fine_tune)
        made.save(folder)
        assert (folder / "transformer" / "model.safetensors").exists() is not fine_tune
        again = load(settings, folder, CPU)
        again.module.load_state_dict(made.module.state_dict())
        np.testing.assert_allclose(
            vectors(again, sentences)[0], vectors(made, sentences)[0], atol=1e-6
        )


def test_the_mix_is_a_weighted_mean() -> None:
    mix = LayerMix(3)
    mix.weights.data = torch.tensor([0.0, 1.0, -1.0])
    mix.scale.data = torch.tensor(2.0)
    stacked = torch.randn(5, 3, 4)
    shares = torch.softmax(mix.weights, 0)
    wanted = 2 * sum(shares[i] * stacked[:, i] for i in range(3))
    torch.testing.assert_close(mix(stacked), wanted)


def test_wrong_layers_and_models_are_named(bert: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="layers 0 to 3"):
        chosen_layers((1, 4), 4)
    with pytest.raises(ConfigError, match="layers 0 to 3"):
        part(bert, layers_used=(7,))
    with pytest.raises(ConfigError, match="no transformer could be loaded from"):
        part(tmp_path)


def test_missing_weights_are_not_drawn_at_random(bert: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(bert / "model.safetensors")
    del weights["encoder.layer.1.output.dense.weight"]
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((bert / name).read_bytes())
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ConfigError, match=r"no weights for encoder\.layer\.1\.output"):
        part(tmp_path)
