"""License expressions of SPDX, as in ``License-Expression`` of a package (PEP 639)."""

from __future__ import annotations

import re

_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*\+?")
_SIGNS = frozenset(("(", ")", "AND", "OR", "WITH"))
_COMPOUND = re.compile(r"\( x \)|x (?:AND|OR) x")


def is_license_expression(text: str) -> bool:
    """Whether it has the syntax of one; which identifiers exist is not known here."""
    words = text.replace("(", " ( ").replace(")", " ) ").split(" ")
    shape = " ".join(_shape(word) for word in words if word).replace("x WITH x", "x")
    before = ""
    while shape != before:
        shape, before = _COMPOUND.sub("x", shape), shape
    return shape == "x"


def _shape(word: str) -> str:
    if word in _SIGNS:
        return word
    return "x" if _IDENTIFIER.fullmatch(word) else "?"
