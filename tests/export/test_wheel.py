"""Wheels of models: what is in them, and what an installation finds."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from email.parser import BytesParser
from pathlib import Path

import msgspec
import pytest

import innermost
from helpers.cli import Result, innermost_process, ok
from helpers.cli import innermost as run
from innermost.errors import ModelError, UsageError
from innermost.export.wheel import Package, write_wheel
from innermost.model_folder.info import FORMAT, SINCE, read_info, write_info
from innermost.model_folder.manifest import verify

TEXT = "The alpha gene of the north river bank NF-kB."
WHEEL = "innermost_model_legal_de-1.0-py3-none-any.whl"


@pytest.fixture(scope="module")
def wheel(random_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_wheel(
        random_folder,
        tmp_path_factory.mktemp("wheels"),
        Package("legal-de", "1.0", license="CC-BY-4.0", license_text=b"You may.\n"),
    )


def _unpack(wheel: Path, folder: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def _with_path(folder: Path) -> dict[str, str]:
    """The environment of a process that finds what is unpacked there."""
    source = Path(innermost.__file__).parent.parent
    return {"PYTHONPATH": os.pathsep.join([str(source), str(folder)])}


def test_the_record_lists_every_file_with_its_checksum(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        record = archive.read("innermost_model_legal_de-1.0.dist-info/RECORD").decode()
        rows = list(csv.reader(io.StringIO(record)))
        assert sorted(name for name, *_ in rows) == sorted(archive.namelist())
        for name, checksum, size in rows[:-1]:
            data = archive.read(name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert (checksum, int(size)) == (f"sha256={digest}", len(data))
    assert rows[-1] == ["innermost_model_legal_de-1.0.dist-info/RECORD", "", ""]


def test_metadata_has_a_floor_and_no_pin(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = BytesParser().parsebytes(
            archive.read("innermost_model_legal_de-1.0.dist-info/METADATA")
        )
    assert wheel.name == WHEEL
    assert metadata["Name"] == "innermost-model-legal-de"
    assert metadata["Requires-Dist"] == f"innermost>={SINCE[FORMAT]}"
    assert metadata["License-Expression"] == "CC-BY-4.0"
    assert "innermost_model_legal_de-1.0.dist-info/licenses/LICENSE" in names
    assert metadata.get_payload().startswith("# legal-de")
    assert not [name for name in names if name.endswith((".py", ".pth", ".so", ".safetensors"))]


def test_every_format_has_the_version_that_introduced_it() -> None:
    def numbers(version: str) -> list[int]:
        return [int(part) for part in version.split(".")[:3]]

    assert sorted(SINCE) == list(range(1, FORMAT + 1))
    assert all(numbers(v) <= numbers(innermost.__version__) for v in SINCE.values())


def test_the_same_model_gives_the_same_wheel(
    wheel: Path, random_folder: Path, tmp_path: Path
) -> None:
    again = write_wheel(
        random_folder,
        tmp_path,
        Package("legal-de", "1.0", license="CC-BY-4.0", license_text=b"You may.\n"),
    )
    assert again.read_bytes() == wheel.read_bytes()


def test_weights_are_included_when_asked_for(
    wheel: Path, random_folder: Path, tmp_path: Path
) -> None:
    heavy = write_wheel(random_folder, tmp_path, Package("heavy", "1.0"), weights=True)
    with zipfile.ZipFile(heavy) as archive:
        assert "innermost_model_heavy/heavy/weights.safetensors" in archive.namelist()
    verify(_unpack(heavy, tmp_path / "heavy") / "innermost_model_heavy" / "heavy")
    verify(_unpack(wheel, tmp_path / "light") / "innermost_model_legal_de" / "legal-de")


def test_what_pip_installs_is_found_and_predicts_the_same_without_import(
    wheel: Path, random_folder: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pip", reason="installs with pip")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet"]
        + ["--disable-pip-version-check", "--target", str(tmp_path), str(wheel)],
        check=True,
    )
    script = f"""
