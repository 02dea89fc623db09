"""The files of the page: all of them are served, and they refer to each other by relative URLs."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from importlib.resources import files
from pathlib import Path

import pytest

from innermost.service.web.assets import PAGE, POLICY

PACKAGE = Path(str(files("innermost")))
FOLDER = PACKAGE / "service" / "page"
SCRIPTS = sorted(path for path in PAGE if path.endswith(".js"))
_IMPORT = re.compile(r'^import\s+(?:\{[^}"]*\}\s+from\s+)?"([^"]+)";$', re.MULTILINE)


def source(path: str) -> str:
    return (PACKAGE / PAGE[path][0]).read_text(encoding="utf-8")


def imports(script: str) -> list[str]:
    """The paths of the modules that a module imports."""
    return [f"/{name.removeprefix('./')}" for name in _IMPORT.findall(source(script))]


def test_every_file_of_the_folder_is_served() -> None:
    present = {path.relative_to(PACKAGE).as_posix() for path in FOLDER.rglob("*") if path.is_file()}
    served = {name for name, _ in PAGE.values()}
    assert served == present | {"rendering/entities.css"}


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_imported_module_is_served(script: str) -> None:
    assert PAGE[script] == (f"service/page{script}", "text/javascript; charset=utf-8")
    assert not set(imports(script)) - set(SCRIPTS)
    code = source(script)
    # Every import has the form that is understood here, and works behind a path prefix.
    assert len(re.findall(r"\bimport\b", code)) == len(_IMPORT.findall(code))
    assert all(name.startswith("./") for name in _IMPORT.findall(code))
    assert not re.search(r"^export\b.*\bfrom\b", code, re.MULTILINE)


def test_every_module_is_used_and_none_imports_itself() -> None:
    graph = {script: imports(script) for script in SCRIPTS}
    order = list(TopologicalSorter(graph).static_order())  # raises an error if there is a cycle
    used = {"/page.js"}
    for script in reversed(order):
        if script in used:
            used.update(graph[script])
    assert used == set(SCRIPTS)


def test_what_the_page_refers_to_is_served() -> None:
    references = re.findall(r'(?:src|href)="([^"#]+)"', source("/"))
    loaded = [name for name in references if not name.startswith("data:")]
    assert sorted(loaded) == ["entities.css", "page.css", "page.js"]
    assert {f"/{name}" for name in loaded} <= set(PAGE)


def test_only_scripts_of_the_service_run() -> None:
    assert "script-src 'self';" in POLICY
    assert re.findall(r"<script[^>]*>", source("/")) == ['<script type="module" src="page.js">']
