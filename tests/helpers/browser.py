"""Fixtures with a real browser, and measurements of nested boxes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from helpers.chromium import EXECUTABLE, Browser, Tab

needs_chromium = pytest.mark.skipif(
    EXECUTABLE is None, reason="no Chromium: apt-get install chromium"
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if EXECUTABLE is None:
        pytest.skip("no Chromium: apt-get install chromium")
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def only_tab(browser: Browser) -> Iterator[Tab]:
    tab = browser.tab()
    yield tab
    tab.close()


@pytest.fixture
def tab(only_tab: Tab) -> Tab:
    """One tab for all tests, reset each time: a new one takes longer than most tests."""
    only_tab.reset()
    return only_tab


_FAULTS = """
((root) => {
  const faults = [], slack = 0.6;
  // What is not seen is not laid out.
  const chunks = root.querySelectorAll(".innermost-text > span");
  for (const chunk of chunks) chunk.style.contentVisibility = "visible";
  const name = (mark) => `${mark.dataset.type} "${mark.textContent.slice(0, 30)}"`;
  const marks = [...root.querySelectorAll(".innermost-text mark:not(.off)")];
  const boxes = new Map(marks.map((mark) =>
    [mark, [...mark.getClientRects()].filter((box) => box.width > 0 && box.height > 0)]));
  const inside = (a, b) => a.left >= b.left - slack && a.right <= b.right + slack
    && a.top >= b.top - slack && a.bottom <= b.bottom + slack;
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > slack
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > slack;
  for (const [i, mark] of marks.entries()) {
    if (!boxes.get(mark).length) faults.push(`${name(mark)} has no box`);
    const parent = mark.parentElement.closest("mark:not(.off)");
    const chunk = mark.closest(".innermost-text > span").getBoundingClientRect();
    for (const box of boxes.get(mark)) {
      if (parent && !boxes.get(parent).some((other) => inside(box, other)))
        faults.push(`${name(mark)} sticks out of ${name(parent)}`);
      if (!inside(box, chunk)) faults.push(`${name(mark)} sticks out of the text`);
    }
    for (const other of marks.slice(i + 1))
      if (!mark.contains(other))
        for (const box of boxes.get(mark))
          if (boxes.get(other).some((second) => overlap(box, second)))
            faults.push(`${name(mark)} overlaps ${name(other)}`);
  }
  for (const chunk of chunks) chunk.style.contentVisibility = "";
  return faults;
})
"""


def faults(tab: Tab, root: str = "body") -> list[str]:
    """Boxes that stick out of the box around them or overlap another, on any line."""
    found: list[str] = tab.run(f"{_FAULTS}(document.querySelector({root!r}))")
    return found


def selected_text(tab: Tab, element: str) -> str:
    """The text copied by a user who selects all of an element."""
    text: str = tab.run(
        f"(getSelection().selectAllChildren(document.querySelector({element!r})),"
        " getSelection().toString())"
    )
    return text
