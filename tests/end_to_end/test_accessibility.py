"""axe-core's rules (WCAG 2.2, levels A and AA, and good practice) on every kind of page: no serious findings.

axe-core is not a dependency: `make axe` fetches it with npm into node_modules, and without it these tests are skipped.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.rendering.pages import write_page
from tests.docs.running import run

from .rating import make_campaign, serving, serving_several

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
  .filter(({impact}) => ["serious", "critical"].includes(impact))
  .flatMap(({id, nodes}) => nodes.map(({html}) => `${id}: ${html.slice(0, 150)}`))"""
# The names of all controls that can be used; the keyboard reaches one radio button of those with one name.
CONTROLS = """() => {
  const selector = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  window.nameOf = one => one.type === "radio" ? `radio ${one.name}`
    : [one.tagName, one.getAttribute("href"), one.id, one.name, one.ariaLabel, one.textContent.slice(0, 40)].join(" ");
  const usable = one => !one.disabled && one.tabIndex >= 0 && one.checkVisibility({visibilityProperty: true});
  return [...document.querySelectorAll(selector)].filter(usable).map(nameOf);
}"""
# The name of what has the focus, and whether that is seen.
FOCUSED = """() => {
  const one = document.activeElement, style = getComputedStyle(one);
  return [nameOf(one), one === document.body || style.outlineStyle !== "none" || style.boxShadow !== "none"];
}"""
MOST = 100  # controls that are visited
pytestmark = pytest.mark.xdist_group("report")


def serious(tab: Any) -> list[str]:
    """Return the findings that axe-core calls serious or critical. Skips the test if axe-core is not there."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: make axe")
    tab.evaluate(AXE.read_text("utf-8"))
    found: list[str] = tab.evaluate(SERIOUS)
    return found


def check_keyboard(tab: Any) -> None:
    """Check that Tab alone reaches every control of a page and shows where it is."""
    tab.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    left = set(tab.evaluate(CONTROLS)[:MOST])
    for _ in range(3 * MOST):  # lists of segments get longer while they are scrolled
        tab.keyboard.press("Tab")
        name, is_shown = tab.evaluate(FOCUSED)
        assert is_shown, name
        left.discard(name)
        if not left:
            return
    assert left == set()


def check_views(tab: Any) -> None:
    """Check that a page has no serious finding and fits, on a wide and a narrow screen, light and dark."""
    check_keyboard(tab)
    for width, scheme in ((1400, "light"), (390, "light"), (390, "dark"), (1400, "dark")):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.emulate_media(color_scheme=scheme)
        assert serious(tab) == [], (width, scheme)
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, scheme)


def test_the_report(visit: Any, tmp_path: Path) -> None:
    found = tercet.report(tercet.demo("en-de"), ["chrf", "meteor"], resamples=200)
    found.write(tmp_path / "report.html")
    tab = visit(tmp_path / "report.html")
    tab.locator("#app[aria-busy=false]").wait_for()
    for summary in tab.locator("summary:visible").all():
        summary.click()
    assert serious(tab) == []
    tab.get_by_label("Marks").select_option("METEOR")
    check_views(tab)
    tab.keyboard.press("?")
    assert serious(tab) == []


@pytest.mark.parametrize("page", ["one", "since", "scripts", "entities", "triage"])
def test_pages_of_segments(visit: Any, tmp_path: Path, page: str) -> None:
    path = tmp_path / "page.html"
    texts = tercet.demo("en-de")
    if page == "one":
        tercet.report(replace(texts, outputs={"Cedar": texts.outputs["Cedar"]}), ["chrf", "bleu"]).write(path)
    elif page == "since":
        tercet.report(texts, "chrf", marks=0).write(tmp_path / "old.html")
        tercet.report(texts, ["chrf", "bleu"], marks=0, baseline=str(tmp_path / "old.html")).write(path)
    elif page == "scripts":  # from right to left, and without spaces
        outputs = {"a": ["مرحبا بالعالم", "我们去看海。"], "b": ["مرحبا", "我们看海"]}
        mixed = tercet.TestSet(outputs, {"r": ["أهلا بالعالم", "我们去看大海。"]}, ["שלום עולם", "海を見に行く"])
        tercet.report(mixed, ["chrf", "bleu:tokenize=char"]).write(path)
    else:
        assert run(["demo", "--write", "."], folder=tmp_path).code == 0
        words = {
            "entities": "entities -s src.txt -i Cedar.txt Birch.txt -l en-de --html page.html",
            "triage": "qe rank triage src.txt Cedar.txt -l en-de -f html -o page.html",
        }[page]
        found = run(words.split(), folder=tmp_path)
        assert found.code == 0, found.stderr
    tab = visit(path)
    tab.locator("#app[aria-busy=false]").wait_for()
    check_views(tab)


def test_the_page_of_reproduce(visit: Any, tmp_path: Path) -> None:
    assert run(["reproduce", "thesis", "--table", "4.9", "--html", "page.html", "-q"], folder=tmp_path).code == 0
    tab = visit(tmp_path / "page.html")
    for summary in tab.locator("summary").all():
        summary.click()
    check_views(tab)


def test_pages_with_figures_and_segments(visit: Any, tmp_path: Path) -> None:
    from .test_pages_in_browser import example_page

    write_page(tmp_path / "page.html", example_page())
    check_views(visit(tmp_path / "page.html"))


@pytest.mark.parametrize("protocol", ["da", "mqm", "ranking", "adequacy", "effort", "esa", "pairwise"])
def test_the_pages_of_the_rating_server(new_context: Callable[..., Any], tmp_path: Path, protocol: str) -> None:
    with serving(*make_campaign(protocol), tmp_path) as site:
        tab = new_context().new_page()
        tab.goto(site.link())
        check_views(tab)
        tab.keyboard.press("Enter")
        check_views(tab)
        tab.goto(f"{site.url}/organiser")
        check_views(tab)
        site.answer_all()
        tab.goto(f"{site.url}/o/{site.tokens.organiser}")
        check_views(tab)
        with tab.expect_download() as download:
            tab.get_by_role("link", name="report").click()
        download.value.save_as(tmp_path / "report.html")
        tab.goto((tmp_path / "report.html").as_uri())
        assert tab.get_by_role("heading", level=1).inner_text().startswith("Rating results: Test of")
        check_views(tab)


def test_the_overview_of_campaigns(new_context: Callable[..., Any], tmp_path: Path) -> None:
    made = {name: make_campaign(name, id=name) for name in ("da", "ranking")}
    with serving_several(made, tmp_path) as sites:
        sites["da"].answer_all()
        tab = new_context().new_page()
        for site in sites.values():
            tab.goto(f"{site.url}/o/{site.tokens.organiser}")
            tab.goto(f"{site.url}/organiser")
            check_views(tab)
