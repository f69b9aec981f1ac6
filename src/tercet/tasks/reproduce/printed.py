"""Printed tables, and cells that compare them with recomputed numbers: by rounding, or within the printed interval."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from math import isnan
from typing import Any

from .results import Cell, Reproduction, Unchecked


@dataclass(frozen=True)
class Printed:
    """A printed table: row -> column -> text; empty text is a cell without a number."""

    cells: Mapping[str, Mapping[str, str]]

    @property
    def columns(self) -> list[str]:
        return list(next(iter(self.cells.values()), {}))

    def numbers(self) -> Iterator[tuple[str, str, str]]:
        for row, columns in self.cells.items():
            for column, text in columns.items():
                if text:
                    yield row, column, text

    def half_width(self, row: str, column: str) -> float | None:
        text = self.cells[row].get(f"{column}_ci", "")
        return float(text) if text else None


def printed(name: str) -> Printed:
    """Return a table of `expected/`, such as wmt19_t3; the names of columns of half-widths end in _ci."""
    rows = list(csv.reader(io.StringIO(_expected_text(name))))
    header = rows[0][1:]
    return Printed({row[0]: dict(zip(header, row[1:], strict=True)) for row in rows[1:]})


def _expected_text(name: str) -> str:
    return expected_file(f"{name}.csv")


def expected_file(name: str) -> str:
    """Return the text of a file of `expected/`."""
    return files(__package__).joinpath("expected", name).read_text(encoding="utf-8")


def check(
    row: str, column: str, text: str, value: float, *, within: float | None = None, interval: float | None = None,
    decimals: int | None = None, must: bool = True,
) -> Cell:  # fmt: skip
    """Return a cell. It agrees if the value rounds to the printed text, or lies in the printed interval.

    interval: the half-width that the paper prints beside the number. within: a tolerance of ours; a cell within it is
    near, not equal. decimals: the number of printed decimals, if the copy of the table has lost final zeros.
    """
    number = float(text)
    if decimals is None:
        decimals = -int(Decimal(text).as_tuple().exponent)
    if isnan(value) or round(value, decimals) == round(number, decimals):
        return Cell(row, column, number, value, not isnan(value), must)
    if interval is not None and abs(value - number) <= interval:
        return Cell(row, column, number, value, True, must, interval=interval)
    near = within is not None and abs(value - number) <= within
    return Cell(row, column, number, value, False, must, within=within if near else None)


def _absent(row: str, column: str) -> str:
    return f"The data have no {column} of {row}."


def compare(
    expected: str,
    values: Mapping[str, Mapping[str, float]],
    reason: str | Callable[[str, str], str] = _absent,
    how: Callable[[str, str], Mapping[str, Any]] = lambda row, column: {},
    *,
    must: bool = False,
    **fields: Any,
) -> Reproduction:
    """Compare values by row and column with a printed table.

    reason: why a number that has no value is not checked, perhaps by row and column. how: options of `check` by row and
    column. must: whether numbers are required to be equal, unless `how` says it. fields: others of the result.
    """
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    for row, column, text in printed(expected).numbers():
        if column in values.get(row, {}):
            cells.append(check(row, column, text, values[row][column], **{"must": must, **how(row, column)}))
        else:
            why = reason if isinstance(reason, str) else reason(row, column)
            unchecked.append(Unchecked(row, column, float(text), why))
    return Reproduction(cells, unchecked, **fields)


def all_unchecked(name: str, reason: str) -> list[Unchecked]:
    """Return every number of a table as unchecked, with the same reason."""
    return [Unchecked(row, column, float(text), reason) for row, column, text in printed(name).numbers()]
