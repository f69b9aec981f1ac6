"""Pages and figures in a real browser, opened from disk: nothing is fetched, tables sort, hostile names stay text."""

import math
from pathlib import Path
from typing import Any

import pytest

from tercet.rendering.charts import top_n_curves
from tercet.rendering.document import Document, Heading, Picture, Pre, Table
from tercet.rendering.figures import scatter
from tercet.rendering.pages import write_page
from tercet.rendering.tables import Bold
from tests.docs.running import run

HOSTILE = '<b id="evil">"x"</b></script><script>window.evil = 1</script><img src="http://evil.invalid/x">'
ROWS = [["b", "10", "1,234"], ["a10", "−2", "900"], ["a9", "–", "21,862"], [HOSTILE, ".5", "7"]]


def figure_with_a_hostile_name() -> Any:
    gold = {"a": 1.0, "b": 2.0, "c": 3.0, HOSTILE: 0.0}
    return scatter(gold, gold, gold_label="DA", metric_label="BLEU", outliers=[HOSTILE], title=HOSTILE)


def example_page() -> Document:
    figure = figure_with_a_hostile_name()
    classes = [["", "good", ""], ["", "bad", ""], ["", "unchecked", ""], ["", "near", "inside"]]
    table = Table(["name", "value", "n"], ROWS, "Scores", classes)
    parts = [Heading("Table"), HOSTILE, table, Heading("Figure"), Picture(figure, HOSTILE), Picture(figure),
             Heading("Output", level=3), Pre(HOSTILE)]  # fmt: skip
    return Document(parts, "A page")


@pytest.fixture
def page_file(tmp_path: Path) -> Path:
    write_page(tmp_path / "page.html", example_page())
    return tmp_path / "page.html"


def column(tab: Any, at: int) -> list[str]:
    cells = tab.locator(f"tbody tr td:nth-child({at})").all()
    return [cell.text_content().strip(" ✓✗?≈±") for cell in cells]


def directions(tab: Any) -> list[str]:
    return [head.get_attribute("aria-sort") for head in tab.locator("th").all()]


def test_a_click_sorts_numbers_up_then_down_then_back(visit: Any, page_file: Path) -> None:
    tab = visit(page_file)
    assert directions(tab) == ["none", "none", "none"]
    button = tab.get_by_role("button", name="value")
    button.click()
    assert column(tab, 2) == ["−2", ".5", "10", "–"]
    assert column(tab, 1) == ["a10", HOSTILE, "b", "a9"]  # rows move whole
    assert directions(tab) == ["none", "ascending", "none"]
    button.click()
    assert column(tab, 2) == ["10", ".5", "−2", "–"]  # what has no value stays last
    assert directions(tab) == ["none", "descending", "none"]
    tab.get_by_role("button", name="n", exact=True).click()
    assert column(tab, 3) == ["7", "900", "1,234", "21,862"]
    assert directions(tab) == ["none", "none", "ascending"]
    for _ in range(2):
        tab.get_by_role("button", name="n", exact=True).click()
    assert [column(tab, at) for at in (1, 2, 3)] == [list(cells) for cells in zip(*ROWS, strict=True)]
    assert directions(tab) == ["none", "none", "none"]


def test_a_command_below_a_heading_is_copied_by_its_button(visit: Any, context: Any, tmp_path: Path) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    command = "tercet reproduce wmt19 --table 3 --data DIR"
    write_page(tmp_path / "page.html", Document([Heading("One", code=command, anchor="one"), Heading("Two")], "A page"))
    tab = visit(tmp_path / "page.html", "#one")
    tab.get_by_role("button", name="Copy").click()
    tab.get_by_role("button", name="Copied").wait_for()
    assert tab.evaluate("navigator.clipboard.readText()") == command


def test_sentences_in_a_table_are_below_each_other_on_a_small_screen(visit: Any, tmp_path: Path) -> None:
    table = Table(["where", "says", "found"], [["here", "a long sentence " * 5, "another " * 9], ["there", "x", "y"]])
    write_page(tmp_path / "page.html", Document([table], "A page"))
    tab = visit(tmp_path / "page.html")
    for width, columns in ((1200, 3), (400, 1)):
        tab.set_viewport_size({"width": width, "height": 800})
        lefts = {round(cell.bounding_box()["x"]) for cell in tab.locator("tbody td").all()}
        assert len(lefts) == columns
        assert tab.evaluate("document.querySelector('.scroll').scrollWidth <= innerWidth")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_keyboard_reaches_contents_table_and_headers_and_sorts(visit: Any, page_file: Path, key: str) -> None:
    tab = visit(page_file)
    reached = []
    for _ in range(7):
        tab.keyboard.press("Tab")
        reached.append(tab.evaluate("document.activeElement.textContent.slice(0, 14)"))
    assert reached[:5] == ["To the content", "◐", "Table", "Figure", "Output"]
    assert tab.evaluate("document.activeElement.textContent") == "name"
    tab.keyboard.press(key)
    assert column(tab, 1)[1:] == ["a9", "a10", "b"]  # numbers within names count as numbers
    assert directions(tab) == ["ascending", "none", "none"]


