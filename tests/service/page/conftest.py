"""The page in a real browser, with a service that gives known answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from helpers.browser import browser, only_tab, tab  # noqa: F401
from helpers.chromium import Tab
from helpers.page import TYPES, Page, extract
from helpers.stub_service import StubService


@pytest.fixture
def service() -> Iterator[StubService]:
    models = [
        {"name": "genes", "types": TYPES, "default": True},
        {"name": "other", "types": ["X"], "default": False},
    ]
    service = StubService(models, extract)
    yield service
    service.close()


@pytest.fixture
def page(tab: Tab, service: StubService) -> Page:  # noqa: F811
    page = Page(tab, service)
    page.open()
    return page
