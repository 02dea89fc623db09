"""Settings that follow from the amount of data."""

import pytest

from innermost.corpus import Sentence
from innermost.model_folder.info import read_info
from innermost.model_folder.installed import installed
from innermost.nest import Span
from innermost.runtime import load
from innermost.training.data.dataset import Split, types_in
from innermost.training.experiment import load_experiment
from innermost.training.settings.auto import automatic_start, choose
from innermost.training.settings.config import build_config, merged
from innermost.training.settings.fitting import fitting_start, fitting_vectors
from innermost.training.start import LEVELS_COMPARED, fitting_heads, read_start

ENGLISH = ["The", "mayor", "of", "the", "old", "town", "met", "my", "doctor", "near", "London"]


def split_of(sentences, words=ENGLISH):
    return Split("t", [Sentence(list(words), [Span(1, 2, "X")])] * sentences, "f")


def chosen(sentences, **settings):
    return choose(settings, split_of(sentences))


def config(sentences, **settings):
    return build_config(merged(chosen(sentences, **settings).settings, settings))


def test_the_choice_is_a_valid_configuration_at_every_size():
    previous = 0
    for size in (1, 10, 100, 1_000, 10_000, 40_000):
        training = config(size).training
        assert training.batch_tokens >= previous
        previous = training.batch_tokens
        assert training.evaluate_every <= training.epochs
        assert 1 <= training.patience <= training.epochs


def test_small_data_has_enough_steps_and_not_too_many_evaluations():
    training = config(100).training
    steps = 100 * len(ENGLISH) // training.batch_tokens
    assert steps * training.epochs >= 300
    assert training.epochs / training.evaluate_every <= 30


def test_what_is_given_is_kept_and_shown():
    choice = chosen(100, training={"epochs": 7, "batch_tokens": 50})
    settings = merged(choice.settings, {"training": {"epochs": 7, "batch_tokens": 50}})
    assert build_config(settings).training.epochs == 7
    assert "batches of 50 tokens, 7 epochs" in choice.reason


def test_evaluations_and_patience_follow_from_the_epochs_that_are_given():
    start = read_start("english")
    for model in (None, start):

        def evaluations(model=model, **training):
            settings = choose({"training": training}, split_of(100), model).settings["training"]
            return settings["evaluate_every"], settings["patience"]

        assert evaluations(epochs=5) == (1, 5)
        assert evaluations(epochs=400) == (40, 5)
        assert evaluations(epochs=400, evaluate_every=4) == (4, 50)
    reason = chosen(100, training={"epochs": 5}).reason
    assert "5 epochs of about 19 steps, each evaluated" in reason


def test_the_reason_is_one_line_with_the_amount_of_data():
    reason = chosen(100).reason
    assert reason.startswith("100 sentences, 1,100 tokens: ")
    assert "\n" not in reason


def test_one_of_something_is_singular():
    reason = chosen(1, training={"epochs": 1}).reason
    assert reason.startswith("1 sentence, 11 tokens: ")
    assert "1 epoch of about 1 step," in reason


def test_vectors_of_an_installed_model_are_used_where_they_fit():
    vectors = fitting_vectors(split_of(10))
    assert vectors is not None
    assert vectors.share == 1
    assert config(10).encoder.parts["wordchar"].vectors == vectors.model
    assert vectors.license == read_info(installed()[vectors.model]).license
    said = f"word vectors of {vectors.model} ({vectors.license}, 100% of the words)"
    assert said in chosen(10).reason


def test_words_with_combining_marks_are_words_too():
    hindi = ["में", "हिन्दी", "दिल्ली", "की", "The"]
    assert fitting_vectors(split_of(10, hindi)) is None


@pytest.mark.parametrize(
    ("words", "tokenizer"),
    [
        (["경", "찰", "은", "3", "2", "명"], "characters"),
        (["他", "在", "2", "0", "1", "8", "年"], "characters"),
        (["他", "在", "2018", "年", "去"], "unicode"),
        (["他", "在", "去", "，", "。"], "unicode"),
        (["ตำแหน่ง", "ร้าน", "_"], "unicode"),
    ],
)
def test_data_by_character_gets_the_tokenizer_for_it(words, tokenizer):
    assert chosen(10).settings.get("data") is None
    choice = choose({}, split_of(100, words))
    assert build_config(choice.settings).data.tokenizer == tokenizer
    assert ("by character" in choice.reason) == (tokenizer == "characters")
    given = choose({"data": {"tokenizer": "unicode"}}, split_of(100, words))
    assert "data" not in given.settings


