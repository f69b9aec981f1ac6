"""The document of `tercet reproduce`: recomputed and printed numbers; what was not checked, and why."""

from collections.abc import Iterator, Mapping
from typing import Unpack

from ...cli.console import rendered
from ...data.display import listed
from ...data.grouping import grouped
from ...rendering.document import Column, Heading, Notes, Part, Table, TableFields, grid, listing
from ...rendering.tables import Bold, number
from .results import Cell, Reproduction, Reproductions, count_of
from .tables import PAPERS, list_tables

LISTED = 30  # with more cells, a table is shown as a grid
NAMED = 6  # the most rows or columns that a sentence lists
TITLE = "Tables of papers, recomputed"


def reproduction_parts(found: Reproductions) -> Iterator[Part]:
    """Yield the parts of the document."""
    for one in found:
        yield Heading(one.title)
        if one.cells:
            if len(one.cells) > LISTED:  # in the printed layout
                yield laid_out(*one.axes(one.cells), {(cell.row, cell.column): shown(cell, one) for cell in one.cells})
            else:
                yield _listed(one)
            yield count_of([one])
        elif one.winners:
            yield winners_table(one)
        if one.statements:
            said = [("Holds" if item.holds else "Does not hold", item) for item in one.statements]
            yield Notes([f"{verdict}: {item.text}{f' ({item.found})' * bool(item.found)}." for verdict, item in said])
        yield from other_parts(one)
    if not found.single:
        yield Notes([f"{paper}: {count_of(of_paper)}" for paper, of_paper in found.by_paper().items()])


def render_list(form: str = "text") -> str:
    """Return the list of tables and figures, with the data that they need."""
    data = list_tables()
    columns: dict[str, Column] = {"Paper": "paper", "Table": "table", "What": "caption"}
    columns["Data"] = lambda one: "cannot be recomputed" if one["reason"] else ", ".join(one["data"]) or "none"
    notes = [f"{name}: {citation}." for name, citation in PAPERS.items()]
    notes.append("Recompute: tercet reproduce PAPER --table N --data DIR")
    return rendered(form, [listing(data, columns), Notes(notes)], lambda: data)


def other_parts(one: Reproduction) -> Iterator[Table | Notes]:
    """Yield what text and page have in common: values that are not in the paper, and notes."""
    if one.extra:
        yield _extra(one)
    yield Notes([*reasons(one), *one.notes])


def winners_table(one: Reproduction) -> Table:
    """Return the winners by column."""
    return Table(["", "Winners"], [[key, ", ".join(names)] for key, names in one.winners.items()])


def _listed(one: Reproduction) -> Table:
    columns: dict[str, Column] = {
        "Row": "row",
        "Column": lambda cell: _named(cell.column),
        "Printed": lambda cell: number(cell.printed, one.decimals_of(cell.row)),
        "Recomputed": lambda cell: number(cell.recomputed, finer(cell)),
        "Difference": lambda cell: number(round(cell.difference, finer(cell)) + 0.0, finer(cell)),  # 0.0, not -0.0
        "Equal": _verdict,
    }

    def finer(cell: Cell) -> int:
        width = one.decimals_of(cell.row)
        return width + 1 if width else 0

    return listing(one.cells, columns)


def _verdict(cell: Cell) -> str:
    if cell.interval is not None:
        return f"in ±{cell.interval:g}"
    if cell.within is not None:
        return f"near, ±{cell.within:g}"
    return "yes" if cell.agrees else "no" if cell.must else "no (not required)"


def _named(column: str) -> str:
    """Return a column's heading; half-widths have their own columns."""
    return f"{column.removesuffix('_ci')} ±" if column.endswith("_ci") else column


def laid_out(
    rows: list[str], columns: list[str], cells: Mapping[tuple[str, str], str], **more: Unpack[TableFields]
) -> Table:
    """Return a table of cells by row and column; `more` are further fields of `Table`."""
    return grid(rows, {name: _named(name) for name in columns}, lambda *place: cells.get(place, ""), **more)


def shown(cell: Cell, one: Reproduction) -> str:
    """Return the text of a cell: the recomputed number, and the printed one if it differs."""
    decimals = one.decimals_of(cell.row)
    text = number(cell.recomputed, decimals)
    if cell.verdict not in ("equal", "half-width"):
        text += f" ({number(cell.printed, decimals)})"
    return Bold(text) if cell.row in one.winners.get(cell.column, ()) else text


def _extra(one: Reproduction) -> Table:
    columns = dict.fromkeys(name for row in one.extra.values() for name in row if not name.endswith("_ci"))
    # Tables that contain only counts have whole numbers.
    whole = all(float(value).is_integer() for row in one.extra.values() for value in row.values())
    width = 0 if whole else max(one.decimals, 3)

    def value(row: str, column: str) -> str:
        return number(one.extra[row][column], width) if column in one.extra[row] else ""

    return grid(one.extra.keys(), columns.keys(), value, caption="Not in the paper")


def reasons(one: Reproduction) -> list[str]:
    """Return sentences on what was not checked, by reason, with its rows or columns."""
    by_reason = grouped((item.reason, item) for item in one.unchecked)
    sentences = []
    for reason, items in by_reason.items():
        rows, columns = one.axes(items)
        # A reason that applies to all columns is named by rows, and vice versa.
        by_row = len(columns) == len(one.columns) or (len(rows) < len(columns) and len(rows) < len(one.rows))
        names = rows if by_row else [_named(name) for name in columns]
        where = f" ({listed(names, NAMED)})" if len(by_reason) > 1 or one.cells else ""
        sentences.append(f"Not checked: {len(items)} number{'s' if len(items) > 1 else ''}{where}. {reason}")
    return sentences
