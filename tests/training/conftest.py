"""A model to start from, and data with a type that it does not know."""

import pytest

from helpers.toy_corpus import bracketed
from innermost import corpus
from innermost.export.folder import export
from innermost.model_folder.contents import WEIGHTS


@pytest.fixture(scope="module")
def exported(toy_model, tmp_path_factory):
    """The toy model as a small folder without torch's weights: int8, word vectors included."""
    folder = tmp_path_factory.mktemp("exported") / "toy"
    export(toy_model, folder, int8=True)
    assert not (folder / WEIGHTS).exists()
    return folder


@pytest.fixture
def new_data(tmp_path):
    """Places, as the toy model knows them, and days, which it does not."""
    path = tmp_path / "new.jsonl"
    days = ("Monday", "Friday", "Sunday", "Tuesday")
    texts = [f"nobody in [PLACE Oslo ] came on [DAY {day} ] ." for day in days]
    texts += [f"it rained on [DAY {day} ] in the news ." for day in days]
    corpus.write([bracketed(text) for text in texts] * 3, path)
    return path
