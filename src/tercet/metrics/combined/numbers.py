"""Numbers: what another program says of each output, from a table; for features of your own.

The table is a TSV file with a header. Its column "output" has the texts, all others numbers. `tercet learn` takes them
as features (numbers@*), and the learned metric reads a table with the same columns for new outputs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...data.files import file_state
from ...data.tables import read_table
from ...errors import DataError, UnknownName, UsageError
from .. import Floats, PartsMetric, Shard, param

TEXT = "output"

Table = tuple[tuple[str, ...], Mapping[str, tuple[float, ...]]]  # names of numbers; the numbers of each output


@dataclass(frozen=True)
class Numbers(PartsMetric):
    """A number of a table for each output; the mean of segments.

    table: a TSV file with the column "output" and columns of numbers.
    column: the column that is the score; by default the first. The others are parts.
    """

    table: str | None = param(file=True, local=True)
    column: str | None = None

    needs = frozenset[str]()
    paper = "docs/metrics/numbers.md"

    @property
    def lacks(self) -> str:
        return "" if self.table else "a table: numbers:table=FILE, with the column 'output' and numbers"

    def open(self, state: object) -> Table:
        if self.table is None:
            raise UsageError(f"numbers needs {self.lacks}.")
        return _read(self.table, file_state(self.table))

    def count(self, shard: Shard, opened: Table) -> dict[str, Floats]:
        """Count the chosen number, 1, and all numbers."""
        names, rows = opened
        if self.column is not None and self.column not in names:
            raise UnknownName(f"column in {self.table}", self.column, names)
        place = 0 if self.column is None else names.index(self.column)
        counts = {}
        for system, outputs in shard.outputs.items():
            if (lost := next((text for text in outputs if text not in rows), None)) is not None:
                raise DataError(f"{self.table} has no row for the output {lost[:60]!r} of {system}.")
            values = np.array([rows[text] for text in outputs], dtype=np.float64)
            counts[system] = np.column_stack([values[:, place], np.ones(len(values)), values])
        return counts

    @property
    def part_names(self) -> tuple[str, ...]:
        return self.open(None)[0]


@lru_cache(maxsize=2)
def _read(path: str, state: object) -> tuple[tuple[str, ...], dict[str, tuple[float, ...]]]:
    table = read_table(path)
    names = tuple(name for name in table.header if name != TEXT)
    if TEXT not in table.header or not names:
        raise DataError(f"{path}, line 1: a column 'output' and at least one column of numbers are needed.")
    rows: dict[str, tuple[float, ...]] = {}
    for place, fields in table.records(TEXT, *names):
        try:
            values = tuple(float(field) for field in fields[1:])
        except ValueError:
            raise DataError(f"{place}: {' '.join(fields[1:])!r} are not numbers.") from None
        if not all(map(np.isfinite, values)):
            raise DataError(f"{place}: every number must be finite.")
        if rows.setdefault(fields[0], values) != values:
            raise DataError(f"{place}: this output has other numbers in an earlier line.")
    return names, rows
