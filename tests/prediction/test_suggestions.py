"""Choosing what to annotate next."""

import json

import numpy as np
import pytest

from helpers.cli import innermost
from helpers.toy_corpus import toy_sentences
from innermost import corpus
from innermost.corpus import Sentence
from innermost.prediction.suggestions import Wanted, diverse, suggest, word_vectors

SURE = "nobody in Oslo spoke on Monday ."
UNSURE = "the Monday of physics in the rector was Lyon department Turin won"


def texts(suggestions):
    return [" ".join(suggestion.sentence.tokens) for suggestion in suggestions]


def pool(*lines):
    return [Sentence(line.split()) for line in lines]


def test_what_the_model_knows_comes_last(toy):
    suggestions = suggest(toy, pool(SURE, UNSURE), Wanted(2))
    assert texts(suggestions) == [UNSURE, SURE]
    assert suggestions[0].uncertainty > 10 * suggestions[1].uncertainty


def test_predictions_come_with_their_scores(toy):
    (suggestion,) = suggest(toy, pool(SURE), Wanted(1))
    (span,) = suggestion.sentence.entities
    assert (span.start, span.end, span.label) == (2, 3, "PLACE")
    assert suggestion.sentence.scores[span] == pytest.approx(toy(SURE).entities[0].score, abs=1e-4)


def test_repetitions_known_sentences_and_remains_are_left_out(toy):
    lines = (SURE, SURE, UNSURE, "Oslo .", "it rained and nobody won a prize .")
    suggestions = suggest(toy, pool(*lines), Wanted(9), known=pool(UNSURE))
    assert sorted(texts(suggestions)) == sorted({SURE, "it rained and nobody won a prize ."})


def test_near_duplicates_do_not_fill_the_list(toy):
    copies = [f"{UNSURE} {word}" for word in ("a", "b", "c")]
    other = "sister Ghent old Academy on news and mayor spoke was"
    lines = pool(*copies, other, *(" ".join(s.tokens) for s in toy_sentences()))
    suggestions = suggest(toy, lines, Wanted(50))
    rank = {text: number for number, text in enumerate(texts(suggestions))}
    value = {text: s.uncertainty for text, s in zip(rank, suggestions, strict=True)}
    _, second, _ = sorted(copies, key=rank.__getitem__)
    assert any(value[text] < value[second] and rank[text] < rank[second] for text in rank)


def test_per_token_prefers_short_sentences(toy):
    long = f"{UNSURE} {SURE} {SURE} {SURE}"
    assert texts(suggest(toy, pool(long, UNSURE), Wanted(1)))[0] == long
    assert texts(suggest(toy, pool(long, UNSURE), Wanted(1, per_token=True)))[0] == UNSURE


