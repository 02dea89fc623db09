"""``innermost reproduce`` from data to printed tables, with models that train in a second."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from innermost.cli.app import app
from innermost.corpus import read
from innermost.errors import ConfigError, DataError, InnermostError, UsageError
from innermost.evaluation import Evaluation
from innermost.nest import Span
from innermost.reproduction.score_tables import outermost_only
from innermost.runtime import load
from reproduction.small_corpora import TINY, ace_folder, conll_folder, native_folder

pytest.importorskip("torch", reason="training needs torch")


def reproduce(*arguments: object, tiny: bool = True) -> Result:
    words = ["reproduce", *map(str, arguments), *(TINY if tiny else [])]
    return CliRunner().invoke(app, words)


def results(description: Path, page: Path) -> Result:
    return CliRunner().invoke(app, ["results", str(description), "--out", str(page)])


def figures(*arguments: object) -> dict[str, object]:
    done = reproduce(*arguments, "--json")
    assert done.exit_code == 0, done.exception
    result: dict[str, object] = json.loads(done.stdout)
    return result


def refused(kind: type[InnermostError], *arguments: object) -> str:
    done = reproduce(*arguments)
    assert isinstance(done.exception, kind), done.exception
    return str(done.exception)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return native_folder(tmp_path_factory.mktemp("data") / "toy")


@pytest.fixture(scope="module")
def out(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of Table 4: three variants, two seeds."""
    folder = tmp_path_factory.mktemp("runs")
    done = reproduce("table4", "--data", data, "--out", folder, "--seeds", "1,2")
    assert done.exit_code == 0, done.exception
    return folder


