"""Fixtures for tests in a real browser: the system's chromium. No browser is downloaded."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

PATIENCE = 30_000  # milliseconds; long, because the machine may be busy


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path)
        yield running
        running.close()


@pytest.fixture
def new_context(browser: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that opens a browser session with Playwright's options. All are closed after the test."""
    opened: list[Any] = []

    def open_context(**options: Any) -> Any:
        opened.append(browser.new_context(**options))
        opened[-1].set_default_timeout(PATIENCE)
        return opened[-1]

    yield open_context
    for context in opened:
        context.close()


@pytest.fixture
def context(new_context: Callable[..., Any]) -> Any:
    return new_context()
