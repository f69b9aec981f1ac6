"""The document and the page of `tercet reproduce`: recomputed and printed numbers; what was not checked, and why."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import MissingDependency
from ..rendering.document import MARKS, Heading, Notes, Part, Picture, Table
from ..rendering.tables import Bold, full, number
from ..reproduction import PAPERS, PaperTable, tables
from ..reproduction.results import Cell, Matrix, Reproduction, Reproductions, Unchecked, title_of
from .console import rendered

if TYPE_CHECKING:
    from ..rendering.figures import Figure

log = logging.getLogger(__name__)

LISTED = 30  # with more cells, a table is shown as a grid
NAMED = 6  # the most rows or columns that a sentence lists
TITLE = "Tables of papers, recomputed"
COUNT = 5  # a row of whole numbers with one larger than this is a row of counts
ALPHA = 0.05  # smaller p-values are marked in head-to-head figures


COLUMNS = (
    "paper",
    "table",
    "row",
    "column",
    "printed",
    "recomputed",
    "difference",
    "verdict",
    "equal",
    "interval",
    "within",
    "must",
    "reason",
)


def reproduction_parts(found: Reproductions, form: str = "text") -> Iterator[Part]:
    """Yield the parts of the document. TSV and CSV have one row per number."""
    if form == "html":
        yield from _page(found)
        return
    if form in ("tsv", "csv"):
        cells = ([row[name] for name in COLUMNS] for row in found.rows())
        yield Table(COLUMNS, [[full(v).lower() if isinstance(v, bool) else full(v) for v in row] for row in cells])
        return
    for one in found:
        yield Heading(one.title)
        yield from _parts(one)
    if not found.single:
        yield Notes([f"{paper}: {_count(of_paper)}" for paper, of_paper in found.by_paper().items()])


def render_list(form: str = "text") -> str:
    """Return the list of tables and figures, with the data that they need."""
    entries = [(paper, name, one) for paper in PAPERS for name, one in tables(paper).items()]
    rows = [[paper, name, one.caption, _needs(one)] for paper, name, one in entries]
    notes = [f"{name}: {citation}." for name, citation in PAPERS.items()]
    notes.append("Recompute: tercet reproduce PAPER --table N --data DIR")
    data = [
        {"paper": paper, "table": name, "caption": one.caption, "data": list(one.needs), "reason": one.reason}
        for paper, name, one in entries
    ]  # fmt: skip
    return rendered(form, [Table(["Paper", "Table", "What", "Data"], rows), Notes(notes)], lambda: data)


def _needs(one: PaperTable) -> str:
    """Return the data that a table needs, for the list."""
    if one.make is None:
        return "cannot be recomputed"
    return ", ".join(one.needs) or "none"


def _count(found: Sequence[Reproduction]) -> str:
    """Return a sentence with the number of equal cells."""
    cells = [cell for one in found for cell in one.cells]
    counts = Counter(cell.verdict for cell in cells)
    unchecked = sum(len(one.unchecked) for one in found)
    equal = counts["equal"] + counts["in interval"]
    inside = f" ({counts['in interval']} of them within the printed interval)" if counts["in interval"] else ""
    noun = "cell" if len(cells) == 1 else "cells"
    notes = [f"{equal} of {len(cells)} {noun} equal{inside}" if cells else "no number recomputed"]
    notes += [f"{counts[name]} {name}" for name in ("near", "different") if counts[name]]
    if unchecked:
        notes.append(f"{unchecked} numbers not checked")
    return "; ".join(notes) + "."


def _parts(one: Reproduction) -> Iterator[Part]:
    """Yield the parts of the document for one table."""
    if one.cells:
        yield _grid(one) if len(one.cells) > LISTED else _listed(one)
        yield Notes([_count([one])])
    elif one.winners:
        yield _winners(one)
    if one.statements:
        yield Notes([
            f"{'Holds' if item.holds else 'Does not hold'}: {item.text}" + (f" ({item.found})." if item.found else ".")
            for item in one.statements
        ])  # fmt: skip
    yield from _other_parts(one)


def _other_parts(one: Reproduction) -> Iterator[Table | Notes]:
    """Yield what text and page have in common: values that are not in the paper, and notes."""
    if one.extra:
        yield _extra(one)
    yield Notes([*_reasons(one), *one.notes])


def _winners(one: Reproduction) -> Table:
    return Table(["", "Winners"], [[key, ", ".join(names)] for key, names in one.winners.items()])


def _listed(one: Reproduction) -> Table:
    """Return one row per cell: printed, recomputed and their difference."""
    finer = one.decimals + 1 if one.decimals else 0
    rows = [
        [
            cell.row,
            _named(cell.column),
            number(cell.printed, one.decimals),
            number(cell.recomputed, finer),
            number(round(cell.difference, finer) + 0.0, finer),  # + 0.0 changes -0.0 into 0.0
            _verdict(cell),
        ]
        for cell in one.cells
    ]
    return Table(["Row", "Column", "Printed", "Recomputed", "Difference", "Equal"], rows)


def _decimals(one: Reproduction, row: str) -> int:
    """Return the number of printed decimals of a row: 0 for a row of counts, such as n in WMT19's tables."""
    items: list[Cell | Unchecked] = [*one.cells, *one.unchecked]
    numbers = [item.printed for item in items if item.row == row]
    # Correlations may be 1 or 0, and means of few ratings whole numbers; counts are larger.
    return 0 if all(value.is_integer() for value in numbers) and max(numbers, default=0) > COUNT else one.decimals


