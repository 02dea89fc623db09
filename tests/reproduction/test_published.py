"""The paper's figures are consistent, as far as they can be checked."""

from __future__ import annotations

import pytest

from innermost.reproduction.published import corpus_name, mean_of, paper
from innermost.reproduction.published import test_mentions as mentions_of_test

_SCORED = [
    (name, corpus, entry["method"], entry[corpus])
    for name in ("table3", "table8", "table9")
    for entry in paper()[name]
    for corpus in ("ACE-2005", "GENIA", "ACE-2004", "CoNLL-2003")
    if corpus in entry
]
_SCORED += [
    ("table4", corpus, variant, scores)
    for corpus, rows in paper()["table4"].items()
    for variant, scores in rows.items()
]


@pytest.mark.parametrize(("corpus", "deeper"), [("ACE-2005", [2, 0, 0]), ("GENIA", [0, 0, 0])])
def test_levels_add_up_to_the_mentions(corpus: str, deeper: list[int]) -> None:
    """Except for two ACE mentions that are at none of the four levels printed in the paper."""
    figures = paper()["table1"][corpus]
    sums = [sum(level[split] for level in figures["levels"]) for split in range(3)]
    assert [all_ - some for all_, some in zip(figures["mentions"], sums, strict=True)] == deeper


@pytest.mark.parametrize(("table", "corpus", "method", "scores"), _SCORED)
def test_f1_follows_from_precision_and_recall(
    table: str, corpus: str, method: str, scores: list[str]
) -> None:
    f1 = mean_of(scores[2])
    if not scores[0]:
        assert 50 < f1 < 100
        return
    precision, recall = map(mean_of, scores[:2])
    harmonic = 2 * precision * recall / (precision + recall)
    # Two of the cited papers print inconsistent scores; they are kept as printed.
    slack = {"Sohrab and Miwa (2018)": 1.5, "Katiyar and Cardie (2018)": 0.3}.get(method, 0.11)
    assert f1 == pytest.approx(harmonic, abs=slack), (table, corpus)


def test_tables_that_repeat_each_other_agree() -> None:
    main = next(entry for entry in paper()["table3"] if entry["method"] == "the paper")
    for corpus, rows in paper()["table4"].items():
        assert rows["This work"] == main[corpus]
        levels = paper()["table5"][corpus]
        first = paper()["table1"][corpus]["levels"]
        assert [int(n.replace(",", "")) for _, n in levels.values()] == [
            level[2] for level in first if level[2]
        ]


def test_a_corpus_is_known_by_its_types() -> None:
    genia = ["DNA", "RNA", "protein", "cell_line", "cell_type"]
    ace = ["FAC", "GPE", "LOC", "ORG", "PER", "VEH", "WEA"]
    assert corpus_name(genia, "table3") == "GENIA"
    assert corpus_name(ace, "table3") == "ACE-2005"
    assert corpus_name(ace, "table8") == "ACE-2004"
    assert corpus_name(["PER", "LOC", "ORG", "MISC"], "table9") == "CoNLL-2003"
    assert corpus_name(ace[:-1], "table3") is None
    assert mentions_of_test("GENIA") == 5600
    assert mentions_of_test(None) is None
