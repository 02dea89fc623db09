"""The training data of peers: plain copies of the data, and spaCy documents with nested spans."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.peers.data import by_length, gather, inside_own_type, too_long

from innermost.corpus import Sentence, read, write
from innermost.errors import DataError
from innermost.nest import Span

TOWN = Sentence(
    ["the", "mayor", "of", "Ghent", "spoke"],
    [Span(0, 4, "PER"), Span(3, 4, "GPE"), Span(3, 4, "GPE")],
    doc="news",
)
FAMILY = Sentence(
    ["her", "brother", "'s", "wife", "left"],
    [Span(0, 4, "PER"), Span(0, 2, "PER"), Span(0, 1, "PER")],
)
SHORT = Sentence(["rain"], [])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("train", "dev", "test"):
        write([SHORT, TOWN, FAMILY], folder / f"{name}.jsonl")
    return folder


def test_copies_have_tokens_and_distinct_entities_only(data: Path, tmp_path: Path) -> None:
    material = gather(data, tmp_path / "work")
    copied = list(read(material.folder / "train.jsonl"))
    assert [s.tokens for s in copied] == [SHORT.tokens, TOWN.tokens, FAMILY.tokens]
    assert copied[1].entities == [Span(0, 4, "PER"), Span(3, 4, "GPE")]
    assert copied[1].doc is None
    assert set(material.fingerprints) == {"train", "dev", "test"}


def test_a_missing_file_is_named(data: Path, tmp_path: Path) -> None:
    (data / "dev.jsonl").unlink()
    with pytest.raises(DataError, match=r"dev\.jsonl.*no such file"):
        gather(data, tmp_path / "work")


def test_the_first_sentences_come_longest_first() -> None:
    assert by_length([SHORT, TOWN, FAMILY], 2) == [TOWN.tokens, SHORT.tokens]


def test_what_a_length_limit_loses_is_counted() -> None:
    assert too_long([TOWN, FAMILY], 3) == 2
    assert too_long([TOWN, FAMILY], 4) == 0


def test_what_one_tag_sequence_a_type_loses_is_counted() -> None:
    assert inside_own_type([SHORT, TOWN]) == 0
    assert inside_own_type([FAMILY]) == 2
    crossing = Sentence(list("abcd"), [Span(0, 2, "X"), Span(1, 3, "X"), Span(1, 3, "Y")])
    assert inside_own_type([crossing]) == 1


def test_spacy_documents_keep_tokens_and_nested_spans(data: Path, tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    import spacy_docs
    from spacy.tokens import DocBin

    material = gather(data, tmp_path / "work")
    vocab = spacy.blank("en").vocab
    docs = spacy_docs.training_docs(material.folder / "train.jsonl", vocab)
    kept = list(DocBin().from_bytes(DocBin(docs=docs).to_bytes()).get_docs(vocab))
    assert [[token.text for token in doc] for doc in kept] == [
        SHORT.tokens,
        TOWN.tokens,
        FAMILY.tokens,
    ]
    assert [spacy_docs.found(doc) for doc in kept] == [
        [],
        [(0, 4, "PER"), (3, 4, "GPE")],
        [(0, 1, "PER"), (0, 2, "PER"), (0, 4, "PER")],
    ]
