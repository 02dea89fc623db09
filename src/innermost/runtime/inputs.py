"""The accepted inputs of a model, as a text with tokenized sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from innermost.corpus.sentence import Sentence
from innermost.errors import UsageError
from innermost.text import Offsets, Tokenizer

Item = str | Sequence[str] | Sentence | Sequence[Sentence]
"""A text, the tokens of one sentence, a sentence of a corpus, or all sentences of a document."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A document without its entities."""

    text: str
    offsets: list[list[Offsets]]
    """The offsets of the tokens of each sentence."""
    sentences: list[list[str]]
    """The tokens themselves."""
    doc: str | None = None
    """The document that it is part of, together with adjacent items of the same name."""

    @property
    def size(self) -> int:
        return sum(map(len, self.sentences))


def draft(item: Item, tokenizer: Tokenizer, *, split: bool = True) -> Draft:
    """The draft of an input; a text is split into sentences unless ``split`` is False."""
    if isinstance(item, str):
        offsets = tokenizer.split(item)
        if not split and offsets:
            offsets = [[token for sentence in offsets for token in sentence]]
        return Draft(item, offsets, [[item[a:b] for a, b in tokens] for tokens in offsets])
    if isinstance(item, Sentence):
        return _given(item)
    if isinstance(item, Sequence) and item and all(isinstance(part, Sentence) for part in item):
        return _document(cast("Sequence[Sentence]", item))
    if isinstance(item, Sequence) and all(isinstance(token, str) for token in item):
        return _given(Sentence(list(cast("Sequence[str]", item))))
    raise UsageError(
        f"cannot predict on {_shown(item)}",
        hint="pass a text (str), a list of texts, or a corpus Sentence; the tokens of sentences go "
        'to nlp.predict_tokens([["The", "mayor"], ...])',
    )


def check_series(items: object) -> None:
    """Refuse what is one item, or no series of items though Python can iterate over it."""
    if isinstance(items, (str, Sentence)):
        raise UsageError(
            f"one item where several are expected: {_shown(items)}",
            hint="put it in a list; for a single text, nlp(text)",
        )
    if hasattr(items, "columns"):
        raise UsageError(
            f"cannot predict on a {type(items).__name__}: its items are columns, not texts",
            hint='pass the column with the texts, e.g. nlp(df["text"]); innermost.frame turns the '
            "documents into a DataFrame",
        )
    is_series = hasattr(items, "__iter__") or hasattr(items, "__getitem__")
    if isinstance(items, (bytes, bytearray, Mapping)) or not is_series:
        raise UsageError(
            f"cannot predict on {_shown(items)}",
            hint="pass a list, or another iterable, of texts or of lists of tokens",
        )


def checked_items(items: Iterable[Any]) -> Iterator[Item]:
    """The same items; an error names the position of one that is no text."""
    for position, item in enumerate(items):
        if not isinstance(item, (str, Sentence, Sequence)) or isinstance(item, (bytes, bytearray)):
            raise UsageError(
                f"item {position} of the series: cannot predict on {_shown(item)}",
                hint="positions count from 0; remove or replace what is missing, e.g. with an "
                "empty text",
            )
        yield item


def check_token_list(sentence: Item) -> Item:
    """Refuse a text where tokens are expected: most likely a list of tokens outside a list."""
    if isinstance(sentence, str):
        raise UsageError(
            f"expected the tokens of a sentence, found {_shown(sentence)}",
            hint='pass a list of sentences, each a list of tokens: [["The", "mayor"], ...]',
        )
    return sentence


def check_tokens(tokens: Sequence[str]) -> None:
    if not all(tokens):
        raise UsageError(
            f"token {list(tokens).index('')} of a sentence is empty",
            hint="remove empty tokens before predicting",
        )


def _given(sentence: Sentence) -> Draft:
    """Existing tokens are not split further; without gaps they are joined by spaces."""
    check_tokens(sentence.tokens)
    text = sentence.text if sentence.gaps is not None else " ".join(sentence.tokens)
    if not sentence.tokens:
        return Draft(text, [], [], sentence.doc)
    return Draft(text, [sentence.token_offsets()], [sentence.tokens], sentence.doc)


def _document(sentences: Sequence[Sentence]) -> Draft:
    """Sentences of one document: their texts are concatenated."""
    text = ""
    offsets: list[list[Offsets]] = []
    for sentence in sentences:
        check_tokens(sentence.tokens)
        if sentence.tokens:
            start = len(text)
            offsets.append([(start + a, start + b) for a, b in sentence.token_offsets()])
        text += sentence.text
    tokens = [sentence.tokens for sentence in sentences if sentence.tokens]
    return Draft(text, offsets, tokens, sentences[0].doc)


def _shown(item: object) -> str:
    text = repr(item)
    return f"{type(item).__name__} {text if len(text) < 60 else text[:57] + '...'}"
