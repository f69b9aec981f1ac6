"""The counts on the page docs/papers.md are those of recorded runs of `tercet reproduce PAPER`.

tests/data/papers-counts.json has for each paper how many numbers have each verdict, and how many of each table
round to print.
"""

import json
import re
from pathlib import Path

import pytest

from tercet.tasks.reproduce.tables import PAPERS, tables

ROOT = Path(__file__).parents[2]
NAMES = {
    "wmt14": "WMT14 metrics task",
    "wmt19": "WMT19 metrics task",
    "kobe": "KoBE",
    "thesis": "thesis of Fomicheva",
    "specia": "Specia et al., quality estimation",
}
VERDICTS = ("equal", "in interval", "half-width", "near", "different", "from print", "not checked")


@pytest.fixture(scope="module")
def recorded() -> dict[str, dict]:
    return json.loads((ROOT / "tests/data/papers-counts.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs/papers.md").read_text("utf-8")


def test_every_paper_has_its_recorded_counts(recorded, page):
    assert recorded.keys() == NAMES.keys() == PAPERS.keys()
    for paper, counts in recorded.items():
        row = re.search(rf"^\| {re.escape(NAMES[paper])} \|(.*)\|$", page, re.MULTILINE)
        assert row, paper
        assert [int(cell.replace(",", "")) for cell in row[1].split("|")] == [counts[name] for name in VERDICTS]


def test_the_sums_are_those_of_the_tables(recorded, page):
    for paper, counts in recorded.items():
        assert (
            sum(counts["tables"].values()) in (0, counts["equal"]) and counts["tables"].keys() <= tables(paper).keys()
        )
    total, inside, half = (sum(counts[name] for counts in recorded.values()) for name in VERDICTS[:3])
    assert f"{total} numbers round to print, {inside} more lie in a printed interval" in page
    assert f"{half} half-widths of intervals" in page
