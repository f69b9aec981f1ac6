"""Kendall's tau on pairs that people compared: the variants of the WMT metrics tasks, each a table of nine numbers.

Machacek and Bojar (2014), "Results of the WMT14 Metrics Shared Task", section 4.1, write every variant as a table C
over the human outcome (rows) and the metric's outcome (columns): tau = sum of C * pairs / pairs, over all cells that
are not left out. Both sums are additive, so the bootstrap works on tau as on any other score.

The sign of a pair is that of left - right: 1 if the left output is better, -1 if the right one is, 0 for a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError, UnknownName, UsageError
from ..types import Floats

X = np.nan  # the pair is left out
VARIANTS = {  # rows: people prefer left, tie, prefer right; columns: the same for the metric
    "wmt12": [[1, -1, -1], [X, X, X], [-1, -1, 1]],  # also WMT17 to WMT20, on daRR pairs
    "wmt13": [[1, X, -1], [X, X, X], [-1, X, 1]],
    "wmt14": [[1, 0, -1], [X, X, X], [-1, 0, 1]],
    "hties": [[1, 0, -1], [0, 1, 0], [-1, 0, 1]],
}
DEFAULT = "wmt14"


@dataclass(frozen=True)
class Tau:
    """A variant of tau by name, or any table that `parse_table` reads."""

    variant: str | None = None  # default wmt14, if there is no table
    table: str | None = None

    def __post_init__(self) -> None:
        if self.table is not None:
            if self.variant is not None:
                raise UsageError(f"Tau takes a variant or a table, not both: {self.variant!r} and {self.table!r}.")
            parse_table(self.table)
        elif self.variant is None:
            object.__setattr__(self, "variant", DEFAULT)
        elif self.variant not in VARIANTS:
            raise UnknownName("tau variant", self.variant, VARIANTS)

    @classmethod
    def parse(cls, text: str) -> Tau:
        """Return the variant of this name, or the table of this text."""
        return cls(table=text) if "," in text else cls(text)

    @property
    def cells(self) -> Floats:
        """The table as one row, shape (9,); NaN where pairs are left out."""
        if self.table is not None:
            return parse_table(self.table).ravel()
        return np.array(VARIANTS[self.variant or DEFAULT], dtype=np.float64).ravel()


def tau_ratio(columns: Floats) -> Floats:
    """Return tau from sums of agreement and of pairs that count, shape (..., 2) -> (...); NaN if no pair counts."""
    agreement, pairs = np.asarray(columns)[..., 0], np.asarray(columns)[..., 1]
    return np.divide(agreement, pairs, out=np.full_like(pairs, np.nan), where=pairs > 0)


def parse_table(text: str) -> Floats:
    """Parse a table such as 1,0,-1;0,1,0;-1,0,1 into shape (3, 3): rows are human outcomes, X (NaN) is left out."""
    rows = [[cell.strip() for cell in row.split(",")] for row in text.split(";")]
    if [len(row) for row in rows] != [3, 3, 3]:
        raise UsageError(f"A tau table has three rows of three cells, such as 1,0,-1;X,X,X;-1,0,1, not {text!r}.")
    table = np.array([[_cell(cell, text) for cell in row] for row in rows])
    if np.isnan(table).all():
        raise UsageError(f"The tau table {text!r} leaves out every pair.")
    return table


def _cell(cell: str, text: str) -> float:
    if cell in ("X", "x"):
        return X
    try:
        value = float(cell)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise UsageError(f"A cell of a tau table is a number or X, not {cell!r} in {text!r}.")
    return value


def signs(left: ArrayLike, right: ArrayLike, *, tolerance: float = 0.0) -> Floats:
    """Return 1 where left is higher, -1 where right is, 0 for a tie up to `tolerance`, NaN where either is missing."""
    if not tolerance >= 0:
        raise UsageError(f"The tolerance for ties must be 0 or more, not {tolerance!r}.")
    one, other = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    result = np.where(one > other, 1.0, np.where(one < other, -1.0, 0.0))
    if tolerance:
        with np.errstate(invalid="ignore"):
            result[np.abs(one - other) <= tolerance] = 0.0
    result[np.isnan(one) | np.isnan(other)] = np.nan
    return result


def tau_columns(
    human: ArrayLike, metric: ArrayLike, tau: Tau | None = None, *, groups: ArrayLike | None = None
) -> Floats:
    """Return agreement and the number of pairs that count, by group. `tau_ratio` takes sums of them.

    human, metric: signs, shapes (pairs,) and (..., pairs); the result has shape (..., groups, 2). `groups` has the
    number of each pair's group, from 0, such as its segment; by default each pair is a group. A group with a NaN sign
    is NaN.
    """
    people, said = _signs(human, metric)
    table = (tau or Tau()).cells
    numbers, size = _groups(groups, len(people))
    # The table's row for each pair; the metric's sign then selects one of its three cells.
    worth = table.reshape(3, 3)[_places(people)]
    shape = said.shape[:-1]
    flat = said.reshape(prod(shape), len(people))
    columns = np.empty((len(flat), size, 2))
    pairs = np.arange(len(people))
    for row, of_row in zip(flat, columns, strict=True):
        value = worth[pairs, _places(row)]
        counted = ~np.isnan(value)
        for column, weights in enumerate((np.where(counted, value, 0.0), counted.astype(np.float64))):
            of_row[:, column] = weights if groups is None else np.bincount(numbers, weights, minlength=size)
        of_row[numbers[np.isnan(row) | np.isnan(people)]] = np.nan
    return columns.reshape(*shape, size, 2)


def _places(of_signs: Floats) -> NDArray[np.int64]:
    """Return 0, 1, 2 for 1, 0, -1. A missing sign gets any index; its group is set to NaN afterwards."""
    return (1 - np.nan_to_num(of_signs)).astype(np.int64)


def _signs(human: ArrayLike, metric: ArrayLike) -> tuple[Floats, Floats]:
    people, said = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    if people.ndim != 1 or said.shape[-1:] != people.shape:
        raise UsageError(f"Signs of the metric, shape {said.shape}, do not match human signs, shape {people.shape}.")
    for who, values in (("people's judgements", people), ("the metric", said)):
        if not (np.isnan(values) | (np.abs(values) == 1) | (values == 0)).all():
            raise UsageError(f"The signs of {who} must be -1, 0 or 1 (see `signs`).")
    return people, said


def _groups(groups: ArrayLike | None, pairs: int) -> tuple[NDArray[np.int64], int]:
    numbers = np.arange(pairs) if groups is None else np.asarray(groups)
    if numbers.shape != (pairs,) or (pairs and not np.issubdtype(numbers.dtype, np.integer)):
        raise UsageError(f"Groups must be one integer for each of the {pairs} pairs.")
    numbers = numbers.astype(np.int64)
    size = int(numbers.max()) + 1 if pairs else 0
    if pairs and int(numbers.min()) < 0:
        raise DataError(f"Groups of pairs must be numbered from 0 to {size - 1}, not {numbers.min()} to {size - 1}.")
    return numbers, size