def test_hostile_names_stay_text_in_a_page(visit: Any, page_file: Path) -> None:
    tab = visit(page_file)
    assert tab.evaluate("window.evil") is None
    assert tab.locator("#evil, main img").count() == 0
    assert tab.locator("td", has_text=HOSTILE).count() == 1
    assert tab.locator("svg text", has_text=HOSTILE[:20]).count() >= 2
    assert tab.locator("svg").count() == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_page_in_both_schemes(visit: Any, page_file: Path, scheme: str) -> None:
    tab = visit(page_file)
    tab.emulate_media(color_scheme=scheme)
    for selector in ("body", "td.good", "td.inside", "td.near", "td.bad", "td.unchecked", "th", "pre", "nav ul"):
        style = tab.locator(selector).first.evaluate(
            "element => [getComputedStyle(element).color, getComputedStyle(element).backgroundColor]"
        )
        assert contrast(*style) >= 4.5, selector


def test_the_button_of_a_page_switches_between_light_and_dark(visit: Any, page_file: Path) -> None:
    tab = visit(page_file)
    ground = "getComputedStyle(document.body).backgroundColor"
    before = tab.evaluate(ground)
    tab.get_by_label("Light or dark").click()
    assert tab.evaluate(ground) != before


def contrast(first: str, second: str) -> float:
    """The contrast of two colours as WCAG 2 defines it; 4.5 is asked of small text."""
    bright, dim = sorted((luminance(first), luminance(second)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [part / 12.92 if part <= 0.04045 else math.pow((part + 0.055) / 1.055, 2.4) for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_bold_cells_look_bold_and_sort_as_numbers(visit: Any, tmp_path: Path) -> None:
    table = Table(["r"], [[Bold(".9")], [".10"], [Bold("−.5")]], classes=[["good"], [""], [""]])
    write_page(tmp_path / "bold.html", Document([table]))
    tab = visit(tmp_path / "bold.html")
    weights = tab.evaluate("[...document.querySelectorAll('td strong')].map(e => +getComputedStyle(e).fontWeight)")
    assert weights == [700, 700]
    tab.get_by_role("button", name="r", exact=True).click()
    assert column(tab, 1) == ["−.5", ".10", ".9"]


def test_many_curves_draw_from_disk_with_a_small_plot_each(visit: Any, tmp_path: Path) -> None:
    curves = {f"metric-{i}": [(n, i / n, i / n) for n in range(4, 9)] for i in range(9)}
    top_n_curves(curves, title="t").save(tmp_path / "curves.html")
    tab = visit(tmp_path / "curves.html")
    points = tab.locator("#figure svg path[aria-roledescription=point]")
    points.first.wait_for()
    assert points.count() == 9 * 5


def test_a_narrow_screen_scrolls_the_table_and_not_the_page(visit: Any, tmp_path: Path) -> None:
    wide = Table([f"column {i}" for i in range(40)], [["0.123"] * 40])
    write_page(tmp_path / "wide.html", Document([wide, Picture(figure_with_a_hostile_name())]))
    tab = visit(tmp_path / "wide.html")
    tab.set_viewport_size({"width": 400, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 400
    assert tab.evaluate("document.querySelector('.scroll').scrollWidth") > 400


def test_the_page_of_reproduce_answers_first_and_unfolds_the_rest(visit: Any, tmp_path: Path) -> None:
    """Table 4.9 of the thesis needs no data; one of its numbers is known to differ."""
    ran = run(["reproduce", "thesis", "--table", "4.9", "--html", "page.html", "-q"], folder=tmp_path)
    assert ran.code == 0
    tab = visit(tmp_path / "page.html")
    tab.set_viewport_size({"width": 390, "height": 800})
    answer = "13 numbers, recomputed from the data, round to the printed ones. All that should agree with print do."
    assert tab.locator("main p").first.inner_text().startswith(answer)
    assert tab.locator("code", has_text="tercet reproduce thesis --table 4.9 --data DIR").count() == 1
    assert tab.locator("td.good").count() >= 13 and tab.locator("td.bad").count() == 1  # in the list of marks
    rows = tab.locator("details", has_text="not recomputed from data")
    assert not rows.locator("td.unchecked").first.is_visible()
    rows.locator("summary").click()
    assert rows.locator("td.unchecked").first.is_visible()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_figure_as_html_draws_from_disk_with_its_names_on_hover(visit: Any, tmp_path: Path) -> None:
    figure_with_a_hostile_name().save(tmp_path / "figure.html")
    tab = visit(tmp_path / "figure.html")
    points = tab.locator("#figure svg path[aria-roledescription=point]")
    points.first.wait_for()
    assert points.count() == 4
    points.last.hover()
    tip = tab.locator("#vg-tooltip-element")
    tip.wait_for()
    assert tip.text_content().startswith(HOSTILE)
    assert tab.evaluate("window.evil") is None
    assert tab.locator("#evil, #figure img").count() == 0
