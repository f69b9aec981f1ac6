"""The page docs/papers.md says of the papers in tests/data/papers-run.json what a run prints, and nothing else.

tests/data/papers-run.json is the run, made shorter by scripts/record_papers.py. A block of the page (a paragraph, a
bullet or a table) names the tables that have its figures, in a comment: <!-- run: wmt14 2 4; thesis A.3 -->. Figures of
rows that take long, and are not in the run, have the comment <!-- rows: … --> with the paper and these rows; those
that need what the user must make first <!-- needs: … -->.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tercet.tasks.reproduce.tables import PAPERS, tables

ROOT = Path(__file__).parents[2]
FIGURE = re.compile(r"(?<![\w.,:])[−-]?(?:\d{1,3}(?:,\d{3})+|\d*\.\d+)(?![\w.]*\d)(?: %)?")
SOURCES = re.compile(r"<!-- run: ([^>]*) -->")
ROWS = re.compile(r"<!-- rows: ([^>]*) -->")


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return json.loads((ROOT / "tests/data/papers-run.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs/papers.md").read_text("utf-8")


def test_the_record_of_a_paper_has_every_table_of_today(run):
    assert run and run.keys() <= PAPERS.keys()
    assert {paper: {*found} for paper, found in run.items()} == {paper: {*tables(paper)} for paper in run}


def blocks(page: str) -> Iterator[str]:
    """Yield the paragraphs and bullets that have figures; a table belongs to what is above it.

    Counts are checked by test_recorded_counts.
    """
    for block in re.split(r"\n\n(?![ |])|\n(?=- )", page):
        if FIGURE.search(bare(block)) and not re.search(r"^\| paper \||numbers round to print,", block, re.MULTILINE):
            yield block


def bare(block: str) -> str:
    """Return a block without comments, names of metrics, numbers of tables, figures and sections, and links."""
    text = re.sub(r"<!--.*?-->|`[^`]*`|\]\([^)]*\)", "", block)
    number = r"[A-Z\d.]*\d"
    return re.sub(
        rf"(Tables?|Figures?|[Ss]ections?|[Cc]hapters?|version|BEER) {number}(?:(?:,| and| to) {number})*", "", text
    )


def numbers(value: Any) -> Iterator[float]:
    """Yield all numbers of a part of the record, those in sentences too."""
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list):
        for one in value:
            yield from numbers(one)
    elif isinstance(value, str):
        for text in re.findall(r"\d[\d,]*\.?\d*|\.\d+", value):
            yield float(text.replace(",", "").rstrip("."))
    elif isinstance(value, int | float):
        yield abs(value)


def is_in(figure: str, pool: set[float]) -> bool:
    """Return whether a number of the run rounds to a figure of the page, by its decimals; or is it as a percentage."""
    text = figure.lstrip("−-").removesuffix(" %").replace(",", "")
    decimals = len(text.partition(".")[2])
    as_share = {1, 100} if figure.endswith("%") else {1}
    return any(abs(times * value - float(text)) <= 0.5 * 10**-decimals + 1e-4 for value in pool for times in as_share)


def test_every_figure_on_the_page_is_of_the_run(run, page):
    wrong, checked = [], 0
    for block in blocks(page):
        named = SOURCES.findall(block)
        if not named:
            assert ROWS.search(block) or "<!-- needs: tercet " in block, f"no source: {block[:300]}"
            continue
        parts = [part.split() for part in named[0].split(";")]
        if not all(paper in run for paper, *_ in parts):
            continue  # the paper has no record yet
        checked += 1
        pool: set[float] = set()
        for paper, *wanted in parts:
            for one in (name.replace("~", " ") for name in wanted):
                pool |= {*numbers(run[paper][one])}
        wrong += [(figure, block[:60]) for figure in FIGURE.findall(bare(block)) if not is_in(figure, pool)]
    assert checked and not wrong


def test_rows_that_are_not_in_the_run_exist(page):
    for paper, *rows in (text.split() for text in ROWS.findall(page)):
        known = {row for one in tables(paper).values() for row in one.own_rows}
        assert {*rows} <= known
