"""Printed tables of papers, recomputed from the data and held against print, cell by cell.

A paper is a module here with a mapping TABLES of its tables and figures; `expected/` has what the tables print, as CSV.
A cell is equal if it rounds to what is printed. What cannot be recomputed is listed with the reason.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from importlib import import_module
from importlib.resources import files
from math import isnan
from pathlib import Path
from typing import Any, TypeVar

from ..errors import DataError, MissingDependency, UnknownName, UsageError

T = TypeVar("T")

PAPERS = {
    "wmt14": "Macháček and Bojar (2014), Results of the WMT14 Metrics Shared Task",
    "wmt19": "Ma, Wei, Bojar and Graham (2019), Results of the WMT19 Metrics Shared Task",
    "kobe": "Gekhman et al. (2020), KoBE: Knowledge-Based Machine Translation Evaluation",
    "thesis": "Fomicheva (2017), The Role of Human Reference Translation in Machine Translation Evaluation",
    "specia": "Specia, Cancedda and Dymetman (2010), A Dataset for Assessing Machine Translation Evaluation Metrics",
}

# What the catalogue of `tercet data` calls the data sets of the papers, where it has other names for them.
CATALOGUE = {
    "wmt19": "wmt17-19",
    "wmt19_sys": "wmt19-metrics-system",
    "wmt19_darr": "wmt19-darr",
    "wmt12_qe": "wmt12-qe",
}


@dataclass(frozen=True)
class Cell:
    """One number of a table. equal: it rounds to what is printed, or lies `within` a distance that the notes explain.

    within: the distance, for cells that are not equal to the last digit. must: the cell is known to reproduce; if it
    does not, something is wrong here, and the command fails.
    """

    row: str
    column: str
    printed: float
    recomputed: float
    equal: bool
    must: bool = True
    within: float | None = None

    @property
    def difference(self) -> float:
        return self.recomputed - self.printed


@dataclass(frozen=True)
class Unchecked:
    """A printed number that cannot be recomputed here, and why."""

    row: str
    column: str
    printed: float
    reason: str


@dataclass(frozen=True)
class Statement:
    """What a paper says about its data, in words or in a row beside the table's cells, and what is found here."""

    text: str
    holds: bool
    found: str = ""
    must: bool = True


@dataclass(frozen=True)
class Matrix:
    """P-values that the metric of a row is no better than that of a column, for a head-to-head figure."""

    title: str
    names: Sequence[str]
    p_values: Sequence[Sequence[float]]


@dataclass(frozen=True)
class Curve:
    """A statistic over the N best systems: (N, lowest, highest), by metric."""

    title: str
    points: Mapping[str, Sequence[tuple[int, float, float]]]


@dataclass(frozen=True)
class Reproduction:
    """A table or figure recomputed; `table` is its number, or "figure N".

    rows, columns: in the order of print. extra: rows that are not in print (row -> column -> value), such as metrics of
    ours. winners: by column, the rows that no other significantly outperforms, as bold print says.
    """

    cells: Sequence[Cell] = ()
    unchecked: Sequence[Unchecked] = ()
    statements: Sequence[Statement] = ()
    notes: Sequence[str] = ()
    extra: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    winners: Mapping[str, Sequence[str]] = field(default_factory=dict)
    matrices: Sequence[Matrix] = ()
    curves: Sequence[Curve] = ()
    decimals: int = 3  # in print
    paper: str = ""
    table: str = ""
    caption: str = ""
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()

    @property
    def title(self) -> str:
        """Paper, number and caption, as in "wmt19, Table 3: …"."""
        return f"{self.paper}, {title_of(self.table)}: {self.caption}"

    @property
    def equal(self) -> int:
        return sum(cell.equal for cell in self.cells)

    @property
    def failed(self) -> list[str]:
        """What should have matched and did not, in words."""
        cells = [
            f"{cell.row}, {cell.column}: printed {cell.printed:g}, recomputed {cell.recomputed:.6g}"
            for cell in self.cells
            if cell.must and not cell.equal
        ]
        return cells + [f"{one.text}: {one.found}" for one in self.statements if one.must and not one.holds]

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "paper": self.paper,
            "table": self.table,
            "caption": self.caption,
            "total": len(self.cells),
            "equal": self.equal,
            "cells": [
                {
                    "row": cell.row,
                    "column": cell.column,
                    "printed": cell.printed,
                    "recomputed": cell.recomputed,
                    "difference": cell.difference,
                    "equal": cell.equal,
                    "within": cell.within,
                    "must": cell.must,
                }
                for cell in self.cells
            ],
            "unchecked": [vars(one) for one in self.unchecked],
            "statements": [vars(one) for one in self.statements],
            "winners": {column: list(rows) for column, rows in self.winners.items()},
            "extra": {row: dict(columns) for row, columns in self.extra.items()},
            "matrices": [vars(one) for one in self.matrices],
            "curves": [vars(one) for one in self.curves],
            "notes": list(self.notes),
        }


