"""Layers of the report's segment browser: what metrics saw in the words, and errors that people marked."""

import json
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.comparison_report import ComparisonReport
from tercet.errors import DataError

from .test_pages_in_browser import HOSTILE

TEXTS = tercet.TestSet(
    {
        "one": ["The cats sat in Berlin 😀 now", f"Good {HOSTILE} words", "مرحبا بالعالم"],
        "two": ["A cat sat in Paris 😀 now", "Good words", "مرحبا يا عالم"],
    },
    {"ref": ["The cat sat in Berlin 😀 again", f"Good {HOSTILE} word", "مرحبا بالعالم"]},
    source=["Die Katze saß in Berlin", "Gute Worte", "Hallo Welt"],
    pair="de-en",
)
ERRORS = [
    {"segment": "1", "system": "one", "spans": [{"start": 25, "end": 28, "severity": "minor", "category": "style"}]},
    {"segment": "1", "system": "two", "spans": [{"start": 13, "end": 18, "severity": "major"}]},
]
pytestmark = pytest.mark.xdist_group("report")


def judged(folder: Path, errors: list[dict[str, Any]]) -> Path:
    rows = {(segment, system): [] for segment in "123" for system in TEXTS.systems}
    rows |= {(row["segment"], row["system"]): row["spans"] for row in errors}
    path = folder / "ratings.jsonl"
    with path.open("w") as stream:
        for (segment, system), spans in rows.items():
            row = {"kind": "mqm", "segment": segment, "system": system, "rater": "Ada", "pair": "de-en", "spans": spans}
            stream.write(json.dumps(row | {"set": "ratings"}) + "\n")
    return path


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> ComparisonReport:
    ratings = judged(tmp_path_factory.mktemp("ratings"), ERRORS)
    return tercet.report(TEXTS, ["meteor", "kobe", "bleu"], judgements=[ratings], resamples=100)


@pytest.fixture
def open_layer(visit: Any, found: ComparisonReport, tmp_path: Path) -> Any:
    def opened(address: str, report: ComparisonReport = found) -> Any:
        report.write(tmp_path / "report.html")
        tab = visit(tmp_path / "report.html", f"#a=one&b=two&sort=order&{address}")
        tab.locator("#app[aria-busy=false]").wait_for()
        tab.locator("#segment-1 .head").wait_for()
        return tab

    return opened


def marked(tab: Any, text: str, segment: int = 1) -> list[tuple[str, str]]:
    marks = tab.locator(f'#segment-{segment} [data-text="{text}"] mark')
    return [tuple(pair) for pair in marks.evaluate_all("all => all.map(e => [e.textContent, e.className])")]


def test_the_words_are_marked_as_the_chosen_metric_saw_them(open_layer: Any) -> None:
    tab = open_layer("marks=METEOR")
    assert marked(tab, "output 0") == [
        ("The", "high"), ("cats", "middle"), ("sat", "high"), ("in", "high"), ("Berlin", "high"), ("😀", "high"),
        ("now", "low"),
    ]  # fmt: skip
    assert ("again", "low") in marked(tab, "reference 0")
    assert marked(tab, "source") == []
    assert tab.locator(".legend mark").all_text_contents() == ["matched", "in part", "not matched"]
    tab.get_by_label("Marks").select_option("both")
    assert "marks=" not in tab.evaluate("location.hash")
    assert not tab.locator("#segment-1 mark.high").count()


def test_words_lead_to_their_partners(open_layer: Any) -> None:
    tab = open_layer("marks=METEOR")
    tab.locator('#segment-1 [data-text="output 0"] mark', has_text="cats").hover()
    assert tab.locator("mark.partner").all_text_contents() == ["cat"]
    assert tab.locator("mark", has_text="cats").get_attribute("title") == "stem “cat” 0.60"
    tab.locator("h1").hover()
    assert not tab.locator("mark.partner").count()


def test_entities_that_a_system_lost_have_its_letter_in_the_source(open_layer: Any) -> None:
    tab = open_layer("marks=KoBE")
    assert marked(tab, "source") == [("Berlin", "low")]
    assert tab.locator('[data-text="source"] mark').first.get_attribute("data-who") == "B"
    assert marked(tab, "output 0") == [("Berlin", "high")]
    assert marked(tab, "output 1") == [("Paris", "low")]


def test_errors_that_people_marked_are_shown_by_severity(open_layer: Any) -> None:
    tab = open_layer("marks=errors")
    assert marked(tab, "output 0") == [("now", "middle")]  # behind a character of two UTF-16 units
    assert marked(tab, "output 1") == [("Paris", "low")]
    assert tab.locator("mark", has_text="now").get_attribute("title") == "minor: style"


def test_hostile_words_stay_text_in_a_layer(open_layer: Any) -> None:
    tab = open_layer("marks=METEOR")
    assert HOSTILE in tab.locator('#segment-2 [data-text="output 0"]').text_content()
    assert tab.evaluate("window.evil") is None
    tab.locator("#segment-3").scroll_into_view_if_needed()  # drawn when it comes into view
    assert (
        tab.locator('#segment-3 [data-text="output 0"] .reading').evaluate("e => getComputedStyle(e).direction")
        == "rtl"
    )


def test_only_some_segments_are_marked_and_the_legend_says_so(open_layer: Any) -> None:
    few = tercet.report(TEXTS, ["meteor"], marks=1, resamples=100)
    assert [len(layer.rows) for layer in few.layers] == [1]
    tab = open_layer("marks=METEOR", few)
    assert "Marked: 1 of 3 segments, those that differ most." in tab.locator(".legend").text_content()
    assert tercet.report(TEXTS, ["meteor"], marks=0, resamples=100).layers == []


def test_errors_in_other_texts_are_refused(tmp_path: Path) -> None:
    beyond = {"segment": "2", "system": "two", "spans": [{"start": 3, "end": 99, "severity": "minor"}]}
    with pytest.raises(DataError, match="segment 2 mark 'two' from character 3 to 99, and the output has 10"):
        tercet.report(TEXTS, ["bleu"], judgements=[judged(tmp_path, [beyond])])