import json, sys
import innermost
nlp = innermost.load("legal-de")
print(json.dumps([nlp.name, nlp({TEXT!r}).to_dict(),
                  [m for m in sys.modules if m.startswith("innermost_model")]]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **_with_path(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    name, document, imported = json.loads(done.stdout)
    assert (name, imported) == ("legal-de", [])
    expected = innermost.load(random_folder)(TEXT).to_dict()
    assert expected["entities"]
    assert document == expected


def test_models_lists_it_and_checks_its_files(wheel: Path, tmp_path: Path) -> None:
    def models(*options: str) -> tuple[Result, dict[str, object]]:
        done = innermost_process("models", "--json", *options, env=_with_path(tmp_path))
        (model,) = (m for m in done.json["models"] if m["name"] == "legal-de")
        return done, model

    _unpack(wheel, tmp_path)
    done, model = models("--check")
    assert (done.code, model["problem"]) == (0, None)
    assert model["package"] == "innermost-model-legal-de 1.0"
    vocabulary = tmp_path / "innermost_model_legal_de" / "legal-de" / "vocabulary.json"
    vocabulary.write_bytes(vocabulary.read_bytes().replace(b"gene", b"jean"))
    assert models()[0].code == 0
    done, model = models("--check")
    assert done.code == 1
    assert "vocabulary.json is damaged" in str(model["problem"])


def test_two_packages_with_one_name_are_an_error_that_names_both(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _unpack(wheel, tmp_path)
    metadata = _unpack(wheel, tmp_path / "second") / "innermost_model_legal_de-1.0.dist-info"
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: rival\nVersion: 2.0\n")
    metadata.rename(metadata.with_name("rival-2.0.dist-info"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "second")
    with pytest.raises(ModelError, match=r"innermost-model-legal-de 1\.0") as caught:
        innermost.load("legal-de")
    assert "rival 2.0" in str(caught.value)
    innermost.load("english")  # is not affected
    listed = run("models", "--json")
    assert listed.code == 1
    problems = [m["problem"] for m in listed.json["models"] if m["name"] == "legal-de"]
    assert len(problems) == 2
    assert all(problems)


def test_a_package_without_its_model_is_an_error(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _unpack(wheel, tmp_path)
    (tmp_path / "innermost_model_legal_de").rename(tmp_path / "moved")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModelError, match=r"install innermost-model-legal-de 1\.0 again"):
        innermost.load("legal-de")
    assert run("models").code == 1


@pytest.mark.parametrize(
    ("package", "message"),
    [
        (("Legal De", "1.0"), "cannot be the name"),
        (("../evil", "1.0"), "cannot be the name"),
        (("legal.de", "1.0"), "cannot be the name"),  # the same package as legal-de
        (("legal_de", "1.0"), "cannot be the name"),
        (("english", "1.0"), "comes with innermost"),
        (("mine", "one"), "not a version"),
        (("mine", "1.0\nName: other"), "not a version"),
        (("mine", "1.0", "MIT\nName: other"), "not a license"),
        (("mine", "1.0", "Foo License"), "not a license expression"),
    ],
)
def test_wrong_names_versions_and_licenses(package: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Package(*package)


def test_the_card_agrees_with_the_wheel_and_keeps_what_people_wrote(
    toy_model: Path, tmp_path: Path
) -> None:
    def card_of(folder: Path, package: Package) -> str:
        wheel = _unpack(write_wheel(folder, tmp_path, package), tmp_path / package.version)
        model = wheel / package.module / package.name
        verify(model)
        text = (model / "README.md").read_text()
        metadata = f"{package.module}-{package.version}.dist-info"
        assert (wheel / metadata / "METADATA").read_text().endswith(f"\n\n{text}")
        return text

    lines = {
        "# A model for nested entities": "# gum",
        "| version | not stated |": "| version | 1.0 |",
        "| license | not stated: `license` in model.toml is empty |": "| license | MIT |",
        'Use it from its folder: `innermost predict --model FOLDER "Some text."`': "Use it by its "
        'name: `innermost predict --model gum "Some text."`',
    }
    expected = (toy_model / "README.md").read_text()
    for old, new in lines.items():
        assert expected.count(old) == 1
        expected = expected.replace(old, new)
    assert card_of(toy_model, Package("gum", "1.0", license="MIT")) == expected

    again = tmp_path / "1.0" / "innermost_model_gum" / "gum"
    edited = expected.replace("| license | MIT |", "| license | MIT, as agreed |")
    (again / "README.md").write_text(edited.replace("## Data", "## Data\n\n| version | 1.0 |"))
    text = card_of(again, Package("gum2", "2.0"))
    assert text.startswith("# gum2\n\nFinds ORG")
    assert "| version | 2.0 |\n| license | MIT, as agreed |" in text
    assert "Use it by its name: `innermost predict --model gum2 " in text
    assert "## Data\n\n| version | 1.0 |" in text  # not a generated line


def test_a_damaged_model_is_not_packaged_but_its_card_may_be_edited(
    random_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    with zipfile.ZipFile(write_wheel(random_folder, tmp_path, Package("mine", "1.0"))) as archive:
        archive.extractall(tmp_path / "unpacked")
    (tmp_path / "unpacked" / "innermost_model_mine" / "mine").rename(folder)
    (folder / "README.md").write_text("# Mine\n\nNames of rivers.\n")
    done = ok("package", folder, "--name", "mine", "--version", "2.0", "--out", tmp_path, "--json")
    assert "--license" in done.err
    with zipfile.ZipFile(done.json["wheel"]) as archive:
        metadata = archive.read("innermost_model_mine-2.0.dist-info/METADATA").decode()
    assert "Summary: Names of rivers.\n" in metadata
    (folder / "vocabulary.json").write_text("{}")
    done = run("package", folder, "--name", "mine", "--version", "3.0", "--out", tmp_path)
    assert done.code == 1
    assert "vocabulary.json is damaged" in done.err
    assert not list(tmp_path.glob("*-3.0-*"))


def test_package_warns_of_the_license_of_the_start_model(
    random_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(random_folder, folder)
    origin = {"start": {"name": "multilingual", "license": "CC-BY-SA-4.0"}}
    write_info(folder, msgspec.structs.replace(read_info(folder), training=origin))
    named = ("--name", "mine", "--version", "2.0", "--out", tmp_path)
    assert "warning: the wheel states MIT" in ok("package", folder, *named, "--license=MIT").err
    assert "warning" not in ok("package", folder, *named, "--license=CC-BY-SA-4.0").err


def test_a_wheel_has_the_license_that_the_model_states(random_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(random_folder, folder)
    write_info(folder, msgspec.structs.replace(read_info(folder), license="CC-BY-SA-4.0"))
    named = ("package", folder, "--name", "mine", "--version", "2.0", "--out", tmp_path, "--json")
    other = run(*named, "--license", "MIT")
    assert other.code == 2
    assert "the model states the license CC-BY-SA-4.0, not MIT" in other.err
    assert "`license` in " in other.err
    assert not list(tmp_path.glob("*.whl"))
    for license in ((), ("--license", "CC-BY-SA-4.0")):
        with zipfile.ZipFile(ok(*named, *license).json["wheel"]) as archive:
            metadata = archive.read("innermost_model_mine-2.0.dist-info/METADATA").decode()
        assert "License-Expression: CC-BY-SA-4.0\n" in metadata


def test_a_wheel_with_other_contents_is_not_replaced_silently(
    random_folder: Path, tmp_path: Path
) -> None:
    package = ("package", random_folder, "--name", "mine", "--version", "1.0", "--out", tmp_path)
    assert "replaced" not in ok(*package).err
    assert "replaced" not in ok(*package).err
    assert "mine-1.0-py3-none-any.whl, which had other contents" in ok(*package, "--weights").err


@pytest.mark.parametrize("word", ["quantized ", "quantized, "])
def test_a_long_summary_is_cut_after_a_word(random_folder: Path, tmp_path: Path, word: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(random_folder, folder)
    (folder / "README.md").write_text(f"# Mine\n\n{50 * word}\n")
    with zipfile.ZipFile(write_wheel(folder, tmp_path, Package("mine", "1.0"))) as archive:
        metadata = archive.read("innermost_model_mine-1.0.dist-info/METADATA").decode()
    (summary,) = re.findall("^Summary: (.*)$", metadata, re.MULTILINE)
    assert 280 < len(summary) <= 300
    assert summary.endswith(" quantized…")