def test_data_by_character_keeps_its_tokens_with_a_start_unless_types_are_kept():
    korean = split_of(100, ["경", "찰", "은", "3", "2", "명"])
    start = read_start("english")
    assert choose({}, korean, start, {}).settings["data"] == {"tokenizer": "characters"}
    assert "data" not in choose({"start": {"keep_types": True}}, korean, start, {}).settings
    assert "data" not in choose({}, split_of(100), start, {}).settings


NEWS = ["Google", "opened", "an", "office", "in", "Berlin", "near", "the", "Bank", "of", "England"]
FICTION = ["the", "old", "man", "saw", "his", "wife", "in", "the", "garden"]


@pytest.mark.parametrize(
    ("words", "places", "model"),
    [
        (NEWS, [(0, 1), (5, 6), (8, 11), (10, 11)], "english"),
        (FICTION, [(0, 3), (4, 6), (4, 5)], "english"),
        (["NF-kappa", "B", "binds", "the", "IL-2", "promoter"], [(0, 2), (4, 6), (4, 5)], "genia"),
    ],
)
def test_the_model_that_finds_the_most_similar_entities_is_recommended(words, places, model):
    entities = [Span(start, end, "X") for start, end in places]
    train = Split("t", [Sentence(list(words), entities)] * 10, "f")
    found = fitting_start(train)
    assert found is not None
    assert (found.model, found.f1 > 0.5) == (model, True)


def test_a_start_is_recommended_for_little_data():
    def advice(sentences):
        train = Split("t", [Sentence(NEWS, [Span(0, 1, "A"), Span(5, 6, "B")])] * sentences, "f")
        return choose({}, train).advice

    assert "--start-from english usually scores higher" in advice(10)
    assert advice(5_000) is None


def test_a_start_is_recommended_in_another_language_too():
    choice = choose({}, Split("t", [Sentence(list(BASQUE), [Span(5, 6, "LOC")])] * 10, "f"))
    assert "vectors" not in choice.settings["encoder"]
    assert "--start-from" in choice.advice


GERMAN = [
    "Die",
    "Universität",
    "Leipzig",
    "und",
    "die",
    "Deutsche",
    "Bahn",
    "bauen",
    "in",
    "Berlin",
]
GERMAN_NAMES = [Span(1, 3, "ORG"), Span(5, 7, "ORG"), Span(9, 10, "LOC")]
BASQUE = ["Enpresak", "bulegoa", "ireki", "zuen", "atzo", "Berlin", "hirian"]


def test_a_model_of_many_languages_is_the_start_in_those():
    train = Split("t", [Sentence(list(GERMAN), GERMAN_NAMES)] * 10, "f")
    vectors = fitting_vectors(train)
    assert vectors is not None
    assert vectors.model == "multilingual"
    assert vectors.languages > 1
    assert automatic_start({}, train) == "multilingual"


def test_a_model_of_many_languages_is_no_start_in_the_language_of_another():
    train = Split("t", [Sentence(list(NEWS), [Span(0, 1, "A"), Span(5, 6, "B")])] * 10, "f")
    found = fitting_start(train)
    assert found is not None
    assert found.model == "english"


def test_little_data_in_another_language_starts_from_a_model():
    german = [Sentence(list(GERMAN), GERMAN_NAMES)] * 10
    english = [Sentence(NEWS, [Span(0, 1, "A"), Span(5, 6, "B")])] * 10
    data = {"dev": 0.2}
    settings = {"preset": "auto", "data": data}

    def experiment(sentences, **more):
        return load_experiment(settings | more, {"train": Split("t", sentences, "f")})

    found = experiment(german)
    assert found.config.start.model == found.data.start.name
    assert "starting from multilingual (CC-BY-SA-4.0), which knows" in found.choice
    assert "starts from multilingual" in found.advice
    assert "--set encoder.kind=wordchar trains from scratch" in found.advice
    assert experiment(german, encoder={"kind": "wordchar"}).data.start is None
    assert experiment(english).data.start is None
    assert automatic_start({}, Split("t", german * 500, "f")) is None


