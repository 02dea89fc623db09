"""Installed models that fit the training data: by their words, and by what they find."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from innermost.errors import InnermostError
from innermost.evaluation.counts import Counts
from innermost.model_folder.info import ModelInfo, read_info
from innermost.model_folder.installed import installed
from innermost.parts.wordchar.files import VOCABULARY, read_vocabulary
from innermost.runtime import load
from innermost.text import tokenizer
from innermost.text.scripts import is_word
from innermost.training.data.dataset import Split
from innermost.training.start import LEVELS_COMPARED

ENOUGH_WORDS = 0.75
"""Vectors of another model are used if it has this share of the distinct words."""
ENOUGH_FOUND = 0.2
"""A model is a good start if its entities, whatever their types, reach this F1 on the data."""
ENOUGH_ABROAD = 0.1
"""The same for data in another language, where the only alternative is to start from nothing."""
BY_CHARACTER = 0.95
"""Data is annotated by character if this share of the tokens is, of those that could be longer."""
COMPARED = 300
"""Training sentences that models and tokenizers are compared on, at most."""


@dataclass(frozen=True, slots=True)
class FittingVectors:
    model: str
    share: float
    """The share of the distinct words of the training data."""
    languages: int
    """How many languages the model learned."""
    license: str
    """That of the model, which applies to what is trained with its vectors, too."""


@dataclass(frozen=True, slots=True)
class FittingStart:
    model: str
    f1: float
    """Of the boundaries of its entities on the training data."""


def fitting_vectors(train: Split) -> FittingVectors | None:
    """The installed model whose word vectors cover most of the training data, if any does."""
    best: FittingVectors | None = None
    for name, folder in installed().items():
        if not (folder / VOCABULARY).exists():
            continue
        try:
            words, info = _words(folder)
        except InnermostError:  # skip a broken model
            continue
        share = _known_share(words, train)
        if share >= ENOUGH_WORDS and (best is None or share > best.share):
            best = FittingVectors(name, share, len(info.languages), info.license)
    return best


def is_by_character(train: Split) -> bool:
    """Whether the tokens are characters even where the default tokenizer would not divide them.

    Chinese characters do not show it, but numbers, Latin names and Korean syllables do.
    """
    default, characters = tokenizer("unicode"), tokenizer("characters")
    tokens = Counter(
        token for s in train.sentences[:COMPARED] for token in s.tokens if token.isalnum()
    )
    joined = {token: n for token, n in tokens.items() if len(default.split(2 * token)[0]) == 1}
    single = sum(n for token, n in joined.items() if len(characters.split(token)[0]) == 1)
    return single > 0 and single >= BY_CHARACTER * sum(joined.values())


def knows_words(folder: Path, train: Split) -> bool:
    """Whether a model has vectors of enough words of the training data."""
    if not (folder / VOCABULARY).exists():
        return False
    return _known_share(frozenset(read_vocabulary(folder).pretrained), train) >= ENOUGH_WORDS


def _known_share(words: frozenset[str], train: Split) -> float:
    """The share of the distinct words of the data that are among ``words``."""
    forms = {token for s in train.sentences for token in s.tokens if is_word(token)}
    known = sum(form in words or form.lower() in words for form in forms)
    return known / len(forms) if forms else 0.0


@cache
def _words(folder: Path) -> tuple[frozenset[str], ModelInfo]:
    """The words that have vectors, and the description. Installed models do not change."""
    return frozenset(read_vocabulary(folder).pretrained), read_info(folder)


def fitting_start(train: Split, enough: float = ENOUGH_FOUND) -> FittingStart | None:
    """The installed model, in any layer, whose entities are most similar to those of the data.

    Only boundaries are compared: types have other names in other corpora. A model of several
    languages is left out if another has learned this one alone, and knows it better.
    """
    vectors = fitting_vectors(train)
    one_language = vectors is not None and vectors.languages <= 1
    scores: dict[str, float] = {}
    for name, folder in installed().items():
        if not (folder / VOCABULARY).exists():  # slow, or not a model to start from without a GPU
            continue
        try:
            info = read_info(folder)
            if one_language and len(info.languages) > 1:
                continue
            named = (None, *info.layers)
            scores[name] = max(_boundary_f1(name, layer, train) for layer in named)
        except InnermostError:  # skip a broken model
            continue
    best = max(scores, key=scores.__getitem__, default=None)
    if best is None or scores[best] < enough:
        return None
    return FittingStart(best, scores[best])


def _boundary_f1(model: str, layer: str | None, train: Split) -> float:
    sentences = train.sentences[:COMPARED]
    counts = Counts()
    nlp = load(model, layer=layer, max_depth=LEVELS_COMPARED)
    predicted = nlp.predict_sentences(sentences)
    for sentence, spans in zip(sentences, predicted, strict=True):
        gold = {(s.start, s.end) for s in sentence.entities}
        found = {(s.start, s.end) for s in spans}
        counts += Counts(len(gold), len(found), len(gold & found))
    return counts.f1