def _verdict(cell: Cell) -> str:
    if cell.interval is not None:
        return f"in ±{cell.interval:g}"
    if cell.within is not None:
        return f"near, ±{cell.within:g}"
    return "yes" if cell.equal else "no" if cell.must else "no (not required)"


def _named(column: str) -> str:
    """Return a column's heading; half-widths have their own columns."""
    return f"{column.removesuffix('_ci')} ±" if column.endswith("_ci") else column


def _axes(one: Reproduction, items: Sequence[Cell | Unchecked]) -> tuple[list[str], list[str]]:
    """Return the rows and columns of the items, in the printed order."""
    rows, columns = {item.row for item in items}, {item.column for item in items}
    first = [*one.rows, *(item.row for item in items)], [*one.columns, *(item.column for item in items)]
    return ([*dict.fromkeys(name for name in first[0] if name in rows)],
            [*dict.fromkeys(name for name in first[1] if name in columns)])  # fmt: skip


def _grid(one: Reproduction) -> Table:
    """Return recomputed cells in the printed layout; where they differ, with the printed number in brackets."""
    rows, columns = _axes(one, one.cells)
    cells = {(cell.row, cell.column): _shown(cell, one) for cell in one.cells}
    return _laid_out(rows, columns, cells)


def _laid_out(rows: list[str], columns: list[str], cells: Mapping[tuple[str, str], str], **more: Any) -> Table:
    """Return a table of cells by row and column; `more` are further fields of `Table`."""
    filled = [[row, *(cells.get((row, column), "") for column in columns)] for row in rows]
    return Table(["", *map(_named, columns)], filled, **more)


def _shown(cell: Cell, one: Reproduction) -> str:
    text = number(cell.recomputed, one.decimals)
    if cell.verdict != "equal":
        text += f" ({number(cell.printed, one.decimals)})"
    return Bold(text) if cell.row in one.winners.get(cell.column, ()) else text


def _extra(one: Reproduction) -> Table:
    columns = [*dict.fromkeys(name for row in one.extra.values() for name in row if not name.endswith("_ci"))]
    # Tables that contain only counts have whole numbers.
    whole = all(float(value).is_integer() for row in one.extra.values() for value in row.values())
    width = 0 if whole else max(one.decimals, 3)
    rows = [
        [name, *(number(row[column], width) if column in row else "" for column in columns)]
        for name, row in one.extra.items()
    ]
    return Table(["", *columns], rows, caption="Not in the paper")


def _reasons(one: Reproduction) -> list[str]:
    """Return sentences on what was not checked, by reason, with its rows or columns."""
    by_reason: dict[str, list[Unchecked]] = {}
    for item in one.unchecked:
        by_reason.setdefault(item.reason, []).append(item)
    sentences = []
    for reason, items in by_reason.items():
        rows, columns = _axes(one, items)
        # A reason that applies to all columns is named by rows, and vice versa.
        by_row = len(columns) == len(one.columns) or (len(rows) < len(columns) and len(rows) < len(one.rows))
        names = rows if by_row else [_named(name) for name in columns]
        listed = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
        where = f" ({listed})" if len(by_reason) > 1 or one.cells else ""
        sentences.append(f"Not checked: {len(items)} number{'s' if len(items) > 1 else ''}{where}. {reason}")
    return sentences


