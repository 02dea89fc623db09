"""Options for types, layers and scores, and inputs that a model cannot read."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest

from helpers.cli import ok
from innermost.document import Document, Entity
from innermost.errors import UsageError
from innermost.model_folder.info import FILE
from innermost.model_folder.manifest import update_file
from innermost.runtime import load
from innermost.runtime.model import Model

TEXTS = [
    "the river of NF-kB gene alpha north sea bank the gene of Zürich alpha river .",
    "north of the bank . Alpha river sea ! the NF-kB gene alpha of the north",
]
TYPES = ["X", "Y", "Z"]


def spans(document: Document) -> list[tuple[object, ...]]:
    return [(e.start, e.end, e.label, e.level, round(e.score, 5)) for e in document.entities]


def only(document: Document, *labels: str) -> list[tuple[object, ...]]:
    return [span for span in spans(document) if span[2] in labels]


def test_types_are_found_as_if_they_were_chosen_afterwards(
    random_folder: Path, random_model: Model
) -> None:
    everything = random_model(TEXTS)
    assert {e.label for document in everything for e in document.entities} == set(TYPES)
    for labels in (["Y"], ["Z", "X"]):
        model = load(random_folder, threads=1, types=labels)
        assert [spans(d) for d in model(TEXTS)] == [only(d, *labels) for d in everything]


def test_parents_are_among_the_entities_that_were_looked_for(random_folder: Path) -> None:
    document = load(random_folder, threads=1, types=["X", "Y"])(TEXTS[0])
    assert {e.label for e in document.entities} == {"X", "Y"}
    for entity in document.entities:
        if entity.parent is not None:
            around = document.entities[entity.parent]
            assert around.start <= entity.start < entity.end <= around.end


def test_a_long_sentence_is_decoded_for_the_chosen_types_too(
    random_folder: Path, random_model: Model
) -> None:
    text = " ".join(["the", "gene", "of", "river", "alpha"] * 900)
    chosen = load(random_folder, threads=1, types=["Y"], max_depth=1)(text)
    everything = load(random_folder, threads=1, max_depth=1)(text)
    assert spans(chosen) == only(everything, "Y")


def test_scores_by_type(random_folder: Path, random_model: Model) -> None:
    model = load(random_folder, threads=1, min_score={"X": 0.5, "Y": 1.0})

    def enough(entity: Entity) -> bool:
        return entity.score >= {"X": 0.5, "Y": 1.0}.get(entity.label, 0.0)

    for text in TEXTS:
        kept = [(e.start, e.end, e.label) for e in random_model(text).entities if enough(e)]
        assert [(e.start, e.end, e.label) for e in model(text).entities] == kept


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"types": ["W"]}, "no type 'W'"),
        ({"types": []}, "types is"),
        ({"min_score": {"W": 0.5}}, "no type 'W'"),
        ({"min_score": {"X": 1.5}}, r"min_score is 1\.5"),
        ({"max_depth": 0}, "max_depth is 0"),
        ({"max_depth": 1.5}, r"max_depth is 1\.5"),
        ({"layer": "mentions"}, "no layer 'mentions'"),
        ({"types": ["X"], "min_score": {"Y": 0.5}}, "no type 'Y'"),
    ],
)
def test_wrong_choices_are_refused(
    random_folder: Path, options: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        load(random_folder, threads=1, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def layered(random_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same network, with the second and third types as a layer."""
    folder = tmp_path_factory.mktemp("layered") / "model"
    shutil.copytree(random_folder, folder)
    info = (folder / FILE).read_text()
    renamed = info.replace('"Y"', '"all/X"').replace('"Z"', '"all/Z"')
    renamed = renamed.replace("layers = []", 'layers = ["all"]')
    update_file(folder, FILE, renamed.encode())
    return folder


def test_a_model_decodes_one_layer_at_a_time(layered: Path, random_model: Model) -> None:
    names = {"X": "Y", "Z": "Z"}
    for text in TEXTS:
        everything = random_model(text)
        assert spans(load(layered, threads=1)(text)) == only(everything, "X")
        inner = load(layered, threads=1, layer="all")(text)
        found = [(s, e, names[label], *rest) for s, e, label, *rest in spans(inner)]
        assert sorted(found) == sorted(only(everything, "Y", "Z"))
    assert load(layered, threads=1, layer="all").types == ["X", "Z"]


def test_a_text_can_be_one_sentence(random_folder: Path, random_model: Model) -> None:
    whole = load(random_folder, threads=1, sentences=False)
    assert len(random_model(TEXTS[1]).sentences) > 1
    document = whole(TEXTS[1])
    assert [len(document.sentences), document.tokens] == [1, random_model(TEXTS[1]).tokens]
    assert whole("").sentences == ()


@pytest.mark.parametrize("item", [None, math.nan, 3, b"bytes", {"text": "a"}, object()])
def test_what_is_no_text_is_refused_alone_and_in_a_list(random_model: Model, item: object) -> None:
    with pytest.raises(UsageError, match="cannot predict on"):
        random_model(item)  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="item 1 of the series: cannot predict on"):
        random_model(["a text", item])


def test_a_model_shows_its_name_types_and_size(layered: Path, random_folder: Path) -> None:
    assert f"{load(random_folder, threads=1)!r}".startswith(
        f"<Model {random_folder.name}: X, Y, Z; "
    )
    shown = repr(load(layered, threads=1, layer="all"))
    assert "layer all, X, Z; 0.0 MB>" in shown


def test_a_layer_is_evaluated_on_its_own_gold_data(layered: Path, tmp_path: Path) -> None:
    text = TEXTS[0]
    both: list[dict[str, object]] = []
    for layer, prefix in ((None, ""), ("all", "all/")):
        entities = load(layered, threads=1, layer=layer)(text).entities
        own = [{"start": e.start, "end": e.end, "label": e.label} for e in entities]
        both += [{**entity, "label": f"{prefix}{entity['label']}"} for entity in own]
        alone = tmp_path / f"{layer}.jsonl"
        alone.write_text(json.dumps({"text": text, "entities": own}) + "\n")
    mixed = tmp_path / "both.jsonl"
    mixed.write_text(json.dumps({"text": text, "entities": both}) + "\n")
    for options, file in (([], "None"), (["--layer", "all"], "all")):
        for data in (mixed, tmp_path / f"{file}.jsonl"):
            micro = ok("evaluate", layered, data, "--json", *options).json["micro"]
            assert micro["f1"] == 1.0
            assert micro["gold"] > 3
            compared = ok("compare", layered, layered, data, "--json", *options).json
            assert [system["micro"] for system in compared["systems"]] == [micro, micro]
