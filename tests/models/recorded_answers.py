"""What the shipped models answered when they were added, in every layer.

python tests/models/recorded_answers.py     # record again, after a model was replaced
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from innermost import Document, load
from innermost.model_folder.info import read_info
from innermost.model_folder.installed import OURS, installed_models

FILE = Path(__file__).with_suffix(".json")
DIGITS = 6
TEXTS = [
    "The rector of the University of Ghent met the mayor of Oslo on Monday.",
    "Maria Silva, who runs the Lisbon office of the Bank of England, flew to New York.",
    "Binding of NF-kappa B to the human IL-2 receptor alpha chain gene promoter needs T cells.",
    "CD28-deficient T lymphocytes of transgenic mice express a mutant c-fos mRNA.",
    "Jurkat cells and primary CD4+ T cells produced IL-5 after protein kinase C was blocked.",
    "The widow's eldest son slept in the attic of the old inn behind the harbour at Whitby.",
    "It rained. Nobody came. Dr. Ahmed's sister, the judge, stayed at home in St. Louis, Mo.",
    "«Zürich» — 東京, São Paulo & Ærøskøbing: 3.5% of €1,000 🙂🙂 on 2 May 1998",
    "THE PRIME MINISTER OF JAPAN RESIGNED IN TOKYO",
    "nothing to see here",
    "Oslo",
    "x" * 300 + " of the North Sea",
    "Die Bürgermeisterin von Köln, Anna Müller, besuchte am 3. Mai 2021 die Universität Bonn.",
    "El alcalde de Lisboa viajó a Sevilla; Премьер-министр Иванов прибыл в Минск.",
    "the president of the bank of the north of the city of the kings of the island of Malta",
]

Answer = list[list[Any]]
"""``[start, end, label, level, score]`` of each entity."""


def systems() -> dict[str, dict[str, str]]:
    """A name for each layer of each shipped model, and what ``innermost.load`` needs for it."""
    shipped = [model for model in installed_models() if model.package == OURS]
    return {
        f"{model.name} {layer}".strip(): {"model": model.name} | ({"layer": layer} if layer else {})
        for model in shipped
        for layer in ("", *read_info(model.folder).layers)
    }


def answer(document: Document, digits: int | None = None) -> Answer:
    return [
        [e.start, e.end, e.label, e.level, e.score if digits is None else round(e.score, digits)]
        for e in document.entities
    ]


def read_answers() -> dict[str, list[Answer]]:
    """For each system, its answers to :data:`TEXTS`."""
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def record() -> None:
    recorded = {
        name: [answer(document, DIGITS) for document in load(**options)(TEXTS)]
        for name, options in systems().items()
    }
    lines = [
        f"{json.dumps(name)}: [\n" + ",\n".join(map(json.dumps, answers)) + "\n]"
        for name, answers in recorded.items()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    record()