def test_choices_equal_a_plain_loop():
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(30, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    worth = rng.random(30)
    chosen: list[int] = []
    for _ in range(12):
        values = {
            i: worth[i] * (1 - max((max(vectors[i] @ vectors[j], 0) for j in chosen), default=0))
            for i in range(30)
            if i not in chosen
        }
        chosen.append(max(values, key=values.__getitem__))
    assert diverse(worth, vectors, 12) == chosen
    assert sorted(diverse(worth, vectors, 99)) == list(range(30))


def test_similar_sentences_have_similar_vectors():
    a, b, c = word_vectors([s.split() for s in ("a b c d e", "A b c d x", "p q r s t")])
    assert a @ a == pytest.approx(1, abs=1e-5)
    assert a @ b > 0.5 > abs(a @ c)


@pytest.mark.parametrize("format", ["jsonl", "prodigy", "labelstudio"])
def test_files_for_annotation_tools(format, toy_model, tmp_path):
    source, out = tmp_path / "pool.txt", tmp_path / "tasks.json"
    source.write_text(f"{SURE}\n{UNSURE}\n\n{SURE}\n")
    options = ("--input", source, "--n", 5, "--format", format, "--output", out)
    done = innermost("suggest", toy_model, *options)
    assert done.code == 0, done.err
    assert "(5 requested)" in done.err
    names = {"jsonl": "native"}
    sentences = list(corpus.read(out, format=names.get(format, format)))
    predicted = f"{sum(len(s.entities) for s in sentences)} predicted entities"
    *_, last = done.err.splitlines()
    assert last == f"{out} ({format}): 2 sentences, annotated with {predicted}"
    assert [" ".join(s.tokens) for s in sentences] == [UNSURE, SURE]
    assert all(s.scores.keys() == set(s.entities) for s in sentences)
    assert sentences[0].extra["uncertainty"] > sentences[1].extra["uncertainty"]
    assert [s.id for s in sentences] == ["pool.txt:2", "pool.txt:1"]
    if format == "labelstudio":
        assert "predictions" in json.loads(out.read_text())[0]


@pytest.fixture
def documents(tmp_path):
    """Three sentences of two documents, one of them with an id."""
    path = tmp_path / "pool.jsonl"
    rows = [{"doc": "a", "tokens": SURE.split()}, {"doc": "a", "tokens": UNSURE.split()}]
    rows += [{"doc": "b", "id": "b7", "tokens": [*UNSURE.split(), "?"], "topic": "x"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("format", ["jsonl", "prodigy", "labelstudio"])
def test_documents_keep_their_names_and_sentences_get_ids(format, documents, toy_model, tmp_path):
    out = tmp_path / "tasks.json"
    done = innermost("suggest", toy_model, "-i", documents, "-f", format, "-o", out)
    assert done.code == 0, done.err
    assert "lost" not in done.err
    sentences = list(corpus.read(out, format={"jsonl": "native"}.get(format, format)))
    found = {s.id: (s.doc, " ".join(s.tokens[:2]), s.extra.get("topic")) for s in sentences}
    assert found == {
        "a:1": ("a", "nobody in", None),
        "a:2": ("a", "the Monday", None),
        "b7": ("b", "the Monday", "x"),
    }


UNNAMED = {
    "pool.jsonl": "".join(json.dumps({"tokens": t.split()}) + "\n" for t in (SURE, UNSURE)),
    "pool.json": json.dumps([{"text": SURE}, {"text": UNSURE}]),
    "pool.csv": f"text\n{SURE}\n{UNSURE}\n",
    "pool.conll": "\n\n".join(t.replace(" ", " O\n") + " O" for t in (SURE, UNSURE)) + "\n",
}


@pytest.mark.parametrize("name", UNNAMED)
@pytest.mark.parametrize("format", ["jsonl", "prodigy", "labelstudio"])
def test_sentences_without_a_name_get_the_number_of_their_record(name, format, toy_model, tmp_path):
    source, out = tmp_path / name, tmp_path / "tasks.json"
    source.write_text(UNNAMED[name])
    done = innermost("suggest", toy_model, "-i", source, "-f", format, "-o", out)
    assert done.code == 0, done.err
    sentences = list(corpus.read(out, format={"jsonl": "native"}.get(format, format)))
    found = {s.id: " ".join(s.tokens) for s in sentences}
    assert found == {f"{name}:1": SURE, f"{name}:2": UNSURE}
    assert all(s.doc is None or s.unnamed for s in sentences)


def test_sentences_without_a_name_become_brat_files(toy_model, tmp_path):
    source, out = tmp_path / "pool.jsonl", tmp_path / "brat"
    source.write_text(UNNAMED["pool.jsonl"])
    done = innermost("suggest", toy_model, "-i", source, "-f", "brat", "-o", out)
    assert done.code == 0, done.err
    names = sorted(path.name for path in out.glob("*.txt"))
    assert names == ["pool.jsonl-1.txt", "pool.jsonl-2.txt"]
    assert (out / "pool.jsonl-1.txt").read_text().strip() == SURE


def test_brat_files_are_named_after_documents(documents, toy_model, tmp_path):
    out = tmp_path / "brat"
    done = innermost("suggest", toy_model, "-i", documents, "-f", "brat", "-o", out)
    assert done.code == 0, done.err
    assert sorted(path.name for path in out.glob("*.txt")) == ["a-1.txt", "a-2.txt", "b.txt"]
    assert (out / "a-1.txt").read_text().strip() == SURE
    assert "lost: sentence id (1)" in done.err  # b7
    assert "uncertainty" not in done.err


def test_lines_of_text_become_brat_files(toy_model, tmp_path):
    source, out = tmp_path / "pool.txt", tmp_path / "brat"
    source.write_text(f"{SURE}\n{UNSURE}\n")
    done = innermost("suggest", toy_model, "-i", source, "-f", "brat", "-o", out)
    assert done.code == 0, done.err
    assert sorted(path.name for path in out.glob("*.txt")) == ["pool-1.txt", "pool-2.txt"]
    assert (out / "pool-1.txt").read_text().strip() == SURE
    refused = innermost("suggest", toy_model, "-i", source, "-f", "brat")
    assert refused.code == 2
    assert "--output" in refused.err


def test_annotated_sentences_of_a_file_are_left_out(toy_model, tmp_path):
    source, known = tmp_path / "pool.txt", tmp_path / "known.jsonl"
    source.write_text(f"{SURE}\n{UNSURE}\n")
    corpus.write(pool(UNSURE), known)
    done = innermost("suggest", toy_model, "-i", source, "--annotated", known)
    assert done.code == 0, done.err
    (line,) = done.out.splitlines()
    assert json.loads(line)["tokens"] == SURE.split()


@pytest.mark.parametrize("option", [("--text-column", "body"), ("--set", "text=body")])
@pytest.mark.parametrize("name", ["pool.csv", "pool.jsonl"])
def test_texts_in_another_column(option, name, toy_model, tmp_path):
    source = tmp_path / name
    rows = [{"id": "7", "body": UNSURE}]
    if name.endswith(".csv"):
        source.write_text(f"id,body\n7,{UNSURE}\n")
    else:
        source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = innermost("suggest", toy_model, "-i", source, *option)
    assert done.code == 0, done.err
    (line,) = done.out.splitlines()
    assert json.loads(line)["tokens"] == UNSURE.split()


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("s.labelstudio.json", "labelstudio"),
        ("s.prodigy.jsonl", "prodigy"),
        ("s.jsonl", "jsonl"),
        ("s/", "brat"),
    ],
)
def test_the_name_of_the_output_selects_the_format(name, format, toy_model, tmp_path):
    source = tmp_path / "pool.txt"
    source.write_text(f"{SURE}\n")
    done = innermost("suggest", toy_model, "-i", source, "-o", f"{tmp_path}/{name}")
    assert done.code == 0, done.err
    assert f"{tmp_path}/{name} ({format}): 1 sentence" in done.err
    (sentence,) = corpus.read(tmp_path / name)
    assert sentence.tokens == SURE.split()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-f", "jsonl", "-o", "s.labelstudio.json"], "--format jsonl contradicts the name"),
        (["-f", "labelstudio", "-o", "s.jsonl"], "--format labelstudio contradicts the name"),
        (["-f", "brat", "-o", "s.jsonl"], "--format brat contradicts the name"),
        (["-f", "prodigy", "-o", "s.csv"], "--format prodigy contradicts the name"),
        (["-o", "s.csv"], "does not determine the output format"),
        (["-o", "s.json"], "does not determine the output format"),
    ],
)
def test_other_formats_are_refused(options, message, toy_model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pool.txt").write_text(f"{SURE}\n")
    done = innermost("suggest", toy_model, "-i", "pool.txt", *options)
    assert done.code == 2
    assert message in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["pool.txt"]


def test_the_pool_is_not_overwritten(documents, toy_model):
    before = documents.read_bytes()
    refused = innermost("suggest", toy_model, "-i", documents, "-o", documents)
    assert refused.code == 2
    assert "is also the input" in refused.err
    assert documents.read_bytes() == before
