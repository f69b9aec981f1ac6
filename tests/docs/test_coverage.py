"""Every metric and every command has its page; every page is in the navigation; every link leads somewhere."""

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

import tercet
from tercet import metrics
from tercet.cli import COMMANDS

from .running import ROOT, run

DOCS = ROOT / "docs"
LINK = re.compile(r"(?<!!)\[[^\]]+\]\((?!https?://|#)([^)#\s]+)(?:#[^)]*)?\)")


def navigation() -> list[str]:
    def leaves(entry: Any) -> Iterator[str]:
        if isinstance(entry, str):
            yield entry
        else:
            for value in entry.values() if isinstance(entry, dict) else entry:
                yield from leaves(value)

    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    return list(leaves(settings["nav"]))


def test_the_navigation_has_every_page_once_and_nothing_else() -> None:
    pages = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
    assert sorted(navigation()) == pages


@pytest.mark.parametrize("name", metrics.names())
def test_every_metric_has_its_page_with_all_its_parameters(name: str) -> None:
    page = (DOCS / "metrics" / f"{name}.md").read_text("utf-8")
    for parameter in fields(metrics.create(name)):
        if parameter.init:
            assert f"`{parameter.name}`" in page
    assert f"metrics/{name}.md" in navigation()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_page_with_all_its_options(name: str) -> None:
    page = (DOCS / "commands" / f"{name}.md").read_text("utf-8")
    assert f"commands/{name}.md" in navigation()
    shown = set(re.findall(r"^  (?:-\w+, )?(--[\w-]+)", run([name, "--help"]).out, re.MULTILINE)) - {"--help"}
    assert not {option for option in shown if option not in page}


def test_tables_of_options_are_those_of_the_declarations() -> None:
    spec = importlib.util.spec_from_file_location("option_tables", ROOT / "scripts" / "update_option_tables.py")
    assert spec is not None and spec.loader is not None
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    found = tables.pages()
    assert {page.stem for page, _, _ in found} >= {"score", "compare", "report", "meta"}
    for page, text, wanted in found:
        assert text == wanted, f"{page.name}: run scripts/update_option_tables.py"


@pytest.mark.parametrize("path", [*sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("*.md"))], ids=lambda path: path.name)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    # The live pages are made when the site is built.
    targets = [each for each in LINK.findall(path.read_text("utf-8")) if not each.startswith("gallery/")]
    assert not [target for target in targets if not (path.parent / target).exists()]


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="mkdocs-material is not installed")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "commands" / "verify" / "index.html").exists()
    live = re.findall(r"\((gallery/[\w.]+)\)", (DOCS / "gallery.md").read_text("utf-8"))
    assert len(live) >= 5
    for page in live:
        assert (tmp_path / page).stat().st_size > 10_000
    look_at_the_site(tmp_path)


def look_at_the_site(folder: Path) -> None:
    """Check in a browser, if there is one, that a search for "install" begins with that page and no block is cut."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if (chromium := shutil.which("chromium") or shutil.which("chromium-browser")) is None:
        pytest.skip("there is no chromium")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return None

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with playwright.sync_playwright() as driver:
            tab = driver.chromium.launch(executable_path=chromium).new_page(viewport={"width": 390, "height": 900})
            tab.set_default_timeout(60_000)
            address = f"http://127.0.0.1:{server.server_port}"
            tab.goto(f"{address}/commands/compare/")
            hidden = "e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === 'hidden'"
            cut = f"all => all.filter(e => {hidden}).length"
            assert tab.locator("pre code").evaluate_all(cut) == 0
            tab.set_viewport_size({"width": 1300, "height": 900})
            tab.locator("input.md-search__input").fill("install")
            found = tab.locator(".md-search-result__item > a")
            found.first.wait_for(state="attached")
            assert found.first.get_attribute("href").removeprefix(address).split("?")[0].strip("./") == "install"
        server.shutdown()


def test_the_changelog_has_the_current_version() -> None:
    assert f"## [{tercet.__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")