def write_html(path: str, results: Reproductions) -> None:
    """Write one page with all tables, marks and figures."""
    from ..rendering.document import Document
    from ..rendering.pages import write_page

    write_page(path, Document(_page(results), TITLE))


def _page(results: Reproductions) -> Iterator[Part]:
    """Yield the parts of the page."""
    yield from (Heading("Overview"), _count(results.tables).capitalize(), _legend())
    for paper, found in results.by_paper().items():
        yield from (Heading(PAPERS[paper]), _count(found).capitalize())
        for one in filter(_is_made, found):
            yield Heading(f"{title_of(one.table)}: {one.caption}", level=3)
            yield from _page_parts(one)
        left = [one for one in found if not _is_made(one)]
        if left:
            yield from (Heading(f"Not recomputed ({paper})", level=3), _left_out(left))


def _is_made(one: Reproduction) -> bool:
    """Return whether any part of a table was recomputed."""
    return bool(one.cells or one.statements or one.extra or one.winners or one.matrices or one.curves)


def _legend() -> str:
    return "\n".join(
        [
            f"{MARKS['good']} equal to the printed number, or in the printed interval; or the paper's statement holds",
            f"{MARKS['bad']} should be equal and is not; or the paper's statement does not hold",
            f"{MARKS['unchecked']} printed, but not checked; the reason is given below the table",
            "no mark: shown for comparison, not required to be equal",
            "* no other metric is significantly better; papers print such numbers bold",
        ]
    )


def _left_out(found: Sequence[Reproduction]) -> Table:
    """Return a table of the tables that were not recomputed."""
    rows = []
    for one in found:
        reasons = dict.fromkeys(item.reason for item in one.unchecked) or [
            note.removeprefix("Not recomputed. ") for note in one.notes
        ]
        rows.append([title_of(one.table), one.caption, str(len(one.unchecked) or ""), " ".join(reasons)])
    return Table(["Table", "What", "Numbers", "Why not"], rows)


def _page_parts(one: Reproduction) -> Iterator[Part]:
    """Yield the parts of the page for one table."""
    if one.cells:
        yield _page_table(one)
        yield _count([one])
    if one.winners:
        yield _winners(one)
    if one.statements:
        rows = [[item.text, item.found, "holds" if item.holds else "does not hold"] for item in one.statements]
        classes = [["", "", "good" if item.holds else "bad"] for item in one.statements]
        yield Table(["The paper says", "Found", ""], rows, classes=classes)
    yield from _other_parts(one)
    try:
        yield from map(Picture, _figures(one))
    except MissingDependency as missing:
        log.warning("The figures of %s, %s are left out. %s", one.paper, title_of(one.table), missing)


def _page_table(one: Reproduction) -> Table:
    """Return all printed numbers, including those that were not checked."""
    rows, columns = _axes(one, [*one.cells, *one.unchecked])
    texts = {(item.row, item.column): number(item.printed, _decimals(one, item.row)) for item in one.unchecked}
    classes = dict.fromkeys(texts, "unchecked")
    for cell in one.cells:
        text = _shown(cell, one)
        texts[cell.row, cell.column] = f"{text}*" if isinstance(text, Bold) else text
        classes[cell.row, cell.column] = "good" if cell.equal else "bad" if cell.failed else ""
    caption = "Recomputed, with the printed number in brackets if it differs"
    marks = [["", *(classes.get((row, column), "") for column in columns)] for row in rows]
    return _laid_out(rows, columns, texts, caption=caption, classes=marks)


def _figures(one: Reproduction) -> Iterator[Figure]:
    from ..rendering.figures import top_n_curves

    for matrix in one.matrices:
        yield _heat_map(matrix)
    for curve in one.curves:
        yield top_n_curves(curve.points, label="Pearson's r", title=curve.title)


def _heat_map(matrix: Matrix) -> Figure:
    import numpy as np

    from ..rendering.figures import heat_map

    p = np.array(matrix.p_values, dtype=np.float64)
    np.fill_diagonal(p, np.nan)
    return heat_map(
        matrix.names, p, label="p-value, row against column", marks=p < ALPHA, marked=f"p < {ALPHA:g}",
        low_is_dark=True, title=matrix.title,
    )  # fmt: skip
