"""The results of `reproduce`: recomputed tables, their cells, and everything of a table that was not recomputed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...data.display import Tabular, html_table
from ...data.grouping import grouped

if TYPE_CHECKING:
    from ...rendering.document import Drawable

# Of a cell in JSON, and of a row in tables for programs.
CELL = ("row", "column", "printed", "recomputed", "difference", "verdict", "equal", "interval", "within", "must")
COLUMNS = ("paper", "table", *CELL, "reason")
HALF_WIDTH = "_ci"  # ends the name of a column of half-widths
COUNT = 4  # a row of whole numbers with one larger than this is a row of counts
VERDICTS = {
    "equal": "rounds to the printed number",
    "in interval": "lies in the interval that the paper prints",
    "half-width": "the half-width of an interval that rounds to the printed one, which depends mostly on n",
    "near": "within a tolerance of ours, which the notes explain",
    "different": "differs",
}


@dataclass(frozen=True)
class Cell:
    """One number of a table. agrees: it rounds to the printed number, or lies in the printed interval.

    interval: the printed half-width, for cells that agree only because of it. within: our tolerance, for cells that
    are near, but do not agree; the notes explain it. must: the cell is known to reproduce, so the command fails if it
    is different.
    """

    row: str
    column: str
    printed: float
    recomputed: float
    agrees: bool
    must: bool = True
    within: float | None = None
    interval: float | None = None

    @property
    def difference(self) -> float:
        return self.recomputed - self.printed

    @property
    def verdict(self) -> str:
        if not self.agrees:
            return "different" if self.within is None else "near"
        if self.interval is not None:
            return "in interval"
        return "half-width" if self.column.endswith(HALF_WIDTH) else "equal"

    @property
    def equal(self) -> bool:
        return self.verdict == "equal"

    @property
    def failed(self) -> bool:
        return self.must and self.verdict == "different"

    def to_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in CELL}


@dataclass(frozen=True)
class Unchecked:
    """A printed number that cannot be recomputed here, with the reason."""

    row: str
    column: str
    printed: float
    reason: str


@dataclass(frozen=True)
class Statement:
    """A statement of the paper about its data, or a row of counts, and what was found here."""

    text: str
    holds: bool
    found: str = ""
    must: bool = True


@dataclass(frozen=True)
class Matrix:
    """P-values of a head-to-head figure: the metric of the row is no better than that of the column."""

    title: str
    names: Sequence[str]
    p_values: Sequence[Sequence[float]]


@dataclass(frozen=True)
class Curve:
    """A statistic over the N best systems: (N, lowest, highest), by metric."""

    title: str
    points: Mapping[str, Sequence[tuple[int, float, float]]]


@dataclass(frozen=True)
class Plot:
    """A drawn figure. kind: "scatter", "bars", "lines" or "counts"; series: by name the points (x, y).

    Bars and lines have names as x, in order; a scatter plot has one panel for each series; counts are the numbers of
    sentences (y) with 0, 1, 2, … (x).
    """

    kind: str
    title: str
    x: str
    y: str
    series: Mapping[str, Sequence[tuple[Any, float]]]
    lines: bool = False  # least-squares lines through the points of each panel


@dataclass(frozen=True)
class Reproduction:
    """A recomputed table or figure; `table` is its number, or "figure N".

    rows, columns: in the printed order. extra: rows that the paper does not print (row -> column -> value), such as
    Tercet's own metrics. winners: by column, the rows that no other row significantly outperforms; papers print them
    bold. drawings: figures that draw themselves. note_values: the values that the notes of `tables.toml` name.
    """

    cells: Sequence[Cell] = ()
    unchecked: Sequence[Unchecked] = ()
    statements: Sequence[Statement] = ()
    notes: Sequence[str] = ()
    extra: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    winners: Mapping[str, Sequence[str]] = field(default_factory=dict)
    matrices: Sequence[Matrix] = ()
    curves: Sequence[Curve] = ()
    plots: Sequence[Plot] = ()
    drawings: Sequence[Drawable] = ()
    derived: Sequence[Cell] = ()  # numbers that follow from other printed numbers
    decimals: int = 3  # as printed
    note_values: Mapping[str, Any] = field(default_factory=dict)
    paper: str = ""
    table: str = ""
    caption: str = ""
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    needs: Sequence[str] = ()

    @property
    def title(self) -> str:
        """Paper, number and caption, as in "wmt19, Table 3: …"."""
        return f"{self.paper}, {title_of(self.table)}: {self.caption}"

    @property
    def equal(self) -> int:
        return sum(cell.equal for cell in self.cells)

    @property
    def failed(self) -> list[str]:
        """Descriptions of the cells and statements that should have matched but did not."""
        cells = [
            f"{cell.row}, {cell.column}: printed {cell.printed:g}, recomputed {cell.recomputed:.6g}"
            for cell in self.cells
            if cell.failed
        ]
        return cells + [f"{one.text}: {one.found}" for one in self.statements if one.must and not one.holds]

    def axes(self, items: Sequence[Cell | Unchecked]) -> tuple[list[str], list[str]]:
        """Return the rows and columns of the items, in the printed order."""
        rows, columns = ({getattr(item, name): None for item in items} for name in ("row", "column"))
        return (
            [*dict.fromkeys(name for name in (*self.rows, *rows) if name in rows)],
            [*dict.fromkeys(name for name in (*self.columns, *columns) if name in columns)],
        )

    def decimals_of(self, row: str) -> int:
        """Return the number of printed decimals of a row: 0 for a row of counts, such as n in WMT19's tables."""
        items: list[Cell | Unchecked] = [*self.cells, *self.unchecked]
        numbers = [item.printed for item in items if item.row == row]
        # Correlations may be 1 or 0, and means of few ratings whole numbers; counts are larger.
        counts = all(value.is_integer() for value in numbers) and max(numbers, default=0) > COUNT
        return 0 if counts else self.decimals

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary, as `tercet reproduce --table N -f json` prints it."""
        return {
            "paper": self.paper,
            "table": self.table,
            "caption": self.caption,
            **totals_of([self]),
            "cells": [cell.to_dict() for cell in self.cells],
            "derived": [cell.to_dict() for cell in self.derived],
            "unchecked": [vars(one) for one in self.unchecked],
            "statements": [vars(one) for one in self.statements],
            "winners": {column: list(rows) for column, rows in self.winners.items()},
            "extra": {row: dict(columns) for row, columns in self.extra.items()},
            "matrices": [vars(one) for one in self.matrices],
            "curves": [vars(one) for one in self.curves],
            "plots": [vars(one) for one in self.plots],
            "drawings": [{"title": one.title, "rows": list(one.rows)} for one in self.drawings],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, repr=False)
class Reproductions(Tabular):
    """The result of `reproduce`: one `Reproduction` per table. Index it by number, or iterate."""

    tables: tuple[Reproduction, ...]
    single: bool = False

    def __len__(self) -> int:
        return len(self.tables)

    def __iter__(self) -> Iterator[Reproduction]:
        return iter(self.tables)

    def __getitem__(self, index: int) -> Reproduction:
        return self.tables[index]

    def __repr__(self) -> str:
        totals = totals_of(self.tables)
        return f"<Reproductions of {len(self)} tables: {totals['equal']} of {totals['total']} cells round to print>"

    def by_paper(self) -> dict[str, list[Reproduction]]:
        return grouped((one.paper, one) for one in self.tables)

    def rows(self) -> list[dict[str, object]]:
        """Return one dictionary per printed number; numbers that were not checked have None in most fields."""
        blank = dict.fromkeys(CELL)
        return [
            {"paper": one.paper, "table": one.table, **row}
            for one in self.tables
            for row in (
                *({**cell.to_dict(), "reason": None} for cell in one.cells),
                *({**cell.to_dict(), "reason": "It follows from other printed numbers."} for cell in one.derived),
                *({**blank, **vars(left)} for left in one.unchecked),
            )
        ]

    def to_dict(self) -> dict[str, object]:
        """Return the dictionary that `tercet reproduce -f json` prints: of a table, of a paper, or of all papers."""
        if self.single:
            return self.tables[0].to_dict()
        papers = [
            {"paper": paper, **totals_of(found), "tables": [one.to_dict() for one in found]}
            for paper, found in self.by_paper().items()
        ]
        return papers[0] if len(papers) == 1 else {**totals_of(self.tables), "papers": papers}

    def _repr_html_(self) -> str:
        names = ("paper", "table", "row", "column", "printed", "recomputed", "equal", "reason")
        return html_table(names, [[row[name] for name in names] for row in self.rows()])


def totals_of(found: Sequence[Reproduction]) -> dict[str, int]:
    """Return the counts of printed numbers that JSON has for a table, a paper and all papers."""
    counts = counts_of(found)
    return {
        "total": sum(counts[name] for name in VERDICTS),
        "equal": counts["equal"],
        "in_interval": counts["in interval"],
        "half_widths": counts["half-width"],
        "derived": counts["from print"] + counts["not from print"],
        "derived_equal": counts["from print"],
    }


def counts_of(found: Sequence[Reproduction]) -> Counter[str]:
    """Return how many printed numbers have each verdict; how many follow from print, do not follow, are not checked."""
    counts = Counter(cell.verdict for one in found for cell in one.cells)
    counts.update("from print" if cell.agrees else "not from print" for one in found for cell in one.derived)
    counts["not checked"] = sum(len(one.unchecked) for one in found)
    return counts


def count_of(found: Sequence[Reproduction]) -> str:
    """Return a sentence with the number of cells of each verdict."""
    counts = counts_of(found)
    cells = sum(counts[name] for name in VERDICTS)
    verb = "cell rounds" if cells == 1 else "cells round"
    notes = [f"{counts['equal']} of {cells} {verb} to print" if cells else "no number recomputed"]
    if counts["in interval"]:
        notes.append(f"{counts['in interval']} in the printed interval")
    if counts["half-width"]:
        notes.append(f"{counts['half-width']} half-width{'s' * (counts['half-width'] > 1)} of intervals")
    notes += [f"{counts[name]} {name}" for name in ("near", "different") if counts[name]]
    if derived := counts["from print"] + counts["not from print"]:
        notes.append(f"{counts['from print']} of {derived} others follow from the paper's own numbers")
    if counts["not checked"]:
        notes.append(f"{counts['not checked']} numbers not checked")
    return "; ".join(notes) + "."


def title_of(table: str) -> str:
    """Return the printed name of a table or figure: Table 3, Figure 5."""
    if table.startswith(("figure", "text")):
        return table[0].upper() + table[1:]
    return f"Table {table}"
