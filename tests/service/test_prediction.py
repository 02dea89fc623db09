"""The answers of a worker, compared with calling the model directly."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

import innermost
from helpers.bulk import run, write_json_lines
from innermost.document import Document
from innermost.model_folder.installed import installed
from innermost.service import prediction
from innermost.service.jobs import Answer, Job
from innermost.service.prediction import Predictor
from innermost.service.schemas import ExtractedDocument
from innermost.service.settings import ModelSource

TEXTS = [
    "The human interleukin-2 receptor alpha chain gene promoter is bound by NF-kappa B.",
    "",
    "Jurkat cells transfected with a GATA-3 expression vector. They produced IL-5 mRNA.",
    "😀 NF-kappa B é IL-2 gene.",
]


@pytest.fixture(scope="module")
def predictor() -> Predictor:
    folders = installed()
    models = [ModelSource(name, str(folders[name])) for name in ("genia", "litbank")]
    return Predictor(models, threads=1)


def job(
    text: str | None = None, tokens: list[str] | None = None, model: str = "genia", **options: Any
) -> Job:
    defaults = {"types": None, "min_score": 0.0, "max_depth": None, "offsets": "codepoint"}
    return Job(model=model, text=text, tokens=tokens, **(defaults | options))


def read(answer: Answer) -> ExtractedDocument:
    assert answer.problem is None
    return msgspec.json.decode(answer.document, type=ExtractedDocument)


def as_dicts(document: ExtractedDocument) -> list[dict[str, Any]]:
    keys = ("start", "end", "label", "text", "level", "score", "parent")
    return [{key: getattr(entity, key) for key in keys} for entity in document.entities]


def test_equal_to_direct_calls(predictor: Predictor) -> None:
    jobs = [job(text, model=model) for text in TEXTS for model in ("genia", "litbank")]
    answers = predictor(jobs)
    direct = {name: innermost.load(name, threads=1) for name in ("genia", "litbank")}
    for asked, answer in zip(jobs, answers.answers, strict=True):
        expected: Document = direct[asked.model](asked.text or "")
        document = read(answer)
        assert as_dicts(document) == expected.to_dict()["entities"]
        assert document.characters == len(asked.text or "")
        assert document.tokens == answer.tokens == len(expected.tokens)
        assert document.sentences == document.windows == len(expected.sentences)
        assert document.dropped == []
        assert document.truncated is False
    assert answers.tokens == sum(answer.tokens for answer in answers.answers)
    assert set(answers.stages) == {"tokenize", "encode", "decode"}
    assert all(seconds > 0 for seconds in answers.stages.values())


def test_tokens(predictor: Predictor) -> None:
    tokens = ["The", "IL-2", "gene", "promoter", "is", "active"]
    (answer,) = predictor([job(tokens=tokens)]).answers
    (expected,) = innermost.load("genia").predict_tokens([tokens])
    assert as_dicts(read(answer)) == expected.to_dict()["entities"]
    for entity in read(answer).entities:
        assert " ".join(tokens[entity.token_start : entity.token_end]) == entity.text


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_depth_is_what_the_model_would_look_for(predictor: Predictor, depth: int) -> None:
    (answer,) = predictor([job(TEXTS[0], max_depth=depth)]).answers
    expected = innermost.load("genia", max_depth=depth)(TEXTS[0])
    assert as_dicts(read(answer)) == expected.to_dict()["entities"]


def test_score_and_types(predictor: Predictor) -> None:
    answers = predictor(
        [
            job(TEXTS[0], min_score=0.5),
            job(TEXTS[0], types=["protein"]),
            job(TEXTS[0], min_score={"DNA": 1.0}),
        ]
    ).answers
    scored, typed, per_type = (read(answer) for answer in answers)
    expected = innermost.load("genia", min_score=0.5)(TEXTS[0])
    assert as_dicts(scored) == expected.to_dict()["entities"]
    assert {entity.label for entity in typed.entities} == {"protein"}
    assert "DNA" not in {entity.label for entity in per_type.entities}
    assert len(per_type.entities) > 1


@pytest.mark.parametrize(("unit", "encoding"), [("utf16", "utf-16-le"), ("byte", "utf-8")])
def test_units(predictor: Predictor, unit: str, encoding: str) -> None:
    (answer,) = predictor([job(TEXTS[3], offsets=unit)]).answers
    encoded, width = TEXTS[3].encode(encoding), 2 if unit == "utf16" else 1
    entities = read(answer).entities
    assert entities
    for entity in entities:
        cut = encoded[width * entity.start : width * entity.end]
        assert cut.decode(encoding) == entity.text


def test_one_bad_job_leaves_the_others_alone(
    predictor: Predictor, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = predictor._pipelines["genia"].documents

    def failing(items: Iterable[Any]) -> Iterator[Document]:
        for item in items:
            if item == "bad":
                raise MemoryError
            yield from documents([item])

    monkeypatch.setitem(predictor._pipelines, "genia", SimpleNamespace(documents=failing))
    answers = predictor([job(TEXTS[0]), job("bad"), job(TEXTS[2])]).answers
    assert [answer.problem for answer in answers] == [None, "MemoryError", None]
    assert read(answers[0]).entities


def test_levels_beyond_the_deepest_are_reported(
    predictor: Predictor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prediction, "MAX_LEVELS", 1)
    unlimited, limited = predictor([job(TEXTS[0]), job(TEXTS[0], max_depth=1)]).answers
    assert [entry.what for entry in read(unlimited).dropped] == ["levels"]
    assert read(limited).dropped == []


def test_the_version_is_the_checksum_of_what_affects_predictions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, random_folder: Path
) -> None:
    """That of a bulk run, whatever the card says; no file is read into memory whole."""
    folder = Path(shutil.copytree(random_folder, tmp_path / "model"))
    (folder / "SHA256SUMS").unlink()

    def version() -> str:
        predictor = Predictor([ModelSource("m", str(folder))], threads=1)
        with monkeypatch.context() as patched:
            patched.setattr(Path, "read_bytes", None)
            (served,) = predictor.served()
        return served.version

    first = version()
    run([write_json_lines(tmp_path / "a.jsonl", 1)], tmp_path / "out", folder)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
    assert first == manifest["model"]["sha256"][:12]
    (folder / "README.md").write_text("# Another card\n", encoding="utf-8")
    assert version() == first
    with (folder / "model.toml").open("ab") as file:
        file.write(b"# changed\n")
    assert version() != first
