"""The changes that mutation testing makes."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("resource", reason="the tool limits processes as Unix does")

from mutants import mutants

CODE = '''
"""A module."""
__all__ = ["f"]
LIMIT: int = 3


def f(x: int | None) -> bool:
    """A function."""
    if x is None or x < LIMIT:
        raise ValueError("no")
    return x + 1 > 0
'''


def test_each_mutant_has_one_change(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(CODE, encoding="utf-8")
    found = {(mutant.line - 1, mutant.change) for mutant in mutants(file)}
    assert found == {
        (3, "3 -> 4"),
        (8, "not x is None or x < LIMIT"),
        (8, "Or -> And"),
        (8, "Is -> IsNot"),
        (8, "Lt -> LtE"),
        (8, "Lt -> GtE"),
        (9, "without raise ValueError('no')"),
        (10, "return None"),
        (10, "Gt -> GtE"),
        (10, "Gt -> LtE"),
        (10, "Add -> Sub"),
        (10, "1 -> 2"),
        (10, "0 -> 1"),
    }


def test_a_mutant_runs(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("def f(x):\n    return x < 2\n", encoding="utf-8")
    answers = {}
    for mutant in mutants(file):
        names: dict = {}
        exec(mutant.code, names)
        answers[mutant.change] = [names["f"](x) for x in (1, 2, 3)]
    assert answers == {
        "return None": [None] * 3,
        "Lt -> LtE": [True, True, False],
        "Lt -> GtE": [False, True, True],
        "2 -> 3": [True, True, False],
    }
