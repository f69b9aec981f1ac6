"""The page of `tercet review` in a browser: what filters, what is kept, what goes back into the file."""

from pathlib import Path
from typing import Any

import pytest

from tests.docs.running import run

from .test_accessibility import check_views

pytestmark = pytest.mark.xdist_group("report")
ROWS = [
    ("Pay 30 euros today", "Zahlen Sie heute"),
    ("Open the window now", "Open the window now"),
    ("The house is red", "Das Haus ist rot"),
    ("The boat is blue", "Das Boot ist blau"),
    ("مرحبا بالعالم", "你好，世界。"),
]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    table = "".join(f"{source}\t{output}\n" for source, output in [("source", "target"), *ROWS])
    (tmp_path / "app.tsv").write_text(table, "utf-8")
    make(tmp_path)
    return tmp_path / "review.html"


def make(folder: Path, *more: str) -> None:
    found = run(
        ["review", "app.tsv", "-l", "en-de", "--model", "none", "-q", "--ignore", "language", *more], folder=folder
    )
    assert found.code == 0, found.stderr


def opened(visit: Any, page: Path, address: str = "") -> Any:
    tab = visit(page, address)
    tab.locator("#app[aria-busy=false]").wait_for()
    return tab


def listed(tab: Any) -> list[str]:
    found: list[str] = tab.locator(".segment .head a.number").all_inner_texts()
    return found


def test_colours_reasons_and_hours(visit: Any, page: Path) -> None:
    tab = opened(visit, page)
    assert listed(tab) == ["#2", "#1", "#3", "#4", "#5"]  # the worst first
    tab.locator(".tile.amber").click()
    assert listed(tab) == ["#1"]
    assert tab.locator(".segment mark.lost").all_inner_texts() == ["30"]
    tab.locator(".tile.amber").click()
    tab.get_by_role("button", name="copied from the source").click()
    assert listed(tab) == ["#2"]
    assert "kind=copied" in tab.url
    tab.get_by_label("Words that a person reads in an hour").fill("8")
    assert "saved" in tab.locator("#saved").inner_text()


def test_what_is_done_is_kept_and_goes_into_the_file(visit: Any, page: Path) -> None:
    tab = opened(visit, page)
    tab.locator("#segment-2").get_by_role("checkbox").check()
    assert tab.locator(".tile.done b").inner_text() == "1"
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Save marks").click()
    download.value.save_as(page.with_name("marks.json"))
    table = page.with_name("app.tsv")
    table.write_text(table.read_text("utf-8").replace("Das Boot ist blau", "Das Schiff ist blau"), "utf-8")
    make(page.parent)
    tab.reload()
    tab.locator("#app[aria-busy=false]").wait_for()
    assert tab.locator("#segment-2").get_by_role("checkbox").is_checked()  # of the new page, too
    make(page.parent, "--marks", "marks.json", "--in-place")
    assert [row.split("\t")[2] for row in table.read_text("utf-8").splitlines()[1:]] == [
        "amber",
        "done",
        "green",
        "green",
        "green",
    ]
    tab.evaluate("localStorage.clear()")
    make(page.parent)
    tab.reload()
    tab.locator("#app[aria-busy=false]").wait_for()
    assert tab.locator("#segment-2").get_by_role("checkbox").is_checked()  # the file says so
    tab.locator("#segment-2").get_by_role("checkbox").uncheck()
    assert tab.locator(".tile.done").is_hidden()


def test_it_is_accessible(visit: Any, page: Path) -> None:
    check_views(opened(visit, page))


def test_the_keyboard_alone(visit: Any, page: Path) -> None:
    tab = opened(visit, page)
    tab.locator(".tile.red").focus()
    tab.keyboard.press("Enter")
    tab.keyboard.press("j")
    tab.keyboard.press("x")
    assert tab.locator(".tile.done b").inner_text() == "1"
