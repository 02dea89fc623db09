"""The benchmark of corpora with different types."""

import pytest

pytest.importorskip("torch")

from benchmarks.partial_annotation import f1_of_corpora, micro_f1, write_sample
from benchmarks.small_data.samples import Sample

from helpers.toy_corpus import toy_sentences
from innermost import Sentence, corpus

# The toy corpus repeats its sentences in all splits, which is a warning.
pytestmark = pytest.mark.filterwarnings("ignore::innermost.errors.InnermostWarning")

QUICK = {"epochs": 30, "learning_rate": 0.03, "batch_tokens": 30, "threads": 1}


def only(*labels):
    return [
        Sentence(s.tokens, [e for e in s.entities if e.label in labels]) for s in toy_sentences()
    ]


def test_corpora_alone_and_together_are_scored_on_their_own_types(tmp_path):
    for name, labels in (("people", ("PERSON",)), ("places", ("PLACE", "ORG"))):
        sentences = only(*labels)
        for split, part in (
            ("train", sentences),
            ("dev", sentences[:24]),
            ("test", sentences[24:]),
        ):
            corpus.write(part, tmp_path / name / f"{split}.jsonl", format="native")
    corpora = [
        write_sample(Sample(tmp_path, name, None, 1), tmp_path / "written" / name)
        for name in ("people", "places")
    ]
    assert [own.types for own in corpora] == [("PERSON",), ("ORG", "PLACE")]
    together = f1_of_corpora(corpora, tmp_path / "together", 1, QUICK)
    assert together.keys() == {"people", "places"}
    assert together["places"] > 0.6
    assert together["people"] > 0.2
    alone = f1_of_corpora(corpora[:1], tmp_path / "alone", 1, QUICK)
    assert alone.keys() == {"people"}


def test_micro_f1_counts_the_types_of_a_corpus_only():
    scores = {
        "a": {"gold": 4, "predicted": 2, "correct": 2},
        "b": {"gold": 1, "predicted": 1, "correct": 0},
        "c": {"gold": 9, "predicted": 9, "correct": 9},
    }
    assert micro_f1(scores, ["a", "b", "absent"]) == pytest.approx(2 * 2 / (5 + 3))
