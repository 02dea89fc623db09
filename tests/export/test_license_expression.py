"""License expressions: only their syntax is checked."""

from __future__ import annotations

import pytest

from innermost.export.license_expression import is_license_expression


@pytest.mark.parametrize(
    "text",
    [
        "MIT",
        "CC-BY-SA-4.0",
        "GPL-2.0+",
        "LicenseRef-Ours",
        "MIT OR Apache-2.0 AND CC-BY-4.0",
        "GPL-2.0-or-later WITH Classpath-exception-2.0 OR MIT",
        "((MIT AND (CC0-1.0)) OR LicenseRef-Ours-1.0)",
    ],
)
def test_expressions(text: str) -> None:
    assert is_license_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Foo License",
        "MIT, Apache-2.0",
        "MIT or Apache-2.0",
        "MIT OR",
        "AND",
        "()",
        "(MIT",
        "MIT)",
        "(MIT) (MIT)",
        "(MIT OR CC0-1.0) WITH Classpath-exception-2.0",
        "MIT WITH MIT WITH MIT",
        "MIT\nOR MIT",
        "MIT_2",
    ],
)
def test_other_texts(text: str) -> None:
    assert not is_license_expression(text)
