"""Fixtures for tests in a real browser: the system's chromium. No browser is downloaded."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 30_000  # milliseconds; long, because the machine may be busy


@pytest.fixture(scope="package")  # not longer: Playwright's event loop would disturb tests of the server
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
def visit(context: Any) -> Iterator[Any]:
    """Open files from disk. Afterwards there were no requests but for them, and nothing on the console."""
    requests: list[str] = []
    trouble: list[str] = []
    opened: list[str] = []

    def open_file(path: Path, address: str = "") -> Any:
        tab = context.new_page()
        tab.on("request", lambda request: requests.append(request.url))
        tab.on("console", lambda message: trouble.append(message.text))
        tab.on("pageerror", lambda error: trouble.append(str(error)))
        opened.append(path.as_uri())
        tab.goto(path.as_uri() + address, wait_until="networkidle")
        return tab

    yield open_file
    context.close()
    assert {request.partition("#")[0] for request in requests if not request.startswith("blob:")} <= set(opened)
    assert not trouble


@pytest.fixture
def context(new_context: Callable[..., Any]) -> Any:
    return new_context()
