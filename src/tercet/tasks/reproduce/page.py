"""The page of `tercet reproduce`: what reproduces and what does not, table by table, with figures and commands."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...errors import MissingDependency
from ...rendering.document import Details, Heading, Notes, Part, Picture, Table, listing
from ...rendering.tables import Bold, number
from .board import laid_out, other_parts, shown, winners_table
from .results import Cell, Matrix, Plot, Reproduction, Reproductions, Unchecked, count_of, counts_of, title_of
from .tables import CONTRADICTIONS, PAPERS

if TYPE_CHECKING:
    from ...rendering.figures import Figure

log = logging.getLogger(__name__)

ALPHA = 0.05  # smaller p-values are marked in head-to-head figures
CLASSES = {"equal": "good", "in interval": "inside", "half-width": "inside", "near": "near"}
COUNTED = {
    "equal": "Rounds to print",
    "in interval": "In the printed interval",
    "half-width": "Half-width of an interval",
    "near": "Near",
    "different": "Different",
    "from print": "Follows from print",
    "not checked": "Not checked",
}
FOUND = "Printed numbers by what was found"
LEGEND = {
    "good": "rounds to the printed number; or the paper's statement holds",
    "inside": "lies in the interval that the paper prints, or is the half-width of one and rounds to it",
    "near": "near: within a tolerance of ours, or of rounding, which the notes explain",
    "bad": "should agree with print and does not; or the paper's statement does not hold",
    "unchecked": "printed, but not checked; the reason is given below the table",
    "": "no mark: shown for comparison; data or program are not the paper's",
}
# The metrics whose curves are drawn, at most seven in one figure; JSON has all.
CURVES = ("sacreBLEU.BLEU", "chrF", "BERTr", "ESIM", "YiSi-1", "EED", "YiSi-2", "UNI", "BEER")
SHOWN_FIGURES = 2  # of a table; more are folded


def page_parts(results: Reproductions) -> Iterator[Part]:
    """Yield the parts of the page."""
    yield Heading("Overview", anchor="overview")
    yield _answer(results)
    if _has_printed(results):
        if not results.single:
            yield from _drawn(_counted_bars(results))
        papers = [[_short(paper), *_counts(found)] for paper, found in results.by_paper().items()]
        if len(papers) > 1:
            papers.append([Bold("all"), *map(Bold, _counts(results.tables))])
        yield Table(["Paper", *COUNTED.values()], papers)
        if not results.single:
            tables = [[one.paper, title_of(one.table), *_counts([one])] for one in results if one.cells]
            yield Details("The same by table", [Table(["Paper", "Table", *COUNTED.values()], tables)])
        rows = [["", meaning] for meaning in LEGEND.values()]
        rows.append(["*", "no other metric is significantly better; papers print such numbers bold"])
        marks = Table(["Mark", "Meaning"], rows, classes=[[name, ""] for name in (*LEGEND, "")])
        yield Details("What the marks mean", [marks])
    listed = [one for one in CONTRADICTIONS if one["paper"] in results.by_paper()]
    if listed and not results.single:
        yield Heading("Contradictions in the papers", anchor="contradictions")
        yield "Found while recomputing; each was checked against the data or against other numbers of the same paper."
        yield listing(listed, {"Paper": "paper", "Where": "where", "The paper says": "says", "Found": "found"})
    for paper, found in results.by_paper().items():
        yield Heading(PAPERS[paper], anchor=paper)
        if _has_printed(results):
            yield count_of(found).capitalize()
        for one in filter(_is_made, found):
            title, anchor = f"{title_of(one.table)}: {one.caption}", f"{paper}-{title_of(one.table)}"
            option = f"--{one.table}" if one.table.startswith("figure ") else f"--table {one.table}"
            command = f"tercet reproduce {paper} {option} --data DIR"
            yield Heading(title, level=3, code=command, anchor=anchor.lower().replace(" ", "-"))
            yield from _table_parts(one)
        left = [one for one in found if not _is_made(one)]
        if left:
            yield Heading(f"Not recomputed ({paper})", level=3, anchor=f"{paper}-not-recomputed")
            yield from _left_out(left)


def _has_printed(results: Reproductions) -> bool:
    return any(counts_of(results.tables).values()) or any(one.statements for one in results)


def _answer(results: Reproductions) -> str:
    """Return the sentence that answers the question: how many numbers reproduce."""
    counts, failed = counts_of(results.tables), sum(len(one.failed) for one in results)
    if not _has_printed(results):
        made = sum(_is_made(one) for one in results)
        if not made:
            return "Nothing was recomputed; the reasons are below."
        which = "The figure is" if made == 1 else f"{made} figures are"
        return f"{which} drawn from the data. The paper prints no numbers for {'it' if made == 1 else 'them'}."
    verdict = f"{failed} that should agree with print do not." if failed else "All that should agree with print do."
    text = f"{counts['equal']:,} numbers, recomputed from the data, round to the printed ones. "
    if inside := counts["in interval"]:
        text += f"{inside:,} more {'lies' if inside == 1 else 'lie'} in the printed interval. "
    text += verdict
    if any(one.derived for one in results):
        text += f" {counts['from print']:,} more follow from other numbers of the same paper."
    return f"{text} The tables have {counts.total():,} numbers in all."


def _count(found: Sequence[Reproduction]) -> dict[str, int]:
    counts = counts_of(found)
    return {label: counts[name] for name, label in COUNTED.items()}


def _counts(found: Sequence[Reproduction]) -> list[str]:
    return [f"{count:,}" for count in _count(found).values()]


def _counted_bars(results: Reproductions) -> Iterator[Figure]:
    from ...rendering.charts import part_bars
    from ...rendering.figures import BLUE, GREEN, ORANGE, PALE, PURPLE, SKY, VERMILLION

    colours = dict(zip(COUNTED.values(), (BLUE, SKY, PURPLE, ORANGE, VERMILLION, GREEN, PALE), strict=True))
    by_paper = {_short(paper): _count(found) for paper, found in results.by_paper().items()}
    if any(any(counts.values()) for counts in by_paper.values()):
        yield part_bars(by_paper, colours, label="share of the printed numbers", title=FOUND)


def _short(paper: str) -> str:
    return PAPERS[paper].partition("), ")[0] + ")"


def _is_made(one: Reproduction) -> bool:
    return any((one.cells, one.statements, one.extra, one.winners, one.matrices, one.curves, one.plots, one.drawings))


def _left_out(found: Sequence[Reproduction]) -> Iterator[Table]:
    """Yield a table of the tables that were not recomputed, and one of the data sets that they need."""
    rows = []
    data: dict[str, str] = {}  # what is said of data sets that are missing, once for all tables that need them
    for one in found:
        reasons = dict.fromkeys(item.reason for item in one.unchecked)
        missing = " ".join(reasons or (note.removeprefix("Not recomputed. ") for note in one.notes))
        numbers = len(one.unchecked) + len(one.derived)
        derived = f"{sum(cell.agrees for cell in one.derived)} of {len(one.derived)}" if one.derived else ""
        if one.needs and "was not found" in missing:
            name = ", ".join(one.needs)
            data[name], missing = missing, f"Data: {name}"
        rows.append([title_of(one.table), one.caption, str(numbers or ""), derived, missing])
    yield Table(["Table", "What", "Numbers", "Follow from print", "What is missing"], rows)
    if data:
        yield Table(["Data", "How to provide them"], [[name, text] for name, text in data.items()])


def _table_parts(one: Reproduction) -> Iterator[Part]:
    if one.cells:
        made = {cell.row for cell in one.cells}
        yield _page_table(one, made, "Recomputed, with the printed number in brackets if it differs")
        yield count_of([one]).capitalize()
        others = ({item.row for item in one.unchecked} | {item.row for item in one.derived}) - made
        if others:
            noun = "row was" if len(others) == 1 else "rows were"
            summary = f"{len(others)} {noun} not recomputed from data"
            yield Details(summary, [_page_table(one, others, "Printed numbers; ✓ follows from others")])
    if one.statements:
        # A text that begins with the number of a section would look like a column of numbers.
        texts = [f"§ {item.text}" if item.text[:1].isdigit() else item.text for item in one.statements]
        found = [(item.found, "holds" if item.holds else "does not hold") for item in one.statements]
        rows = [[text, *each] for text, each in zip(texts, found, strict=True)]
        classes = [["", "", "good" if item.holds else "bad"] for item in one.statements]
        yield Table(["The paper says", "Found", ""], rows, classes=classes)
    if one.winners:
        yield Details("Winners by language pair", [winners_table(one)])
    figures = [*map(Picture, one.drawings), *_drawn(_figures(one), f"{one.paper}, {title_of(one.table)}")]
    yield from figures[:SHOWN_FIGURES]
    if len(figures) > SHOWN_FIGURES:
        yield Details(f"{len(figures) - SHOWN_FIGURES} more figures", figures[SHOWN_FIGURES:])
    parts = list(other_parts(one))
    yield from (part for part in parts if isinstance(part, Table))
    notes = [sentence for part in parts if isinstance(part, Notes) for sentence in part.sentences]
    if notes:
        yield Details("Notes", [Notes(notes)]) if one.cells else Notes(notes)


def _page_table(one: Reproduction, chosen: set[str], caption: str) -> Table:
    items: list[Cell | Unchecked] = [*one.cells, *one.derived, *one.unchecked]
    rows, columns = one.axes([item for item in items if item.row in chosen])
    texts = {(item.row, item.column): number(item.printed, one.decimals_of(item.row)) for item in one.unchecked}
    classes = dict.fromkeys(texts, "unchecked")
    for cell in (*one.derived, *one.cells):
        text = shown(cell, one)
        texts[cell.row, cell.column] = f"{text}*" if isinstance(text, Bold) else text
        classes[cell.row, cell.column] = CLASSES.get(cell.verdict, "bad" if cell.failed else "")
    marks = [["", *(classes.get((row, column), "") for column in columns)] for row in rows]
    return laid_out(rows, columns, texts, caption=caption, classes=marks)


def _drawn(figures: Iterator[Figure], of: str = "the overview") -> list[Picture]:
    """Return the figures, or none with a warning if a package is missing."""
    try:
        return [Picture(figure) for figure in figures]
    except MissingDependency as missing:
        log.warning("The figures of %s are left out. %s", of, missing)
        return []


def _figures(one: Reproduction) -> Iterator[Figure]:
    from ...rendering.charts import CURVES_TOGETHER, top_n_curves

    for plot in one.plots:
        yield _plot(plot)
    for matrix in one.matrices:
        yield _heat_map(matrix)
    for curve in one.curves:
        points = curve.points
        if len(points) > CURVES_TOGETHER:
            known = [name for name in CURVES if name in points] or list(points)
            points = {name: points[name] for name in known[:CURVES_TOGETHER]}
        yield top_n_curves(points, label="Pearson's r", title=curve.title)


def _plot(plot: Plot) -> Figure:
    from ...rendering.charts import clouds, count_bars, grouped_bars, line_chart

    if plot.kind == "counts":
        (points,) = plot.series.values()
        return count_bars([int(count) for _, count in points], label=plot.x, title=plot.title)
    if plot.kind == "scatter":
        return clouds(plot.series, x_label=plot.x, y_label=plot.y, title=plot.title, lines=plot.lines)
    draw = {"bars": grouped_bars, "lines": line_chart}[plot.kind]
    return draw(plot.series, x_label=plot.x, y_label=plot.y, title=plot.title)


def _heat_map(matrix: Matrix) -> Figure:
    import numpy as np

    from ...rendering.figures import heat_map

    p = np.array(matrix.p_values, dtype=np.float64)
    np.fill_diagonal(p, np.nan)
    return heat_map(
        matrix.names, p, label="p-value, row against column", marks=p < ALPHA, marked=f"p < {ALPHA:g}",
        low_is_dark=True, title=matrix.title,
    )  # fmt: skip
