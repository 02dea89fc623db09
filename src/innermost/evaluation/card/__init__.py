"""The card of a model, ``README.md`` in its folder: a description and measured figures.

Training writes a card for every model. ``innermost card`` measures a model again, and replaces the
sections with figures; all others are kept as people have written them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from innermost.evaluation.card.head import IN_FOLDER, head
from innermost.evaluation.card.tables import table
from innermost.evaluation.counts import percent
from innermost.evaluation.raw_text import NO_SPACING
from innermost.model_folder.info import BEFORE_EXPORT, ExportInfo, ModelInfo, scope

PLOT = "reliability.svg"
_SCORES, _CALIBRATION, _SPEED = "## Scores", "## Calibration", "## Speed"
_MEASURED = (_SCORES, _CALIBRATION, _SPEED)
_SECTION = re.compile(r"^(?=## )", re.MULTILINE)
_FOLDS = "cross_validation"
_SPLITS = {"train": "training", "dev": "development", "test": "test"}

Figures = Mapping[str, Any]
"""The output of ``innermost evaluate --json``."""


@dataclass(frozen=True, slots=True)
class DataSummary:
    """One split of the data of a training run."""

    split: str
    name: str
    sentences: int
    tokens: int
    entities: int
    fingerprint: str


def training_card(
    info: ModelInfo,
    data: Sequence[DataSummary],
    scores: Mapping[str, Figures],
    environment: Mapping[str, str],
    settings: str,
    note: str = "",
) -> str:
    """The card that a training run writes; ``note`` is what to know about the scores."""
    splits = [part for name in _SPLITS if name in scores for part in _scores(name, scores[name])]
    return _joined(
        head(info, IN_FOLDER),
        "## Data",
        _data_table(data),
        "The fingerprint is a hash of tokens and entities; `innermost stats` prints it.",
        "## Training",
        _training(info, environment),
        f"```toml\n{settings.strip()}\n```",
        _SCORES,
        "A prediction is correct if its start, end and type are.",
        note if splits else "",
        *splits,
        "No scores: there was neither development nor test data." if not scores else "",
        *(_folds(scores[_FOLDS], note) if _FOLDS in scores else ()),
    )


def measured_card(
    card: str,
    info: ModelInfo,
    *,
    dev: Figures | None,
    test: Figures,
    raw_text: Figures | None,
    types: Sequence[str] = (),
    speed: Figures | None,
    size: int,
    date: str,
    machine: str,
) -> str:
    """``card`` with the figures measured now; a new one if it is empty. ``types`` are those that
    were counted, if not all."""
    on_dev = ""
    if dev:
        on_dev = f" Development F1 {percent(dev['micro']['f1'])} (data {dev['fingerprint']})."
    elif earlier := info.scores.get("dev"):
        when = "before export" if earlier.get(BEFORE_EXPORT) else "earlier"
        of = f" ({scope(earlier)})" if scope(earlier) else ""
        on_dev = f" Development F1 {percent(earlier['f1'])}{of}, measured {when}."
    export = "" if info.export is None else f"; exported with {info.export}"
    scores = [
        f"Measured on {date} by `innermost card` with the files of this folder "
        f"({size / 1e6:.1f} MB{export}): start, end and type must match, duplicates are merged."
        f"{on_dev} Test, on the tokens of the data ({test['fingerprint']}):",
        _by_type(test),
        _by_level(test["levels"]),
    ]
    if types:
        scores.insert(0, f"These scores are those of {', '.join(types)} only.")
    if raw_text is not None:
        scores.append(_raw_text(raw_text))
    sections = {_SCORES: scores}
    if test.get("calibration"):
        sections[_CALIBRATION] = _calibration(dev, test, info.temperature)
    if speed is not None:
        sections[_SPEED] = [_speed(speed, date, machine)]
    return _with_sections(card.strip() or head(info), sections)


def exported_card(card: str, changes: ExportInfo) -> str:
    """``card`` with a note in the sections with figures that they are older than these changes.

    Measuring them again replaces these sections, and so removes the note.
    """
    note = (
        f"Exported with {changes}; the figures here are those of the model before export. "
        "`innermost card FOLDER --test DATA` measures them again."
    )
    sections = _sections(card)
    marked = {title: [note, sections[title]] for title in _MEASURED if title in sections}
    return _with_sections(card, marked or {_SCORES: [note]})


def _sections(card: str) -> dict[str, str]:
    """The text of each section without its title, by title."""
    parts = [part.strip().partition("\n") for part in _SECTION.split(card)]
    return {title.strip(): text.strip() for title, _, text in parts}


def _with_sections(card: str, sections: Mapping[str, Sequence[str]]) -> str:
    """The card with these sections in place of those of the same titles, or after them."""
    texts = {title: _joined(title, *parts) for title, parts in sections.items()}
    present = [part.strip() for part in _SECTION.split(card)]
    titles = [part.partition("\n")[0].strip() for part in present]
    last = max((n for n, title in enumerate(titles) if title in texts), default=len(titles) - 1)
    new = [text for title, text in texts.items() if title not in titles]
    kept = [texts.get(title, part) for title, part in zip(titles, present, strict=True)]
    return _joined(*(part.strip() for part in (*kept[: last + 1], *new, *kept[last + 1 :])))


def _joined(*sections: str) -> str:
    return "\n\n".join(section for section in sections if section) + "\n"


def _data_table(data: Sequence[DataSummary]) -> str:
    return table(
        ["", "file", "sentences", "tokens", "entities", "fingerprint"],
        [
            [
                _SPLITS.get(part.split, part.split),
                part.name,
                f"{part.sentences:,}",
                f"{part.tokens:,}",
                f"{part.entities:,}",
                part.fingerprint,
            ]
            for part in data
        ],
        text_columns=2,
    )


def _training(info: ModelInfo, environment: Mapping[str, str]) -> str:
    command = environment.get("command")
    shown = shlex.join(map(_without_folders, shlex.split(command))) if command else ""
    trained = f"Trained by\n\n    {shown}\n\nwith" if shown else "Trained with"
    seed, epoch = info.training.get("seed"), info.training.get("epoch")
    return (
        f"{trained} innermost {environment.get('innermost')} and torch {environment.get('torch')} "
        f"on {environment.get('hardware')}, {environment.get('date')}: seed {seed}, epoch {epoch}. "
        "All settings:"
    )


def _without_folders(argument: str) -> str:
    """An argument without the folders of an absolute path: a card is published, they are not."""
    option, equals, value = argument.rpartition("=")
    path = Path(value).expanduser()
    return f"{option}{equals}{path.name}" if path.is_absolute() else argument


def _scores(name: str, figures: Figures) -> list[str]:
    if not figures.get("types"):
        return []
    return [
        f"### {_SPLITS[name].capitalize()} data",
        _by_type(figures),
        _by_level(figures["levels"]),
    ]


def _folds(figures: Figures, note: str) -> list[str]:
    """A section of its own, which stays when the model is measured on other data."""
    f1 = figures["intervals"]["f1"]
    about = (
        f"Each of {figures['folds']} folds was scored by a model trained on the others, at its "
        "best epoch on the fold; this model was trained on all of them. F1 over all folds is "
        f"{percent(f1['value'])}, with the 95% confidence interval {percent(f1['low'])} to "
        f"{percent(f1['high'])} (Student's t over the folds)."
    )
    return ["## Cross-validation", about, note, _by_type(figures)]


def _by_type(figures: Figures) -> str:
    rows = {"all": figures["micro"], **figures["types"]}
    return table(
        ["", "precision", "recall", "F1", "gold"],
        [
            [name, *(percent(counts[k]) for k in ("precision", "recall", "f1"))]
            + [f"{counts['gold']:,}"]
            for name, counts in rows.items()
        ],
    )


def _by_level(levels: Figures) -> str:
    gold, predicted = levels["gold"], levels["predicted"]
    return table(
        ["level", "recall of gold", "precision of predicted"],
        [
            [
                str(level),
                percent(gold[level]["recall"]) if level in gold else "",
                percent(predicted[level]["precision"]) if level in predicted else "",
            ]
            for level in sorted({*gold, *predicted}, key=int)
        ],
    )


def _raw_text(figures: Figures) -> str:
    micro = figures["micro"]
    parts = ((name, percent(micro[name.lower()])) for name in ("Precision", "Recall", "F1"))
    shown = ", ".join(f"{name} {value}" for name, value in parts)
    reachable = next(iter(figures["reachable"].values()))
    spacing = "" if figures["spacing"] else f" Note that {NO_SPACING}."
    return (
        f"On raw text, with sentences and tokens found by the model itself (data "
        f"{figures['fingerprint']}): {shown}. {percent(reachable)}% of the {micro['gold']:,} gold "
        f"entities begin and end where its tokens do.{spacing}"
    )


def _calibration(dev: Figures | None, test: Figures, temperature: float) -> list[str]:
    measured = {"development": dev, "test": test}
    errors = [
        [
            name,
            percent(figures["calibration"]["ece"]),
            f"{figures['calibration']['brier']:.4f}",
            f"{figures['micro']['predicted']:,}",
        ]
        for name, figures in measured.items()
        if figures
    ]
    bins = [
        [
            f"{b['low']:.1f} to {b['high']:.1f}",
            percent(b["confidence"]),
            percent(b["accuracy"]),
            f"{b['count']:,}",
        ]
        for b in test["calibration"]["reliability"]
        if b["count"]
    ]
    return [
        f"The temperature of the scores is {temperature:g}. ECE is the expected calibration "
        "error, in percent.",
        table(["", "ECE", "Brier score", "entities"], errors),
        f"![Reliability on the test data: precision against score, as in the table]({PLOT})",
        table(["score", "mean score", "precision", "entities"], bins),
    ]


def _speed(speed: Figures, date: str, machine: str) -> str:
    speeds = {f"in batches of {size}": v for size, v in speed["batch_sizes"].items()}
    speeds["from raw text"] = speed["raw_text"]
    speeds["from raw text, one sentence at a time"] = speed["raw_text_singly"]
    listed = ", ".join(f"{v['tokens_per_second']:,.0f} {name}" for name, v in speeds.items())
    return f"`innermost bench` on {date}, {machine}, tokens per second: {listed}."
