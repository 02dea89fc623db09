"""``model.toml``: refused contents."""

from __future__ import annotations

from pathlib import Path

import pytest

from innermost.errors import ModelError
from innermost.model_folder.contents import CARD
from innermost.model_folder.info import FILE, ModelInfo, info_bytes, read_info
from innermost.model_folder.installed import installed

GOOD = 'types = ["A", "B c"]\ntokenizer = "unicode"\n[encoder]\nkind = "wordchar"\n'


def _read(folder: Path, text: str | bytes) -> ModelInfo:
    (folder / FILE).write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_info(folder)


def test_a_good_one_is_read_and_written(tmp_path: Path) -> None:
    info = _read(tmp_path, GOOD)
    assert info.types == ["A", "B c"]
    assert _read(tmp_path, info_bytes(info)) == info


@pytest.mark.parametrize("name", installed())
def test_a_shipped_model_has_an_identity(name: str) -> None:
    info = read_info(installed()[name])
    assert info.name == name
    assert all((info.version, info.license, info.date, info.innermost))
    assert info.scores["test"]["f1"] > 0.5
    card = (installed()[name] / CARD).read_text(encoding="utf-8")
    assert card.startswith(f"# {name}")
    assert f"{100 * info.scores['test']['f1']:.2f}" in card


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"A"', '""', "not a name"),
        ('"A"', '" A"', "not a name"),
        ('"A"', r'"A\nB"', "not a name"),
        ('"A"', '"B c"', "'B c' twice"),
        ('"A", "B c"', "", "`types` is empty"),
        ('"A"', r'"\u001b[31mA"', "control characters"),
        ('"A"', r'"\u0000"', "control characters"),
        ('"A"', '"\u202eA"', "control characters"),
        ('"A"', "7", "Expected `str`"),
        ("[encoder]", r'[scores."\u001b[2J"]' + "\n[encoder]", "control characters"),
        ("[encoder]", r'[training]\nby = "\u0007"\n[encoder]'.replace(r"\n", "\n"), "control"),
        ("[encoder]", "temperature = nan\n[encoder]", "nan"),
        ("[encoder]", "temperature = inf\n[encoder]", "inf"),
        ("[encoder]", "temperature = 0.001\n[encoder]", "temperature"),
        ("[encoder]", "temperature = 1e-40\n[encoder]", "temperature"),
        ("[encoder]", "temperature = 101\n[encoder]", "temperature"),
        ("[encoder]", "temperature = -1\n[encoder]", "temperature"),
        ("[encoder]", "[scores]\nf1 = -inf\n[encoder]", "inf"),
        ("[encoder]", "[scores]\ndev = 0.5\n[encoder]", "`scores`: Expected `object`"),
        ("[encoder]", "[scores.dev]\nf1 = [1]\n[encoder]", r"`scores`: .*array.*f1"),
        ("[encoder]", "[scores.dev]\nbefore_export = 1\n[encoder]", "`scores`: .*before_export"),
        ("[encoder]", "[scores.dev]\ntypes = 3\n[encoder]", "`scores`: .*types"),
        ("[encoder]", "[training]\nfingerprints = 3\n[encoder]", "`training`: .*fingerprints"),
        ("[encoder]", f"x = {'9' * 5_000}\n[encoder]", "damaged"),
        ("[encoder]", f"x = {'[' * 5_000}\n[encoder]", "damaged"),
        ("[encoder]", f"x{'.a' * 5_000} = 1\n[encoder]", "too many dots"),
        ("[encoder]", "x = {" + "1." * 5_000 + "1 = 1}\n[encoder]", "too many dots"),
        ("types", "types = [\ntypes", "damaged"),
    ],
)
def test_what_it_must_not_say(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in GOOD
    with pytest.raises(ModelError, match=message):
        _read(tmp_path, GOOD.replace(old, new, 1))


def test_bytes_that_are_not_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"model\.toml is damaged"):
        _read(tmp_path, b"\xff\xfe")


def test_a_large_one_is_not_parsed(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="more than the 1,048,576 allowed"):
        _read(tmp_path, GOOD + "#" * (1 << 20))
