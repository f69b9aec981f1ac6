"""The page of `tercet entities` in a browser: names lead to their segments, in which they are marked."""

from pathlib import Path
from typing import Any

import pytest

from tests.docs.running import run
from tests.end_to_end.test_accessibility import serious

SOURCE = ["She flew to Berlin 😀 and to Rome.", "Nothing here.", "He lives in Vienna.", "<b>Paris</b> is large."]
ONE = ["Sie flog nach 😀 Madrid und nach Rom.", "Nichts hier.", "Er lebt in Wien.", "<b>Das</b> ist groß."]
TWO = ["Sie flog nach Berlin und nach Rom.", "Nichts hier.", "Er lebt in Prag.", "<b>Paris</b> ist groß."]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    for name, lines in (("src", SOURCE), ("one", ONE), ("two", TWO)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    words = ["entities", "-s", "src.txt", "-i", "one.txt", "two.txt", "-l", "en-de", "-f", "html", "-o", "page.html"]
    ran = run(words, folder=tmp_path)
    assert ran.code == 0, ran.err
    return tmp_path / "page.html"


def test_names_lead_to_their_segments_and_are_marked_there(page: Path, visit: Any) -> None:
    tab = visit(page)
    tab.wait_for_selector("article .head")
    assert tab.locator("#verdict").inner_text() == "Names to look at: 3 lost and 2 invented, in 3 of 4 segments."
    lost, invented = (tab.get_by_label(kind, exact=True) for kind in ("lost", "invented"))
    assert lost.get_by_role("button").all_inner_texts() == ["Berlin\n1", "Paris\n1", "Vienna\n1"]
    assert invented.get_by_role("button").all_inner_texts() == ["Madrid\n1", "Prag\n1"]
    assert tab.locator("article mark.lost").all_inner_texts() == ["Berlin", "Vienna", "Paris"]
    assert tab.locator("article mark.invented").all_inner_texts() == ["Madrid", "Prag"]
    invented.get_by_role("button").first.click()
    assert tab.evaluate("location.hash") == "#kind=invented&name=Madrid"
    assert tab.locator("article").count() == 1
    assert tab.locator("article .reading").first.inner_text() == SOURCE[0]
    tab.reload()
    tab.wait_for_selector("article .head")
    assert tab.locator("article").count() == 1


def test_segments_are_filtered_by_kind_and_system(page: Path, visit: Any) -> None:
    tab = visit(page)
    tab.wait_for_selector("article .head")
    tab.get_by_label("Reason").select_option("invented")
    assert tab.locator("article").count() == 2
    tab.get_by_label("System").select_option("two.txt" if tab.locator("option[value='two.txt']").count() else "two")
    assert tab.locator("article").count() == 1
    assert tab.locator("article mark.invented").all_inner_texts() == ["Prag"]
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name="TSV").click()
    rows = [line.split("\t") for line in Path(waiting.value.path()).read_text("utf-8").splitlines()]
    assert len(rows) == 2
    assert rows[1][rows[0].index("names")].startswith("lost by two")


def test_the_page_has_no_serious_fault_for_readers_with_aids(page: Path, visit: Any) -> None:
    tab = visit(page)
    tab.wait_for_selector("article .head")
    assert serious(tab) == []