@pytest.fixture
def untrained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if anything is trained from here on."""

    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("a finished run was trained again")

    monkeypatch.setattr("innermost.training.plan.run", refuse)


def test_ablations_write_what_they_did(out: Path) -> None:
    table = json.loads((out / "table4.json").read_text())
    assert [row[0] for row in table["rows"]] == ["This work", "- L", "- L&D"]
    for variant, folder in (("This work", "full"), ("- L&D", "without-L-and-D")):
        results = [
            json.loads((out / folder / f"seed-{seed}" / "result.json").read_text())
            for seed in (1, 2)
        ]
        scores = [result["test"]["micro"]["recall"] for result in results]
        ours = table["figures"]["ours"][variant]
        assert ours["recall"]["mean"] == pytest.approx(sum(scores) / 2)
        assert ours["recall"]["deviation"] == pytest.approx(abs(scores[0] - scores[1]) / 2**0.5)
    assert (out / "table4.md").read_text().startswith("**Table 4: ablations")
    assert "hidden = 16" in (out / "config.toml").read_text()


@pytest.mark.usefixtures("untrained")
def test_other_tables_use_the_same_runs(data: Path, out: Path) -> None:
    arguments = "--data", data, "--out", out, "--seeds", "1,2"
    main = figures("table3", *arguments)
    assert main["figures"]["ours"] == {  # type: ignore[index]
        "This work": json.loads((out / "table4.json").read_text())["figures"]["ours"]["This work"]
    }
    result = json.loads((out / "full" / "seed-1" / "result.json").read_text())
    levels = result["test"]["levels"]
    recall = figures("table5", *arguments)
    assert [row[:1] + row[2:] for row in recall["rows"]] == [  # type: ignore[attr-defined]
        [level, f"{counts['gold']:,}"] for level, counts in levels["gold"].items()
    ]
    precision = figures("table6", *arguments)
    assert precision["figures"]["levels"] == levels["predicted"]  # type: ignore[index]
    dry = reproduce("table4", *arguments, "--dry-run")
    assert dry.stdout == "table4: 6 runs, 6 of them finished: nothing to train\n"


def test_speed_by_depth(data: Path, out: Path) -> None:
    table = figures("table7", "--data", data, "--out", out, "--seeds", "1,2")
    depths = ["1", "2", "3", "4", "5", "unlimited"]
    assert [row[0] for row in table["rows"]] == depths  # type: ignore[attr-defined]
    speeds = table["figures"]["tokens_per_second"]  # type: ignore[index]
    assert all(speed > 0 for speed in speeds.values())


def test_decoding_to_depth_1_gives_the_predictions_of_level_1(toy_model: Path, data: Path) -> None:
    evaluations = []
    for depth in (None, 1):
        evaluation = Evaluation()
        sentences = list(read(data / "test.jsonl"))
        predictions = load(toy_model, max_depth=depth).predict_sentences(sentences)
        for sentence, entities in zip(sentences, predictions, strict=True):
            evaluation.add(sentence.entities, [Span(*entity[:3]) for entity in entities])
        evaluations.append(evaluation)
    unlimited, first_level = evaluations
    assert set(unlimited.predicted_levels) == {1, 2}
    derived = outermost_only({"seed": 1, "test": unlimited.to_dict()})
    assert derived["test"]["micro"] == first_level.micro.to_dict()


def test_other_settings_are_refused(data: Path, out: Path) -> None:
    message = refused(
        UsageError, "table3", "--data", data, "--out", out, "--set", "objective.inner=false"
    )
    assert "objective.inner was True, now False" in message


def test_other_data_is_refused(data: Path, out: Path, tmp_path: Path) -> None:
    other = native_folder(tmp_path / "other")
    (other / "test.jsonl").write_text('{"tokens": ["x"], "entities": []}\n')
    message = refused(DataError, "table3", "--data", other, "--out", out, "--seeds", "1,2")
    assert "result.json: this run was trained on other data" in message


def test_a_damaged_result_is_named(data: Path, out: Path, tmp_path: Path) -> None:
    run = tmp_path / "full" / "seed-1"
    run.mkdir(parents=True)
    (run / "result.json").write_text('{"seed": 1')
    message = refused(DataError, "table3", "--data", data, "--out", tmp_path, "--seeds", "1")
    assert "result.json: not the result of a run" in message


def test_without_resume_nothing_is_overwritten(data: Path, out: Path) -> None:
    message = refused(
        UsageError, "table3", "--data", data, "--out", out, "--seeds", "1,2", "--no-resume"
    )
    assert "is not empty" in message


def test_a_dry_run_measures_and_leaves_nothing(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    estimate = figures("table9", "--data", data, "--out", out, "--seeds", "1,2", "--dry-run")
    assert not out.exists()
    assert (estimate["runs"], estimate["finished"], estimate["epochs"]) == (4, 0, 3)
    tokens = sum(len(sentence.tokens) for sentence in read(data / "train.jsonl"))
    assert estimate["tokens"] == tokens
    assert isinstance(estimate["seconds"], float)
    assert estimate["seconds"] > 4 * 3 * tokens / estimate["tokens_per_second"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("table", "make", "corpus", "last_rows"),
    [
        ("table3", ace_folder, "ACE-2005", ["innermost"]),
        ("table8", ace_folder, "ACE-2004", ["innermost"]),
        (
            "table9",
            conll_folder,
            "CoNLL-2003",
            [
                "innermost",
                "innermost, outermost entities only",
                "innermost, - L&D, flat only",
            ],
        ),
    ],
)
def test_licensed_corpora_from_their_own_files(
    table: str, make: Callable[[Path], Path], corpus: str, last_rows: list[str], tmp_path: Path
) -> None:
    folder = make(tmp_path / "data")
    done = figures(table, "--data", folder, "--out", tmp_path / "runs", "--seeds", "1")
    assert done["figures"]["corpus"] == corpus  # type: ignore[index]
    methods = [row[0] for row in done["rows"]]  # type: ignore[attr-defined]
    assert methods[-len(last_rows) :] == last_rows
    assert "the paper" in methods


def test_statistics_of_ace_stand_beside_the_papers(tmp_path: Path) -> None:
    folder = ace_folder(tmp_path / "ace")
    table = figures("table1", "--data", folder, "--out", tmp_path / "runs")
    assert table["columns"] == ["", "train", "paper", "dev", "paper", "test", "paper"]
    rows = {row[0]: row[1:] for row in table["rows"]}  # type: ignore[attr-defined]
    assert rows["documents"] == ["4", "370", "1", "43", "1", "51"]
    assert rows["mentions"] == ["52", "24,827", "13", "3,234", "13", "3,041"]
    assert rows["- 2nd level"] == ["4", "2,635", "1", "316", "1", "323"]


def test_settings_beside_the_papers() -> None:
    table = figures("table2", "--seeds", "3,4")
    rows = {row[0]: row[1:] for row in table["rows"]}  # type: ignore[attr-defined]
    assert rows["LSTM hidden size"] == ["16", "256"]
    assert rows["batch size"] == ["200 tokens", "32 sentences"]
    assert rows["random seeds"] == ["3, 4", "5 different ones"]
    assert rows["training.epochs"] == ["3", ""]
    assert "encoder.layers" not in rows
    assert json.loads(reproduce("table2", "--json", tiny=False).stdout)["figures"]["config"][
        "training"
    ]["seeds"] == [1, 2, 3, 4, 5]


def test_settings_of_a_stack() -> None:
    recipe = Path(__file__).parents[2] / "recipes" / "litbank-stack.toml"
    done = reproduce("table2", "--config", recipe, "--json", tiny=False)
    assert done.exit_code == 0, done.exception
    rows = {row[0]: row[1] for row in json.loads(done.stdout)["rows"]}
    assert rows["encoder.flair.models"] == "flair-news-fast"


def test_wrong_calls() -> None:
    assert "table1 trains nothing" in refused(UsageError, "table1", "--dry-run")
    assert "table4 needs data" in refused(UsageError, "table4")


def test_the_page_of_results(out: Path, tmp_path: Path) -> None:
    description = tmp_path / "page.toml"
    description.write_text(
        f"""
        title = "Results"
        text = "What came out."
        [[section]]
        title = "Toy"
        folder = "{out}"
        tables = ["table4"]
        [[section.published]]
        system = "Another"
        f1 = "50.0"
        comparable = "nothing"
        """
    )
    page = tmp_path / "results.md"
    done = results(description, page)
    assert done.exit_code == 0, done.exception
    text = page.read_text()
    assert text.startswith("# Results\n\nWhat came out.\n\n## Toy\n\n**Table 4")
    assert (out / "table4.md").read_text().strip() in text
    assert text.endswith("**Published F1 on Toy**\n\n- Another: **50.0**. nothing\n")


def test_a_page_without_its_tables_says_what_is_missing(tmp_path: Path) -> None:
    description = tmp_path / "page.toml"
    description.write_text('title = "R"\n[[section]]\ntitle = "T"\nfolder = "x"\ntables = ["t"]')
    page = tmp_path / "page.md"
    assert "x/t.json: not a reproduced table" in str(results(description, page).exception)
    description.write_text('title = "R"\nsections = []')
    done = results(description, page)
    assert isinstance(done.exception, ConfigError)
    assert "not a valid page description" in str(done.exception)
