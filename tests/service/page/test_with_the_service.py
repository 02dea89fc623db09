"""The page with the real service and its security policy."""

from __future__ import annotations

import pytest

import innermost
from helpers.browser import faults, selected_text
from helpers.chromium import Tab
from helpers.running_server import RunningServer

TEXT = (
    "The human interleukin-2 receptor alpha chain gene promoter is bound by NF-kappa B 🧬 in "
    "activated T lymphocytes.\n\nJurkat cells with a GATA-3 expression vector produced IL-5 mRNA."
)


@pytest.mark.parametrize("model", ["genia", "litbank"])
def test_what_the_model_finds_is_drawn(server: RunningServer, tab: Tab, model: str) -> None:
    tab.open(f"http://127.0.0.1:{server.port}/")
    tab.until("document.querySelector('#model').options.length >= 2")
    tab.run(f"document.querySelector('#model').value = {model!r}")
    tab.run("document.querySelector('#text').focus()")
    tab.insert(TEXT)
    tab.until("document.querySelector('#status').textContent.endsWith('ms')")
    document = innermost.load(model)(TEXT)
    shown = tab.run("document.querySelector('#count').textContent")
    assert shown.split()[0] == str(len(document.entities))
    marks = tab.run(
        "[...document.querySelectorAll('mark')].map((m) => [m.dataset.type, m.textContent])"
    )
    whole = [[e.label, e.text] for e in document.entities]
    assert marks == whole
    assert selected_text(tab, "#drawn") == TEXT
    assert faults(tab) == []
    assert tab.complaints() == []


def test_a_text_that_is_too_long_is_reported(server: RunningServer, tab: Tab) -> None:
    tab.open(f"http://127.0.0.1:{server.port}/")
    tab.until("document.querySelector('#model').options.length")
    tab.run("document.querySelector('#text').value = 'long text '.repeat(40000)")
    tab.run("document.querySelector('button.main').click()")
    tab.until("document.querySelector('#error').textContent")
    assert "300000" in tab.run("document.querySelector('#error').textContent").replace(",", "")
