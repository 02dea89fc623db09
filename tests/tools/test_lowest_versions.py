"""The lowest allowed versions, of requirements written for this test."""

from __future__ import annotations

import pytest

pytest.importorskip("packaging")

from lowest_versions import lowest_versions, main


def test_the_highest_lower_limit_that_applies() -> None:
    requirements = [
        "numpy>=1.26",
        "numpy>=2.1; python_version >= '3.0'",
        "numpy>=9; python_version < '3.0'",
        "Some_Package>=1.2,<3; extra == 'train'",
        "left>=4; extra == 'other'",
        "free",
        "innermost[train]; extra == 'train'",
    ]
    found = lowest_versions(requirements, ["", "train"])
    assert {name: str(version) for name, version in found.items()} == {
        "numpy": "2.1",
        "some-package": "1.2",
    }


def test_those_of_this_package(capsys: pytest.CaptureFixture[str]) -> None:
    main(["Torch"])
    names = [line.partition("==")[0] for line in capsys.readouterr().out.splitlines()]
    assert {"numpy", "onnxruntime", "spacy", "pytest"} <= set(names)
    assert "torch" not in names
    assert names == sorted(set(names))
