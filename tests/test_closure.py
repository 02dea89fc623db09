"""What one command writes, the next one reads: predictions of every shipped model in every format.

The formats are those of the registry, so that a new one is tested as soon as it is registered.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import pytest

from corpus.cases import READING, is_installed, skip_unless_installed
from helpers.cli import ok
from innermost import runtime
from innermost.corpus import Report, read, registry
from innermost.corpus.conversion import Conversion, convert
from innermost.corpus.format import Options
from innermost.corpus.reading import ReadingOptions, read_corpus
from innermost.corpus.sentence import Sentence
from innermost.document import Document
from innermost.evaluation.results import assess
from innermost.model_folder.info import read_info
from innermost.model_folder.installed import OURS, installed_models
from innermost.prediction.inputs import Record
from innermost.prediction.outputs import (
    HTML,
    JSON,
    PRETTY,
    SVG,
    TABLES,
    Writer,
    choose_format,
    format_names,
)
from innermost.runtime.model import Model

# Written for these tests: two sentences in a text, odd spacing, words that tokenizers cut
# differently, names inside names for every shipped model, and a text in which nothing is found.
TEXTS = [
    "The wife of the mayor of Ghent can't leave the old inn.  Her uncle's friend went to Wales.",
    "The IL-2 gene promoter binds NF-kappa B/Rel in human T cells (e.g. Jurkat).",
    "Anna Smith of the University of California, Berkeley joined the Bank of England in May 2019.",
    "It rained.",
]
PLACES = {"id": "id", "doc": "doc", "topic": "extra"}
"""What of ``Format.holds`` each key of a record needs."""
OUTPUTS = [name for name in format_names() if name not in (PRETTY, HTML, SVG)]
SHIPPED = {model.name: model.folder for model in installed_models() if model.package == OURS}
MODELS = [
    f"{name} {layer}".strip()
    for name, folder in SHIPPED.items()
    for layer in ("", *read_info(folder).layers)
]
"""Every layer of a model is tested separately: ``english mentions``."""

load = lru_cache(runtime.load)

each_model = pytest.mark.parametrize("model", MODELS)


@pytest.fixture(autouse=True)
def _models_are_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "load", load)


def loaded(model: str) -> Model:
    name, _, layer = model.partition(" ")
    return load(SHIPPED[name], threads=1, layer=layer or None)


@lru_cache
def predictions(model: str) -> list[Document]:
    documents = loaded(model)(TEXTS)
    entities = [entity for document in documents for entity in document.entities]
    assert len({entity.label for entity in entities}) > 1
    assert {entity.parent is None for entity in entities} == {True, False}
    return documents


def corpus_format(output: str) -> str:
    """The corpus format by which an output of ``innermost predict`` is read."""
    tables = dict.fromkeys(TABLES, "table")
    return {**tables, "jsonl": "native", "json": "native", "iob": "columns"}.get(output, output)


def file_name(output: str) -> str:
    format = registry.get(corpus_format(output))
    if format.is_folder:
        return "folder"
    return f"a.{output}" if output in (*TABLES, JSON) else f"a{format.suffixes[0]}"


def skip_without_extra(output: str) -> None:
    if output == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra frames")
    skip_unless_installed(corpus_format(output))


def predict(model: str, output: str, path: Path, holds: Iterable[str] | None = None) -> None:
    """Write predictions with the names and keys that the format, or ``holds``, has a place for."""
    held = registry.get(corpus_format(output)).holds if holds is None else holds
    records = [
        Record(text, {"id": f"t{number}", "doc": f"text-{number}", "topic": ["x", str(number)]})
        for number, text in enumerate(TEXTS)
    ]
    kept = [
        Record(record.item, {k: v for k, v in record.keys.items() if PLACES[k] in held})
        for record in records
    ]
    report = Report()
    format = choose_format(output, str(path))
    writer = Writer(format, str(path), model, loaded(model).tokenizer.name, report)
    writer.write([list(zip(kept, predictions(model), strict=True))])
    assert report.total("lost") == 0, report.examples


@each_model
@pytest.mark.parametrize("output", OUTPUTS)
def test_a_model_scores_100_on_its_own_predictions(model: str, output: str, tmp_path: Path) -> None:
    skip_without_extra(output)
    nlp = loaded(model)
    path, other = tmp_path / file_name(output), tmp_path / "other.jsonl"
    predict(model, output, path)
    entities = sum(len(document.entities) for document in predictions(model))
    format = corpus_format(output)
    reading = ReadingOptions(format, nlp.tokenizer.name, settings=READING.get(format, {}))
    losses = Report()
    gold = read_corpus(path, reading, losses)
    results = assess([nlp.folder], gold, data=path.name, layer=nlp.layer, detailed=False)
    scores = results.to_dict()["micro"]
    assert losses.total("lost") == 0, losses.examples
    assert (scores["f1"], scores["gold"], scores["correct"]) == (1.0, entities, entities)
    if not reading.settings:  # As a system, the file agrees with any other of the same predictions.
        predict(model, "jsonl", other)
        scores = assess([path], read(other), data=other.name, detailed=False).to_dict()["micro"]
        assert (scores["f1"], scores["gold"]) == (1.0, entities)


def content(sentences: list[Sentence]) -> tuple[str, list[tuple[int, int, str]]]:
    """All words without spaces, and the entities by their places in them."""
    words = ""
    entities: list[tuple[int, int, str]] = []
    for sentence in sentences:
        edges = [len(words)]
        for token in sentence.tokens:
            words += "".join(token.split())
            edges.append(len(words))
        entities += [(edges[s], edges[e], label) for s, e, label in sentence.entities]
    return words, sorted(entities)


def check_there_and_back(
    source: Path, format: str, other: str, folder: Path, tokenizer: str, held: set[str]
) -> None:
    """Convert ``source`` to another format, and that to ours: nothing may be lost."""
    target, back = folder / file_name(other), folder / "back.jsonl"
    steps = [(source, format, target, other), (target, other, back, "native")]
    reports = [_convert(*step, tokenizer).report for step in steps]
    before, after = _read(source, format, tokenizer), _read(back, "native", tokenizer)
    assert content(after) == content(before)
    if "gaps" in held:
        texts = ["".join(s.text for s in sentences) for sentences in (before, after)]
        assert texts[1].split() == texts[0].split()
    for name in {"id", "doc", "extra", "scores"} & held:
        values = [[getattr(s, name) for s in found if s.tokens] for found in (before, after)]
        is_reported = name == "extra" and reports[0].counts["changed", "value as text"]
        assert values[0] == values[1] or is_reported, (other, name)


def _convert(source: Path, format: str, target: Path, to: str, tokenizer: str) -> Conversion:
    conversion = convert(
        source,
        target,
        source_format=format,
        target_format=to,
        reading=Options(tokenizer=tokenizer, settings=READING.get(format, {})),
        writing=Options(tokenizer=tokenizer),
    )
    assert conversion.is_kept, conversion.report.examples
    return conversion


def _read(path: Path, format: str, tokenizer: str) -> list[Sentence]:
    reading = ReadingOptions(format, tokenizer, settings=READING.get(format, {}))
    return list(read_corpus(path, reading))


@each_model
@pytest.mark.parametrize("format", registry.names())
def test_predictions_survive_every_format_that_can_hold_them(
    model: str, format: str, tmp_path: Path
) -> None:
    skip_without_extra(format)
    held = set(registry.get(format).holds)
    source = tmp_path / "predictions.jsonl"
    predict(model, "jsonl", source, held)
    check_there_and_back(source, "native", format, tmp_path, loaded(model).tokenizer.name, held)


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_output_becomes_every_format(output: str, tmp_path: Path) -> None:
    skip_without_extra(output)
    model, format = MODELS[0], corpus_format(output)
    tokenizer = loaded(model).tokenizer.name
    for other in filter(is_installed, registry.names()):
        folder = tmp_path / other
        folder.mkdir()
        held = {*registry.get(format).holds} & {*registry.get(other).holds}
        source = folder / f"predicted-{file_name(output)}"
        predict(model, output, source, held)
        check_there_and_back(source, format, other, folder, tokenizer, held)


def test_the_same_from_the_command_line(tmp_path: Path) -> None:
    source = tmp_path / "news.txt"
    source.write_text("\n".join(TEXTS) + "\n")
    jsonl, brat = tmp_path / "news.jsonl", tmp_path / "brat"
    ok("predict", "-m", "litbank", "-i", source, "-o", jsonl)
    ok("predict", "-m", "litbank", "-i", source, "-o", f"{brat}/")
    for data in (jsonl, brat):
        assert "all      100.00   100.00   100.00" in ok("evaluate", "litbank", data).out
    assert "100.00" in ok("compare", jsonl, brat).out
    assert ok("compare", jsonl, brat, jsonl, "--json").json["difference"]["f1"] == 0
    ok("convert", jsonl, tmp_path / "tasks.labelstudio.json")
    tasks = json.loads((tmp_path / "tasks.labelstudio.json").read_text())
    assert len(tasks) == len(TEXTS)
    assert all("score" in r for task in tasks for p in task["predictions"] for r in p["result"])
    assert "0 errors" in ok("check", jsonl).out


def test_the_output_of_a_run_over_many_files_is_a_corpus(tmp_path: Path) -> None:
    source, out = tmp_path / "texts.jsonl", tmp_path / "out"
    source.write_text("".join(json.dumps({"id": n, "text": t}) + "\n" for n, t in enumerate(TEXTS)))
    ok("predict", "-m", "litbank", "-i", source, "-o", out, "--jobs", 1)
    scores = ok("evaluate", "litbank", out / source.name, "--json").json["micro"]
    assert (scores["f1"], scores["gold"]) == (
        1.0,
        sum(len(d.entities) for d in predictions("litbank")),
    )
    ok("convert", out / source.name, tmp_path / "tasks.labelstudio.json")