class DataSets:
    """The data of one run: folders called as in the papers' modules (wmt14, wmt19_sys, …), or as in the catalogue."""

    def __init__(self, find: Callable[[str], Path | None]) -> None:
        self._find = find
        self._kept: dict[Hashable, Any] = {}

    @classmethod
    def under(cls, folder: str | Path) -> DataSets:
        """Those in a folder that has one folder for each; or is itself the one that is asked for."""
        place = Path(folder)
        if not place.is_dir():
            raise UsageError(f"There is no folder {place}.")

        def find(name: str) -> Path | None:
            for known in _names(name):
                if (place / known).is_dir():
                    return _inner(place / known, name)
            return place if place.resolve().name in _names(name) else None

        return cls(find)

    @classmethod
    def installed(cls, folder: str | Path) -> DataSets:
        """Those that `tercet data` keeps in its folder."""
        from ..data.catalogue import installed, where

        names = {item.name for item in installed(folder)}

        def find(name: str) -> Path | None:
            known = next((known for known in _names(name) if known in names), None)
            return None if known is None else _inner(where(known, folder), name)

        return cls(find)

    def __call__(self, name: str) -> Path | None:
        """The folder of a data set, None if it is not there."""
        return self._find(name)

    def needed(self, name: str) -> Path:
        """The folder of a data set that a table cannot do without."""
        found = self(name)
        if found is None:
            raise UsageError(self.lacking([name]))
        return found

    def lacking(self, names: Iterable[str]) -> str:
        """What is not there, and how to give it; empty if all is there."""
        missing = [name for name in names if self(name) is None]
        if not missing:
            return ""
        many = len(missing) > 1
        return (
            f"The data set{'s' if many else ''} {', '.join(map(_described, missing))} {'are' if many else 'is'} not "
            "there. Give the "
            f"folder that holds {'them' if many else 'it'} with --data, or add "
            f"{'each' if many else 'it'}: tercet data add FOLDER {missing[0]}."
        )

    def has(self, key: Hashable) -> bool:
        """Whether `once` has made this before."""
        return key in self._kept

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What several tables of one run need is made once."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept


def _names(name: str) -> list[str]:
    """A data set's names: the papers', and the catalogue's where it is another."""
    return [name, *([CATALOGUE[name]] if name in CATALOGUE else [])]


def _inner(folder: Path, name: str) -> Path:
    """The part of a folder that is of this name: an entry of the catalogue may hold several data sets."""
    return folder / name if (folder / name).is_dir() else folder


