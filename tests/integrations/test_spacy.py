"""The component finds what the model finds, wherever spaCy runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import innermost
from helpers.bulk import random_text
from innermost._toml import loads
from innermost.corpus import Sentence
from innermost.errors import ModelError, UsageError
from innermost.runtime.model import Model

spacy = pytest.importorskip("spacy", reason="needs the extra spacy")
from innermost.integrations import spacy as component  # noqa: E402

KEY = component.KEY
TEXTS = [random_text(number) for number in range(40)]


def _pipeline(folder: Path | str, **config: object) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("innermost", config={"model": str(folder), "threads": 1, **config})
    return nlp


def _rows(doc: Any, key: str = "innermost") -> list[tuple[Any, ...]]:
    group = doc.spans[key]
    attributes = (group.attrs[name] for name in ("levels", "scores", "parents"))
    return [
        (span.start, span.end, span.label_, level, score, parent)
        for span, level, score, parent in zip(group, *attributes, strict=True)
    ]


def _expected(model: Model, sentences: Sequence[Sequence[str]]) -> list[tuple[Any, ...]]:
    if not sentences:
        return []
    (document,) = model.pipe([[Sentence(list(tokens)) for tokens in sentences]])
    return [
        (e.token_start, e.token_end, e.label, e.level, e.score, e.parent) for e in document.entities
    ]


def test_the_entities_are_those_of_the_model_for_the_same_tokens(
    random_folder: Path, random_model: Model
) -> None:
    nlp = _pipeline(random_folder)
    nlp.add_pipe("sentencizer", first=True)
    docs = list(nlp.pipe(TEXTS, batch_size=7))
    assert sum(len(doc.spans["innermost"]) for doc in docs) > 100
    for text, doc in zip(TEXTS, docs, strict=True):
        sentences = [[token.text for token in sentence] for sentence in doc.sents]
        assert _rows(doc) == _expected(random_model, sentences)
        assert _rows(nlp(text)) == _rows(doc)


def test_without_sentence_bounds_texts_are_split_as_the_model_does(
    random_folder: Path, random_model: Model
) -> None:
    text = "The river of the north sea. The bank of NF-kB gene."
    doc = _pipeline(random_folder)(text)
    tokens = [token.text for token in doc]
    middle = tokens.index(".") + 1
    assert _rows(doc) == _expected(random_model, [tokens[:middle], tokens[middle:]])
    assert _rows(doc) != _expected(random_model, [tokens])


def test_white_space_is_no_token_of_a_sentence(random_folder: Path, random_model: Model) -> None:
    words = ["the", "river", "bank", "of", "the", "north", "sea"]
    doc = _pipeline(random_folder)("  the river bank\n\tof   the north sea \n")
    texts = {(span.text.split()[0], span.text.split()[-1], span.label_) for span in doc.spans[KEY]}
    expected = _expected(random_model, [words])
    assert texts == {(words[start], words[end - 1], label) for start, end, label, *_ in expected}
    assert len(expected) == len(doc.spans[KEY])
    assert not [span for span in doc.spans[KEY] if span[0].is_space or span[-1].is_space]


@pytest.mark.parametrize("text", ["", " ", "\n \n"])
def test_a_text_without_words_has_an_empty_group(random_folder: Path, text: str) -> None:
    assert _rows(_pipeline(random_folder)(text)) == []


def test_options_are_those_of_load(random_folder: Path) -> None:
    nlp = _pipeline(random_folder, max_depth=1, types=["X"], min_score=0.2, spans_key="names")
    rows = [row for doc in nlp.pipe(TEXTS) for row in _rows(doc, "names")]
    assert rows
    assert {(label, level) for _, _, label, level, *_ in rows} == {("X", 1)}
    assert min(score for *_, score, _ in rows) >= 0.2
    assert nlp.pipe_labels == {"innermost": ["X"]}


def test_the_outermost_can_be_the_entities_of_the_document(random_folder: Path) -> None:
    for doc in _pipeline(random_folder, set_ents=True).pipe(TEXTS):
        rows = _rows(doc)
        entities = [(e.start, e.end) for e in doc.ents]
        outermost = [(start, end, parent) for start, end, *_, parent in rows if parent is None]
        assert bool(entities) == bool(rows)
        for start, end, _ in outermost:
            assert any(a < end and start < b for a, b in entities)
        for entity in doc.ents:
            same = [row for row in rows if row[:2] == (entity.start, entity.end)]
            assert entity.label_ == max(same, key=lambda row: row[4])[2]


def test_two_processes_find_the_same(random_folder: Path) -> None:
    nlp = _pipeline(random_folder)
    alone = [_rows(doc) for doc in nlp.pipe(TEXTS)]  # also opens the model before the fork
    assert [_rows(doc) for doc in nlp.pipe(TEXTS, n_process=2, batch_size=8)] == alone


def test_a_pipeline_on_disk_brings_its_model_along(random_folder: Path, tmp_path: Path) -> None:
    nlp = _pipeline(random_folder, min_score=0.1)
    expected = [_rows(nlp(text)) for text in TEXTS[:5]]
    nlp.to_disk(tmp_path / "pipeline")
    assert not list((tmp_path / "pipeline").rglob("*.safetensors"))
    config = tmp_path / "pipeline" / "config.cfg"
    config.write_text(config.read_text().replace(str(random_folder), "nowhere"))
    (tmp_path / "pipeline").rename(tmp_path / "moved")
    moved = spacy.load(tmp_path / "moved")
    moved.to_disk(tmp_path / "moved")  # onto itself
    moved.to_disk(tmp_path / "again")
    for place in ("moved", "again"):
        loaded = spacy.load(tmp_path / place)
        assert [_rows(loaded(text)) for text in TEXTS[:5]] == expected


def test_bytes_restore_which_model_it_is(random_folder: Path, tmp_path: Path) -> None:
    nlp = _pipeline(random_folder)
    expected = _rows(nlp(TEXTS[0]))
    nlp.to_disk(tmp_path / "pipeline")
    other = _pipeline("litbank")
    assert _rows(other(TEXTS[0])) != expected
    for source in (nlp, spacy.load(tmp_path / "pipeline")):
        assert _rows(other.from_bytes(source.to_bytes())(TEXTS[0])) == expected
    default = spacy.blank("en")
    default.add_pipe("innermost")
    other.from_bytes(default.to_bytes())
    assert other.get_pipe("innermost").labels == tuple(innermost.load().types)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"model": "nosuch"}, ModelError, "no model and no folder 'nosuch'"),
        ({"min_score": 2}, UsageError, "min_score is 2"),
        ({"min_score": {"X": -1}}, UsageError, "min_score is -1"),
        ({"min_score": {"nothing": 0.5}}, UsageError, "no type 'nothing'"),
        ({"types": ["nothing"]}, UsageError, "no type 'nothing'"),
        ({"types": []}, UsageError, "one type or more"),
        ({"layer": "nothing"}, UsageError, "no layer 'nothing'"),
        ({"threads": 0}, UsageError, "threads is 0"),
        ({"device": "tpu"}, UsageError, "tpu"),
        ({"max_depth": 0}, UsageError, "max_depth is 0"),
        ({"spans_key": ""}, UsageError, "spans_key is empty"),
        ({"types": "X"}, ValueError, "types"),
        ({"modle": "english"}, ValueError, "modle"),
    ],
)
def test_wrong_settings_are_errors_at_once(
    random_folder: Path, settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        _pipeline(**{"folder": random_folder, **settings})


def test_numbers_are_checked_when_a_pipeline_is_read_from_disk(
    random_folder: Path, tmp_path: Path
) -> None:
    _pipeline(random_folder, min_score=0.125).to_disk(tmp_path)
    config = tmp_path / "config.cfg"
    config.write_text(config.read_text().replace("min_score = 0.125", "min_score = 2"))
    with pytest.raises(UsageError, match="min_score is 2"):
        spacy.load(tmp_path)


def test_documents_keep_scores_and_parents_in_bytes(random_folder: Path) -> None:
    doc = _pipeline(random_folder)(TEXTS[0])
    copy = spacy.tokens.Doc(doc.vocab).from_bytes(doc.to_bytes())
    assert _rows(doc)
    assert _rows(copy) == _rows(doc)


def test_evaluation_counts_nested_spans(random_folder: Path) -> None:
    nlp = _pipeline(random_folder)
    examples = [spacy.training.Example(nlp.make_doc(t), nlp(t)) for t in TEXTS]
    scores = nlp.evaluate(examples)
    assert scores["spans_innermost_f"] == 1.0
    kept = 0
    for example in examples:
        group = example.reference.spans[KEY]
        rest = list(group)[1:]
        kept += len(rest)
        example.reference.spans[KEY] = rest
    scores = nlp.evaluate(examples)
    total = sum(len(nlp(text).spans[KEY]) for text in TEXTS)
    assert scores["spans_innermost_r"] == 1.0
    assert scores["spans_innermost_p"] == pytest.approx(kept / total)


def test_displacy_draws_every_span(random_folder: Path) -> None:
    doc = _pipeline(random_folder)("the river bank of the north sea")
    page = spacy.displacy.render(doc, style="span", options={"spans_key": KEY}, jupyter=False)
    assert len(doc.spans[KEY]) > 1
    for span in doc.spans[KEY]:
        assert f"{span.label_}\n" in page


def test_a_batch_that_fails_goes_to_the_error_handler(
    random_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nlp = _pipeline(random_folder)
    failures: list[int] = []
    nlp.set_error_handler(lambda name, pipe, docs, error: failures.append(len(docs)))
    pipe = nlp.get_pipe("innermost")
    write = pipe._write

    def fail(doc: Any, *rest: Any) -> None:
        if doc.text == TEXTS[3]:
            raise ValueError("no")
        write(doc, *rest)

    monkeypatch.setattr(pipe, "_write", fail)
    docs = list(nlp.pipe(TEXTS[:6], batch_size=2))
    assert (failures, len(docs)) == ([2], 4)


def test_documents_that_were_yielded_are_not_kept(random_folder: Path) -> None:
    nlp = _pipeline(random_folder)
    living: list[weakref.ref[Any]] = []
    most = 0
    for doc in nlp.pipe((random_text(number) for number in range(200)), batch_size=5):
        living = [reference for reference in living if reference() is not None]
        most = max(most, len(living))
        living.append(weakref.ref(doc))
    assert most <= 3 * 5


def test_nothing_has_to_be_imported(tmp_path: Path) -> None:
    """As after an installation with the entry points of this version."""
    root = Path(__file__).parent.parent.parent
    points = loads((root / "pyproject.toml").read_text())["project"]["entry-points"]
    metadata = tmp_path / "innermost_points-0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: innermost-points\n")
    lines = [f"{name} = {value}" for name, value in points["spacy_factories"].items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[spacy_factories]", *lines]))
    source = Path(innermost.__file__).parent.parent
    script = """
import spacy, sys
assert "innermost" not in sys.modules
nlp = spacy.blank("en")
nlp.add_pipe("innermost", config={"model": "litbank"})
doc = nlp("The mayor of Ghent spoke.")
print(doc.spans["innermost"][0].text)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(source), str(tmp_path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "The mayor of Ghent", done.stderr