def test_a_model_that_does_not_know_the_words_is_trained_for_twice_as_long():
    start = read_start("multilingual")

    def epochs(tokens):
        train = Split("t", [Sentence(tokens, [Span(9, 10, "place")])] * 100, "f")
        return choose({}, train, start, {"place": "place"}).settings["training"]["epochs"]

    backwards = [word[::-1] if word.isalpha() else word for word in GERMAN]
    assert epochs(backwards) == 2 * epochs(list(GERMAN))


CHINESE = list("市长在旧城会见医生")
SCRATCH = "from scratch, because no installed model finds similar entities in this language"


def test_training_from_scratch_is_explained_where_no_model_fits():
    data = [Sentence(CHINESE, [Span(3, 5, "LOC")])] * 10
    assert automatic_start({}, Split("t", data, "f")) is None

    def reason(sentences, **settings):
        return choose(settings, Split("t", sentences, "f")).reason

    assert reason(data).endswith(f", averaged weights, {SCRATCH}")
    assert SCRATCH not in reason(data, encoder={"kind": "wordchar"})
    assert SCRATCH not in reason(data * 500)
    assert SCRATCH not in reason([Sentence(NEWS, [Span(3, 5, "X")])] * 10)


def test_models_that_are_only_compared_do_not_warn_of_deep_nesting(recwarn, monkeypatch):
    depths = []

    def load_noting_depth(*args, max_depth=None, **options):
        depths.append(max_depth)
        return load(*args, max_depth=max_depth, **options)

    for module in ("settings.fitting", "start"):
        monkeypatch.setattr(f"innermost.training.{module}.load", load_noting_depth)
    train = Split("t", [Sentence(CHINESE, [Span(3, 5, "LOC")])] * 10, "f")
    fitting_start(train)
    fitting_heads(read_start("multilingual"), train)
    assert set(depths) == {LEVELS_COMPARED}
    assert not recwarn.list


def test_no_start_is_recommended_where_no_model_finds_the_entities():
    assert fitting_start(Split("t", [Sentence(NEWS, [Span(3, 5, "X")])] * 10, "f")) is None


@pytest.mark.parametrize("words", [["мэр", "старого", "города"], ["xqzzy", "wqrrtl", "zzkkpq"]])
def test_vectors_that_do_not_know_the_words_are_not(words):
    split = split_of(10, words)
    assert fitting_vectors(split) is None
    assert "vectors" not in choose({}, split).settings["encoder"]


def test_given_vectors_and_other_encoders_are_left_alone():
    assert "vectors" not in chosen(10, encoder={"vectors": "mine.npz"}).settings["encoder"]
    transformer = {"kind": "transformer", "model": "m", "fine_tune": True}
    settings = chosen(10, encoder=transformer).settings
    assert "scale_vectors" not in settings["encoder"]
    assert build_config(merged(settings, {"encoder": transformer})).training.learning_rate < 2e-3


@pytest.mark.parametrize(
    ("sentences", "known", "epochs"),
    [(100, 40, 60), (1_000, 38, 38), (10_000, 12, 12), (100_000, 8, 8)],
)
def test_a_start_needs_fewer_epochs_with_more_data_and_known_types(sentences, known, epochs):
    start, train = read_start("english"), split_of(sentences)
    labels = sorted(types_in(train))
    for heads, expected in ((dict(zip(labels, labels, strict=True)), known), ({}, epochs)):
        settings = choose({}, train, start, heads).settings
        training = settings["training"]
        assert training["epochs"] == expected
        assert training["epochs"] // training["evaluate_every"] <= 20
        assert settings["encoder"]["dropout"] == (0.3 if heads else 0.5)


def test_types_that_share_a_head_are_not_distinguished_by_the_model():
    start = read_start("english")
    labels = ["A", "B", "C", "D"]
    sentence = Sentence(["x"] * 9, [Span(n, n + 1, label) for n, label in enumerate(labels)])
    train = Split("t", [sentence] * 20, "f")

    def dropout(heads):
        return choose({}, train, start, heads).settings["encoder"]["dropout"]

    assert dropout({"A": "person", "B": "place", "C": "organization"}) == 0.3
    assert dropout({"A": "person", "B": "place", "C": "place", "D": "place"}) == 0.5
