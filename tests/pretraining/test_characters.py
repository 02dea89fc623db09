"""Character language models from text: what is learned, from scratch and from existing weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from innermost.errors import UsageError
from innermost.parts.flair.character_lm import load_character_lms, save_character_lms
from innermost.pretraining.characters import CharacterSettings, code_points, pretrain_characters
from innermost.pretraining.events import HeldOut
from innermost.pretraining.settings import Execution
from pretraining.pretraining_text import two_worlds, write_lines

SMALL = {"hidden": 32, "streams": 8, "length": 30, "tokenizer": "whitespace", "learning_rate": 1e-2}


def _last_loss(text: Path, out: Path, settings: CharacterSettings) -> float:
    *_, last = pretrain_characters([text], out, settings, Execution(device="cpu"), processes=1)
    assert isinstance(last, HeldOut)
    return last.loss


def test_lines_are_read_from_either_end() -> None:
    line = [["Two", "words"], ["ja"]]
    forward = "".join(map(chr, code_points(line, "forward")))
    backward = "".join(map(chr, code_points(line, "backward")))
    assert forward == "\nTwo words\nja"
    assert backward == "\nsdrow owT\naj"


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_model_learns_the_text(tmp_path: Path, direction: str) -> None:
    text = write_lines(tmp_path / "text.txt", two_worlds(1200))
    chosen = CharacterSettings(**SMALL, direction=direction)
    loss = _last_loss(text, tmp_path / "model", chosen)
    [model] = load_character_lms(tmp_path / "model")
    assert model.direction == direction
    assert set("cat\n <") >= set("".join(model.characters[:3])) - set("<unk>")
    # Every line has a choice of a noun and a verb, some 4 nats in 30 characters; knowing only the
    # frequency of each character would cost more than 2.5 nats per character.
    assert loss < 0.8


def test_going_on_from_weights_beats_beginning_anew(tmp_path: Path) -> None:
    first = write_lines(tmp_path / "a.txt", two_worlds(1200))
    second = write_lines(tmp_path / "b.txt", [f"{line} é" for line in two_worlds(150, seed=1)])
    _last_loss(first, tmp_path / "a", CharacterSettings(**SMALL))
    from_scratch = _last_loss(second, tmp_path / "b", CharacterSettings(**SMALL))
    chosen = CharacterSettings(**SMALL, init=str(tmp_path / "a"))
    assert _last_loss(second, tmp_path / "c", chosen) < 0.6 * from_scratch
    [before], [after] = load_character_lms(tmp_path / "a"), load_character_lms(tmp_path / "c")
    assert "é" not in before.characters
    assert after.characters == [*before.characters, "é"]


def test_the_wrong_direction_to_go_on_from_is_an_error(tmp_path: Path) -> None:
    text = write_lines(tmp_path / "a.txt", two_worlds(200))
    _last_loss(text, tmp_path / "a", CharacterSettings(**SMALL))
    chosen = CharacterSettings(**SMALL, direction="backward", init=str(tmp_path / "a"))
    with pytest.raises(UsageError, match="no backward model"):
        _last_loss(text, tmp_path / "b", chosen)


def test_a_model_predicts_the_same_after_it_is_written_and_read(tmp_path: Path) -> None:
    text = write_lines(tmp_path / "a.txt", two_worlds(200))
    _last_loss(text, tmp_path / "a", CharacterSettings(**SMALL))
    [model] = load_character_lms(tmp_path / "a")
    save_character_lms(tmp_path / "b", [model])
    [again] = load_character_lms(tmp_path / "b")
    numbers = torch.from_numpy(model.spell("\nfox digs")[None])
    with torch.no_grad():
        scores, _ = model(numbers, model.no_state(1))
        others, _ = again(numbers, again.no_state(1))
    assert np.array_equal(scores.numpy(), others.numpy())
