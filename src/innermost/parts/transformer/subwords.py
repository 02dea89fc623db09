"""Split words into sub-words with the ``tokenizers`` library. Used in training and at run time,
without torch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from innermost.errors import MissingExtraError, ModelError
from innermost.forking import reset_in_children
from innermost.model_folder.manifest import read_file
from innermost.model_folder.plain_files import MEGABYTE, damaged
from innermost.parts.transformer.document_windows import Pieces, Style, document_pieces

Words = Sequence[str]

_UNKNOWN = ("[UNK]", "<unk>", "[MASK]", "<mask>")
_LARGEST_FILE = 256 * MEGABYTE
_LONGEST_WINDOW = 8_192
"""Attention memory is quadratic in it."""
_CAPACITY = 65_536
"""Distinct words whose sub-words are cached."""


class Subwords:
    """A tokenizer in the file format of ``tokenizers``.

    The file also defines the length of a window (``truncation``) and its padding (``padding``).
    Each word is tokenized separately, so that this is done once per distinct word.
    """

    def __init__(self, description: str) -> None:
        tokenizer = _tokenizer(description)
        if tokenizer.truncation is None or tokenizer.padding is None:
            raise ModelError("the tokenizer does not define the window length and the padding")
        window: int = tokenizer.truncation["max_length"]
        self.pad: int = tokenizer.padding["pad_id"]
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._unknown = _unknown(tokenizer)
        self.before, self.after = _specials(tokenizer)
        self.capacity = window - len(self.before) - len(self.after)
        """Sub-words that fit into one window."""
        if self.capacity < 1:
            raise ModelError(f"the transformer's window of {window} sub-words fits no word")
        if window > _LONGEST_WINDOW:
            raise ModelError(f"the transformer's window has {window} sub-words")
        self._known: dict[str, list[int]] = {}
        self._lock = Lock()
        reset_in_children(self)

    def reset_after_fork(self) -> None:
        self._lock = Lock()
        self._known = {}

    def __call__(
        self, documents: Sequence[Sequence[Words]], context: int = 0, style: Style = "sentence"
    ) -> list[Pieces]:
        """All sentences of all documents, one after the other, in the windows of ``style``.

        With ``context``, that many sub-words of the document are read on each side of a window's
        sentences, as far as they fit.
        """
        with self._lock:
            self._learn(word for sentences in documents for words in sentences for word in words)
            known = [[[self._known[word] for word in s] for s in d] for d in documents]
        return [
            pieces
            for document in known
            for pieces in document_pieces(document, self.capacity, context, style)
        ]

    def _learn(self, words: Iterable[str]) -> None:
        """Tokenize the ``words`` that are not cached yet."""
        distinct = dict.fromkeys(words)
        new = [word for word in distinct if word not in self._known]
        if not new:
            return
        if len(self._known) + len(new) > _CAPACITY:
            self._known.clear()
            new = list(distinct)
        with _library_errors("the transformer's tokenizer fails"):
            encodings = self._tokenizer.encode_batch(
                [[_sound(word)] for word in new], is_pretokenized=True, add_special_tokens=False
            )
        for word, encoding in zip(new, encodings, strict=True):
            # Control characters and the like have no sub-words; the word still needs a vector.
            self._known[word] = encoding.ids or [self._unknown]


def tokenizer_description(source: str, *, window: int, pad: int) -> str:
    """The JSON of a tokenizer for single words, with window length and padding."""
    settings = msgspec.json.decode(source)
    _add_prefix_space(settings.get("pre_tokenizer"))
    tokenizer = _tokenizer(msgspec.json.encode(settings).decode())
    tokenizer.enable_truncation(window)
    tokenizer.enable_padding(pad_id=pad, pad_token=tokenizer.id_to_token(pad) or "")
    return str(tokenizer.to_str())


def read_subwords(path: Path) -> Subwords:
    try:
        description = read_file(path, _LARGEST_FILE).decode("utf-8")
    except UnicodeDecodeError as error:
        raise damaged(path, error) from None
    try:
        return Subwords(description)
    except ModelError as error:
        raise ModelError(f"{path}: {error.message}", hint=error.hint) from None


def _tokenizer(description: str) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("A model with a transformer", "subwords", error.name) from None
    with _library_errors("not a tokenizer"):
        return Tokenizer.from_str(description)


@contextmanager
def _library_errors(message: str) -> Iterator[None]:
    """Whatever ``tokenizers`` raises is an error of the model's file."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # a panic of the library is no Exception
        raise ModelError(f"{message}: {error}") from None


def _sound(word: str) -> str:
    """The word without lone surrogates, which the library does not accept."""
    return word.encode("utf-8", "replace").decode("utf-8")


def _add_prefix_space(settings: Any) -> None:
    """Byte-level tokenizers must treat each word as following a space."""
    if isinstance(settings, dict):
        if settings.get("type") == "ByteLevel":
            settings["add_prefix_space"] = True
        for value in settings.values():
            _add_prefix_space(value)
    elif isinstance(settings, list):
        for value in settings:
            _add_prefix_space(value)


def _unknown(tokenizer: Any) -> int:
    own = getattr(tokenizer.model, "unk_token", None)
    for token in (own, *_UNKNOWN):
        if token is not None and (number := tokenizer.token_to_id(token)) is not None:
            return int(number)
    raise ModelError("the tokenizer has no unknown and no mask token")


def _specials(tokenizer: Any) -> tuple[list[int], list[int]]:
    """The special tokens before and after the sub-words of a text."""
    with _library_errors("the tokenizer fails"):
        encoding = tokenizer.encode("a")
    inner = [i for i, special in enumerate(encoding.special_tokens_mask) if not special]
    ids = encoding.ids
    if not inner:
        return ids[:1], ids[1:]
    return ids[: inner[0]], ids[inner[-1] + 1 :]
