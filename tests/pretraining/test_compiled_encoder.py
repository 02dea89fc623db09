"""Compiled layers learn the same as others; if compiling fails, training continues."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import nn
from typer.testing import CliRunner

from innermost.cli.app import app
from innermost.errors import CheckpointError, InnermostWarning, UsageError
from innermost.parts.transformer.huggingface import load_pretrained
from innermost.pretraining.encoder import EncoderSettings, pretrain_encoder
from innermost.pretraining.events import Event, HeldOut
from innermost.pretraining.masked_lm import MaskedLM
from innermost.pretraining.settings import Execution
from innermost.pretraining.subword_text import SubwordText
from pretraining.pretraining_text import two_worlds, write_lines
from pretraining.tiny_encoder import write_tiny_encoder

_COMPILER = os.environ.get("CXX", "clang++" if sys.platform == "darwin" else "g++")
_HEADERS = Path(sysconfig.get_paths()["include"]) / "Python.h"
needs_compiler = pytest.mark.skipif(
    not (shutil.which(_COMPILER) and _HEADERS.exists()),
    reason="takes a C compiler and the headers of Python",
)


@pytest.fixture(autouse=True)
def nothing_compiled_before() -> None:
    """torch silently stops compiling code that it has compiled often."""
    torch.compiler.reset()


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "text.txt", two_worlds(120))


def _settings(folder: Path, **changed: Any) -> EncoderSettings:
    return EncoderSettings(
        init=str(folder), epochs=2, length=16, batch_tokens=256, **{"compile": True} | changed
    )


def _train(text: Path, out: Path, chosen: EncoderSettings, **options: Any) -> Iterator[Event]:
    return pretrain_encoder([text], out, chosen, Execution(device="cpu", **options))


def _weights(out: Path) -> dict[str, torch.Tensor]:
    return load_file(out / "model.safetensors") | load_file(out / "masked_head.safetensors")


def _compile_with(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = nn.Module.compile
    monkeypatch.setattr(nn.Module, "compile", lambda m, **given: real(m, backend=backend, **given))


@needs_compiler
def test_a_compiled_model_has_the_same_loss(tmp_path: Path) -> None:
    tiny = load_pretrained(str(write_tiny_encoder(tmp_path / "tiny", dropout=0.0)))
    coded = 2 * np.random.default_rng(1).integers(5, 40, (16, 14))
    batch = SubwordText(tiny).masked(coded, whole_words=False, generator=torch.Generator())
    model = MaskedLM(tiny.encoder)
    names = list(model.state_dict())
    expected = model(batch)
    model.compile_layers()
    found = model(batch)
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=0)
    for ours, theirs in zip(
        torch.autograd.grad(found, model.encoder.encoder.layer.parameters()),
        torch.autograd.grad(expected, model.encoder.encoder.layer.parameters()),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-4)
    assert list(model.state_dict()) == names


@needs_compiler
def test_a_compiled_run_ends_where_the_other_does(text: Path, tmp_path: Path) -> None:
    folder = write_tiny_encoder(tmp_path / "tiny", dropout=0.0)
    [*_, plain] = _train(text, tmp_path / "plain", _settings(folder, compile=False))
    [*_, compiled] = _train(text, tmp_path / "compiled", _settings(folder))
    assert isinstance(plain, HeldOut)
    assert isinstance(compiled, HeldOut)
    assert compiled.loss == pytest.approx(plain.loss, abs=1e-4)
    assert _weights(tmp_path / "compiled").keys() == _weights(tmp_path / "plain").keys()


@needs_compiler
def test_a_compiled_run_that_was_stopped_ends_with_the_same_result(
    text: Path, tmp_path: Path
) -> None:
    """With dropout, and with a last batch of an epoch that is smaller than the others."""
    chosen = _settings(write_tiny_encoder(tmp_path / "tiny"))
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    measured = list(_train(text, whole, chosen, save_every=0))
    steps = sum(isinstance(event, HeldOut) for event in measured)
    events = _train(text, parts, chosen, save_every=0)
    for _ in range(steps // 2 - 1):  # up to the smaller batch
        while not isinstance(next(events), HeldOut):
            pass
    events.close()
    assert list(_train(text, parts, chosen, resume=True))[-1] == measured[-1]
    for path in whole.iterdir():
        assert (parts / path.name).read_bytes() == path.read_bytes()


def test_compiled_code_runs_for_the_common_shape_alone(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the smaller batch at the end of an epoch nor held-out text is compiled for."""
    compiled: list[Any] = []
    rows: list[int] = []

    def backend(graph: Any, inputs: Any) -> Any:
        def run(*given: Any) -> Any:
            rows.append(next(len(g) for g in given if isinstance(g, torch.Tensor) and g.ndim == 3))
            return graph.forward(*given)

        compiled.append(graph)
        return run

    _compile_with(backend, monkeypatch)
    chosen = _settings(write_tiny_encoder(tmp_path / "tiny"))
    measured = list(_train(text, tmp_path / "out", chosen, save_every=0))
    steps = sum(isinstance(event, HeldOut) for event in measured)
    assert len(compiled) == 1
    layers, trial, smaller = 2, 1, chosen.epochs
    assert rows == [16] * layers * (trial + steps - smaller)


def test_where_nothing_can_be_compiled_training_goes_on(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(graph: Any, inputs: Any) -> Any:
        raise OSError("no compiler here")

    _compile_with(fail, monkeypatch)
    folder = write_tiny_encoder(tmp_path / "tiny")
    with pytest.warns(InnermostWarning, match=r"trained uncompiled.*no compiler here"):
        list(_train(text, tmp_path / "out", _settings(folder)))
    list(_train(text, tmp_path / "plain", _settings(folder, compile=False)))
    found, expected = _weights(tmp_path / "out"), _weights(tmp_path / "plain")
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in expected)


def test_an_encoder_without_a_list_of_layers_is_trained_as_it_is(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("innermost.pretraining.masked_lm.layer_prefix", lambda *_: "")
    chosen = _settings(write_tiny_encoder(tmp_path / "tiny"))
    with pytest.warns(InnermostWarning, match="no list of its layers"):
        list(_train(text, tmp_path / "out", chosen))
    assert (tmp_path / "out").is_dir()


def test_an_old_torch_is_told(text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.compiler, "set_stance")
    chosen = _settings(write_tiny_encoder(tmp_path / "tiny"))
    with pytest.raises(UsageError, match=r"--compile needs torch 2\.6"):
        list(_train(text, tmp_path / "out", chosen))


def test_resuming_notices_the_option(text: Path, tmp_path: Path) -> None:
    folder, out = write_tiny_encoder(tmp_path / "tiny"), tmp_path / "out"
    for event in _train(text, out, _settings(folder, compile=False), save_every=0):
        if isinstance(event, HeldOut):
            break
    with pytest.raises(CheckpointError, match="other settings"):
        list(_train(text, out, _settings(folder), resume=True))


@needs_compiler
def test_from_the_command_line(text: Path, tmp_path: Path) -> None:
    folder, out = write_tiny_encoder(tmp_path / "tiny"), tmp_path / "out"
    options = ["--init", str(folder), "--length", "16", "--batch-tokens", "256"]
    result = CliRunner().invoke(
        app,
        ["pretrain", "encoder", str(text), "--out", str(out), "--device", "cpu", "--compile"]
        + options,
    )
    assert result.exit_code == 0, result.output
    assert (out / "model.safetensors").is_file()
