"""The report: well-formed, self-contained, the same tables in every format, entities as boxes."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from innermost.corpus import Sentence
from innermost.errors import OutputError
from innermost.evaluation.analysis.breakdown import SeenForms
from innermost.evaluation.report import write_report
from innermost.evaluation.report.plots import reliability_file
from innermost.evaluation.report.tables import sections
from innermost.evaluation.results import Results, assess
from innermost.nest import Span

TOKENS = ["They", "saw", "the", "<old>", "mayor", "of", "the", "town", "&", "left", "."]
MAYOR, TOWN, THEY = Span(2, 8, "PER"), Span(6, 8, "GPE"), Span(0, 1, "PER")
GOLD = [
    Sentence(TOKENS, [MAYOR, TOWN, THEY, THEY], doc="one", line=1),
    Sentence(TOKENS, [Span(2, 5, "PER"), Span(4, 8, "PER")], line=2),
    Sentence(TOKENS, [TOWN], line=3),
]
PREDICTED = [
    [[2, 8, "PER", 0.9], [6, 8, "LOC<", 0.4]],
    [[2, 5, "PER", 0.8], [9, 10, "GPE", 0.2]],
    [[6, 8, "GPE", 1.0]],
]
VOID = {"meta"}


class Checker(HTMLParser):
    """Every tag is closed in order; collects what matters."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID | {"input"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