def _described(name: str) -> str:
    return f"{name} (in the catalogue: {CATALOGUE[name]})" if name in CATALOGUE else name


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper. expected: its CSV. needs: the data sets without which nothing can be recomputed.

    make: recomputes it; without it, `reason` says why no number can be recomputed. slow: it takes minutes, and is left
    out where not it alone is asked for.
    """

    caption: str
    expected: str | None = None
    needs: Sequence[str] = ()
    make: Callable[[DataSets], Reproduction] | None = None
    reason: str = ""
    slow: bool = False


def tables(paper: str) -> Mapping[str, PaperTable]:
    """The tables of a paper that can be asked for, by number; figures as "figure N"."""
    if paper not in PAPERS:
        raise UnknownName("paper", paper, [*PAPERS, "all"])
    found: Mapping[str, PaperTable] = import_module(f".{paper}", __name__).TABLES
    return found


def reproduce(
    paper: str, *, table: str | None = None, data: DataSets, progress: Callable[[str], None] | None = None
) -> list[Reproduction]:
    """The tables and figures of a paper, or one of them, recomputed from the data sets that are there.

    Of a whole paper, tables whose data are not there and slow ones come back with all numbers unchecked; asked for
    alone, the former are refused, the latter made. progress: called with the name of what comes next.
    """
    known = tables(paper)
    if table is not None:
        if table not in known:
            raise UnknownName(f"table or figure of {paper}", table, known)
        lacking = data.lacking(known[table].needs)
        if lacking:
            raise UsageError(f"{paper}, {title_of(table)}: {lacking}")
        known = {table: known[table]}
    found = []
    for name, one in known.items():
        if progress is not None:
            progress(f"{paper}, {title_of(name)}")
        found.append(_recompute(paper, name, one, data, alone=table is not None))
    return found


def _recompute(paper: str, name: str, table: PaperTable, data: DataSets, *, alone: bool) -> Reproduction:
    reason = table.reason or data.lacking(table.needs)
    if not reason and table.slow and not alone:
        option = f"--{name}" if name.startswith("figure") else f"--table {name}"
        reason = f"It takes minutes, and is made when asked for: tercet reproduce {paper} {option}."
    if reason or table.make is None:
        unchecked = all_unchecked(table.expected, reason) if table.expected else []
        found = Reproduction(unchecked=unchecked, notes=() if unchecked else (f"Not recomputed. {reason}",))
    else:
        found = _made(table.make, data, f"{paper}, {title_of(name)}")
    layout = printed(table.expected) if table.expected else Printed({})
    return replace(
        found, paper=paper, table=name, caption=table.caption, rows=tuple(layout.cells), columns=tuple(layout.columns)
    )


def _made(make: Callable[[DataSets], Reproduction], data: DataSets, title: str) -> Reproduction:
    """A table from its data. The user chose a folder, not what is in it: what is missing there is an error of data."""
    try:
        return make(data)
    except MissingDependency:
        raise
    except UsageError as error:
        raise DataError(f"{title}: {error} Is the data set complete?") from error


@dataclass(frozen=True)
class Printed:
    """A table in print: row -> column -> text; a blank is a cell that has no number."""

    cells: Mapping[str, Mapping[str, str]]

    @property
    def columns(self) -> list[str]:
        return list(next(iter(self.cells.values()), {}))

    def numbers(self) -> Iterator[tuple[str, str, str]]:
        """Row, column and text of every number."""
        for row, columns in self.cells.items():
            for column, text in columns.items():
                if text:
                    yield row, column, text


def printed(name: str) -> Printed:
    """A table of `expected/`, such as wmt19_t3; columns that hold half-widths end in _ci."""
    text = files(__name__).joinpath("expected", f"{name}.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(io.StringIO(text)))
    header = rows[0][1:]
    return Printed({row[0]: dict(zip(header, row[1:], strict=True)) for row in rows[1:]})


def title_of(table: str) -> str:
    """A table's name in print: Table 3, Figure 5."""
    return table.capitalize() if table.startswith(("figure", "text")) else f"Table {table}"


def check(
    row: str,
    column: str,
    text: str,
    value: float,
    *,
    within: float | None = None,
    decimals: int | None = None,
    must: bool = True,
) -> Cell:
    """A cell: equal if the value rounds to the printed text, or lies `within` a distance of it.

    decimals: of the print, where the copy of the table has lost zeros at the end.
    """
    number = float(text)
    if decimals is None:
        decimals = -int(Decimal(text).as_tuple().exponent)
    if isnan(value) or round(value, decimals) == round(number, decimals):
        return Cell(row, column, number, value, not isnan(value), must)
    near = within is not None and abs(value - number) <= within
    return Cell(row, column, number, value, near, must, within if near else None)


def all_unchecked(name: str, reason: str) -> list[Unchecked]:
    """Every number of a table, for the same reason."""
    return [Unchecked(row, column, float(text), reason) for row, column, text in printed(name).numbers()]
