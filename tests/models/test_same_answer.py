"""A text has one answer: in any batch, order, thread count and process, on any machine."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from innermost import Document, load
from innermost.model_folder.installed import installed
from innermost.runtime.model import Model
from models.everyday_sentences import read_sentences
from models.recorded_answers import TEXTS, Answer, answer, read_answers, systems

SYSTEMS = systems()
SENTENCES = [*TEXTS, *(sentence["text"] for sentence in read_sentences())]
LONG = " ".join(SENTENCES)
MANY = [*SENTENCES, "", LONG, *LONG.split()[::9], "Ω" * 700]
OTHER_MACHINES = 1e-4
"""By how much scores may differ from recorded ones: exp and log may round otherwise."""


def _answers(documents: list[Document]) -> list[Answer]:
    return [answer(document) for document in documents]


@pytest.fixture(scope="module", params=SYSTEMS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def model(name: str) -> Model:
    return load(**SYSTEMS[name], threads=1)


@pytest.fixture(scope="module")
def alone(model: Model) -> list[Answer]:
    """The answers to :data:`MANY`, one text at a time, with one thread."""
    return _answers([model(text) for text in MANY])


def test_every_layer_of_every_model_has_recorded_answers() -> None:
    assert {"english", "english mentions", "genia", "litbank"} <= set(SYSTEMS)
    recorded = read_answers()
    assert list(recorded) == list(SYSTEMS)
    for name, answers in recorded.items():
        assert sum(map(len, answers)) >= 8, name


def test_the_answers_are_the_recorded_ones(name: str, model: Model) -> None:
    for text, document, expected in zip(TEXTS, model(TEXTS), read_answers()[name], strict=True):
        entities = answer(document)
        assert [e[:-1] for e in entities] == [e[:-1] for e in expected], text
        scores = [e[-1] for e in entities]
        assert scores == pytest.approx([e[-1] for e in expected], abs=OTHER_MACHINES), text


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch_tokens", [1, 100, 2_048, 100_000])
def test_batches_order_and_threads_change_no_bit(
    name: str, alone: list[Answer], threads: int, batch_tokens: int
) -> None:
    order = list(range(len(MANY)))
    random.Random(batch_tokens).shuffle(order)
    folder, layer = installed()[SYSTEMS[name]["model"]], SYSTEMS[name].get("layer")
    other = Model(folder, layer=layer, threads=threads, batch_tokens=batch_tokens)
    answers = _answers(list(other.pipe(MANY[index] for index in order)))
    assert answers == [alone[index] for index in order]


def test_a_spawned_process_changes_no_bit(model: Model, alone: list[Answer]) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert _answers(pool.submit(model, MANY).result()) == alone


PROGRAM = """
import json, sys
import innermost
options, texts = json.load(sys.stdin)
documents = innermost.load(**options)(texts)
print(json.dumps([[[e.start, e.end, e.label, e.level, e.score] for e in d.entities]
                  for d in documents]))
"""


def test_a_fresh_process_changes_no_bit(name: str, alone: list[Answer], tmp_path: Path) -> None:
    """With other hashes and another working directory."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps([SYSTEMS[name], MANY]),
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={**os.environ, "PYTHONHASHSEED": "12345", "PYTHONUTF8": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == alone