def parse(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    return checker


def prediction_file(folder: Path, name: str, rows: list[list[list[object]]]) -> Path:
    path = folder / name
    lines = (json.dumps({"tokens": TOKENS, "entities": row}) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def results_of(folder: Path, systems: int = 1, *, paper_counts: bool = False) -> Results:
    files = [prediction_file(folder, f"run{n}.jsonl", PREDICTED) for n in range(systems)]
    return assess(
        files,
        GOLD,
        data="town <test>",
        seen=SeenForms(GOLD[2:]),
        paper_counts=paper_counts,
        keep=10,
    )


@pytest.mark.parametrize("systems", [1, 3])
def test_the_page_is_well_formed_accessible_and_self_contained(
    tmp_path: Path, systems: int
) -> None:
    html_file, _, _ = write_report(results_of(tmp_path, systems), tmp_path / "report")
    html = html_file.read_text(encoding="utf-8")
    checker = parse(html)
    assert checker.count("table") == checker.count("caption") > 5
    assert all("scope" in attrs for tag, attrs in checker.tags if tag == "th")
    assert all("aria-label" in attrs for tag, attrs in checker.tags if attrs.get("role") == "img")
    # Labels are images inside the page.
    assert not re.search(
        r"https?:|@import|url\((?!\"data:image/svg)", html.replace("http://www.w3.org/2000/svg", "")
    )
    assert not any("src" in attrs for _, attrs in checker.tags)
    links = [attrs["href"] for tag, attrs in checker.tags if tag == "a"]
    ids = {attrs.get("id") for _, attrs in checker.tags}
    assert all(link and link.startswith("#") and link[1:] in ids for link in links)
    assert "town <test>" in "".join(checker.text)
    assert checker.count("article") == 2


def test_every_table_is_in_html_and_markdown(tmp_path: Path) -> None:
    results = results_of(tmp_path, 2)
    html_file, markdown_file, _ = write_report(results, tmp_path)
    html, markdown = html_file.read_text("utf-8"), markdown_file.read_text("utf-8")
    captions = [table.caption for section in sections(results) for table in section.tables]
    assert "Recall by gold level" in captions
    for caption in captions:
        assert f"<caption>{caption}</caption>" in html
        assert f"**{caption}**" in markdown
    for table in re.findall(r"(?:^\|.*\n)+", markdown, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


def test_the_json_holds_fractions_and_the_fingerprint(tmp_path: Path) -> None:
    _, _, json_file = write_report(results_of(tmp_path), tmp_path)
    result = json.loads(json_file.read_text("utf-8"))
    assert result["micro"]["gold"] == 6
    assert result["micro"]["correct"] == 3
    assert result["micro"]["precision"] == pytest.approx(3 / 5)
    assert result["duplicates"] == 1
    assert re.fullmatch("[0-9a-f]{12}", result["fingerprint"])
    assert result["errors"]["kinds"]["wrong type"] == 1
    assert result["errors"]["on_pronouns"] == {"missed": 1}
    assert result["calibration"]["best_threshold"]["score"] == pytest.approx(0.8)
    assert set(result["breakdowns"]) == {"length", "sentence", "place", "form"}


def test_the_reliability_plot_is_a_small_picture_of_its_own(tmp_path: Path) -> None:
    (assessment,) = results_of(tmp_path).assessments
    text = reliability_file(assessment)
    picture = ElementTree.fromstring(text)
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    dots = [part for part in picture.iter() if part.tag.endswith("circle")]
    assert len(dots) == sum(b.count > 0 for b in assessment.calibration.reliability())
    error, brier = assessment.calibration.expected_error(), assessment.calibration.brier()
    assert f"ECE {100 * error:.2f}%, Brier score {brier:.4f}" in text
    assert not re.search(r"var\(|url\(|href", text)
    assert len(text) < 5_000


def test_without_details_only_the_scores_are_there(tmp_path: Path) -> None:
    file = prediction_file(tmp_path, "run.jsonl", PREDICTED)
    plain = assess([file], GOLD, data="town", detailed=False)
    full = assess([file], GOLD, data="town").to_dict()
    assert plain.to_dict() == {
        k: full[k] for k in full if k not in ("breakdowns", "loose", "errors")
    }
    assert [s.id for s in sections(plain)] == ["overall", "types", "levels", "calibration"]


def test_runs_have_mean_and_deviation(tmp_path: Path) -> None:
    files = [
        prediction_file(tmp_path, "good.jsonl", PREDICTED),
        prediction_file(tmp_path, "empty.jsonl", [[], [], []]),
    ]
    result = assess(files, GOLD, data="town").to_dict()
    first = result["micro"]["f1"]
    assert [run["name"] for run in result["runs"]] == ["good", "empty"]
    assert result["summary"]["f1"]["mean"] == pytest.approx(first / 2)
    assert result["summary"]["f1"]["deviation"] == pytest.approx(first / 2**0.5)


def _tables(results: Results) -> dict[str, dict[str, list[str]]]:
    tables = [table for section in sections(results) for table in section.tables]
    return {t.caption: {name: cells for name, *cells in t.rows} for t in tables}


def test_the_mean_of_a_level_says_how_many_systems_it_covers(tmp_path: Path) -> None:
    nested = [[0, 9, "PER", 0.9], [2, 8, "PER", 0.9]]
    rows = {"deep": [nested, [], []], "flat": PREDICTED, "also": PREDICTED}
    files = [prediction_file(tmp_path, f"{name}.jsonl", row) for name, row in rows.items()]
    results = assess(files, GOLD, data="town", detailed=False)
    levels = _tables(results)["Precision by predicted level"]
    assert levels["2"] == ["100.00", "1", "1", "-", "0", "0", "-", "0", "0", "100.00 (1 of 3)"]
    assert levels["1"][-1] == "40.00 ± 34.64"
    levels = _tables(assess([*files[:1], files[0]], GOLD, data="town"))
    assert levels["Precision by predicted level"]["2"][-1] == "100.00 ± 0.00"
    results.are_seeds = False
    assert len(_tables(results)["Precision by predicted level"]["2"]) == 9


def test_a_score_without_a_denominator_is_0_in_every_table(tmp_path: Path) -> None:
    file = prediction_file(tmp_path, "run.jsonl", [[[2, 8, "LOC", 0.9]], [], []])
    types = _tables(assess([file], GOLD, data="town", detailed=False))["By type"]
    assert types["LOC"] == ["0.00", "0.00", "0.00", "0", "1", "0"]
    assert types["GPE"][:3] == ["0.00", "0.00", "0.00"]


def test_paper_counts_reach_every_table(tmp_path: Path) -> None:
    results = results_of(tmp_path, paper_counts=True)
    (assessment,) = results.assessments
    assert assessment.evaluation.micro.gold == 7
    assert assessment.units.rows.sum(axis=0).tolist() == [7, 5, 3, 3]


def test_documents_are_units_when_asked(tmp_path: Path) -> None:
    file = prediction_file(tmp_path, "run.jsonl", [[], [], [], []])
    gold = [Sentence(TOKENS, [TOWN], doc=doc) for doc in ("one", "one", "two")]
    gold.append(Sentence(TOKENS, [TOWN]))
    (assessment,) = assess([file], gold, data="town", by_document=True).assessments
    assert assessment.units.rows[:, 0].tolist() == [2, 1, 1]


def test_what_is_right_is_quiet_and_what_is_wrong_is_loud(tmp_path: Path) -> None:
    html_file, _, _ = write_report(results_of(tmp_path), tmp_path / "report")
    checker = parse(html_file.read_text("utf-8"))
    marks = [attrs for tag, attrs in checker.tags if tag == "mark"]
    drawn = [(m["data-type"], (m["class"] or "").split()[-1], m.get("data-note")) for m in marks]
    # Gold and prediction of the first sentence.
    assert drawn[:5] == [
        ("PER", "missed", "not found"),
        ("PER", "quiet", None),
        ("GPE", "missed", "not found"),
        ("PER", "quiet", None),
        ("LOC<", "wrong", "wrong"),
    ]
    assert marks[4]["title"] == "LOC< 0.40"


def test_crossing_entities_of_one_type_are_both_drawn(tmp_path: Path) -> None:
    html_file, _, _ = write_report(results_of(tmp_path), tmp_path / "report")
    checker = parse(html_file.read_text("utf-8"))
    classes = [(attrs["class"] or "").split() for tag, attrs in checker.tags if tag == "mark"]
    assert ["cut-end" in c for c in classes].count(True) == 1
    assert ["cut-start" in c for c in classes].count(True) == 1


def test_a_large_report_stays_small(tmp_path: Path) -> None:
    gold = [Sentence(TOKENS * 4, [MAYOR, TOWN, THEY]) for _ in range(2500)]
    file = tmp_path / "run.jsonl"
    line = json.dumps({"tokens": TOKENS * 4, "entities": [MAYOR, Span(0, 2, "PER")]})
    file.write_text(f"{line}\n" * len(gold))
    results = assess([file] * 4, gold, data="large", keep=2000)
    html_file, _, _ = write_report(results, tmp_path)
    assert html_file.stat().st_size < 5_000_000
    text = html_file.read_text("utf-8")
    drawn = text.count("<article")
    assert f"The first {drawn:,} of them are drawn here" in text
    assert "2,500 of 2,500 sentences have an error" in text


def test_a_folder_that_cannot_be_written_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(OutputError, match="cannot be written"):
        write_report(results_of(tmp_path), tmp_path / "taken")
