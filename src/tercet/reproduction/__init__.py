"""Tables of papers, recomputed from the data and compared with the printed numbers, cell by cell.

`tables.toml` lists the data sets, and the tables and figures of each paper with the data that they need; the functions
that recompute them are in the paper's modules; `expected/` has the printed numbers as CSV. A cell agrees if it rounds
to the printed number, or lies in the interval that the paper prints with it; the two are counted apart, and so are
half-widths of intervals. Numbers that cannot be recomputed are listed with the reason, or with the files that would
make it possible.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from importlib import import_module
from importlib.resources import files
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..data.catalogue import data_folder
from ..engine import open_executor
from ..errors import DataError, MissingDependency, UnknownName, UsageError
from .results import Cell as Cell
from .results import Curve as Curve
from .results import Matrix as Matrix
from .results import Plot as Plot
from .results import Reproduction as Reproduction
from .results import Reproductions as Reproductions
from .results import Statement as Statement
from .results import Unchecked as Unchecked
from .results import title_of as title_of
from .sources import EVERY_ROW, read_sources
from .sources import DataSets as DataSets

ALL = "all"  # every paper
LEFT_OUT = "It was left out of this run; --rows all computes all rows."

_LISTED = tomllib.loads(files(__name__).joinpath("tables.toml").read_text(encoding="utf-8"))
PAPERS: dict[str, str] = _LISTED["papers"]
SOURCES = read_sources(_LISTED["data"])
SLOW: list[str] = _LISTED["rows"]["slow"]  # metrics
CONTRADICTIONS: list[dict[str, str]] = _LISTED["contradictions"]


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper. expected: its CSV. needs: the data sets to recompute it; "a or b": one of two.

    make: the function that recomputes it; without one, `reason` says why. notes: printed below it, with {names} of
    `Reproduction.note_values`. required: rows whose numbers must be equal or near, except those in `differs` ("row
    column").
    """

    caption: str
    expected: str | None = None
    needs: Sequence[str] = ()
    make: Callable[[DataSets], Reproduction] | None = None
    reason: str = ""
    notes: Sequence[str] = ()
    required: Sequence[str] = ()
    differs: Sequence[str] = ()

    @property
    def own_rows(self) -> Mapping[str, str]:
        """The rows with our own metrics: name and metric."""
        return self.make.keywords.get("rows", {}) if isinstance(self.make, partial) else {}


def read_tables(paper: str, module: Mapping[str, Any]) -> dict[str, PaperTable]:
    """Return the tables of a paper from `tables.toml`, with the functions of its module."""
    found = {}
    for name, fields in _LISTED[paper].items():
        fields = dict(fields)
        if "make" in fields:
            options = fields.pop("options", {}) | {key: fields.pop(key) for key in ("rows", "same") if key in fields}
            make = module[fields["make"]]
            fields["make"] = partial(make, **options) if options else make
        found[name] = PaperTable(**fields)
    return found


def tables(paper: str) -> Mapping[str, PaperTable]:
    """Return the tables of a paper by number; figures are "figure N"."""
    if paper not in PAPERS:
        raise UnknownName("paper", paper, [*PAPERS, ALL])
    found: Mapping[str, PaperTable] = import_module(f".{paper}", __name__).TABLES
    return found


def list_tables() -> list[dict[str, Any]]:
    """Return one dictionary per table and figure: its caption, the data that it needs, or why it cannot be made."""
    return [
        {"paper": paper, "table": name, "caption": one.caption, "data": list(one.needs), "reason": one.reason}
        for paper in PAPERS
        for name, one in tables(paper).items()
    ]


def reproduce(
    paper: str,
    *,
    table: str | None = None,
    figure: str | None = None,
    data: str | Path | Sequence[str | Path] | DataSets = (),
    rows: Sequence[str] | None = None,
    cache: str | Path | None = None,
    jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> Reproductions:
    """Recompute the tables and figures of a paper and compare them with the printed numbers.

    This is the function of `tercet reproduce`.

    Parameters
    ----------
    paper : {"wmt14", "wmt19", "kobe", "thesis", "specia", "all"}
        The paper.
    table, figure : str, optional
        The number of one table or figure, such as "3" or "A.1". Default: all. Of a whole paper, tables whose data are
        missing are returned with all their numbers unchecked. For a table that is requested alone, missing data raise
        UsageError.
    data : str, Path, DataSets, or a list of paths
        The folders that contain the data sets. Data sets of `tercet data` are found too.
    rows : list of str, optional
        Which rows with Tercet's own metrics to compute, by name; an empty list for none, ["all"] for all. Default: all
        but those that need a parser or a network, which take minutes to hours for all texts of a paper.
    cache : str or Path, optional
        A folder in which finished counts are kept: a second run is faster.
    jobs : int
        The number of processes; 0 for all cores.
    progress : callable, optional
        Called with the name of the next table, and with what is done of it.

    Returns
    -------
    Reproductions
        One `Reproduction` per table. It has `to_dict()` and `to_pandas()`.

    Examples
    --------
    Tables for which there are no data are returned too, with the reason:

    >>> import tercet
    >>> found = tercet.reproduce("thesis", table="3.4")
    >>> found[0].title
    'thesis, Table 3.4: precision and recall of transformation rules'
    >>> found[0].unchecked[0].reason
    'It is of a manual analysis of 290 sentences, which was not published.'
    """
    if table is not None and figure is not None:
        raise UsageError("Give --table or --figure, not both.")
    if figure is not None:
        table = f"figure {figure}"
    if table is not None and paper == ALL:
        raise UsageError("--table and --figure need a paper: tercet reproduce PAPER --table N.")
    known = {name: tables(name) for name in (PAPERS if paper == ALL else (paper,))}
    if isinstance(data, DataSets):
        return _recomputed(known, table, data, progress)
    folders = [data] if isinstance(data, str | Path) else data
    # Tables share processes and counts: without a cache of the user's, counts are kept until the end of the run.
    kept = TemporaryDirectory(prefix="tercet-") if cache is None else nullcontext(cache)
    with kept as folder, open_executor(jobs) as executor:
        options = {"cache": folder, "executor": executor, "progress": progress, "rows": rows, "slow": SLOW}
        return _recomputed(known, table, DataSets.under(*folders, also=data_folder(), **options), progress)


def _recomputed(
    known: Mapping[str, Mapping[str, PaperTable]],
    table: str | None,
    data: DataSets,
    progress: Callable[[str], None] | None,
) -> Reproductions:
    """Recompute one table of a paper, or all tables of all papers in `known`."""
    if table is not None:
        ((paper, those),) = known.items()
        if table not in those:
            raise UnknownName(f"table or figure of {paper}", table, those)
        missing = data.missing(those[table].needs)
        if missing:
            raise UsageError(f"{paper}, {title_of(table)}: {missing}")
        known = {paper: {table: those[table]}}
    own = {row for those in known.values() for one in those.values() for row in one.own_rows}
    for row in data.rows or ():
        if row not in own and row != EVERY_ROW:
            raise UnknownName("row with a metric of ours", row, own)
    found: list[Reproduction] = []
    total = sum(map(len, known.values()))
    for paper, those in known.items():
        for name, one in those.items():
            data.title = f"{paper}, {title_of(name)}"
            if progress is not None:
                progress(f"{data.title} ({len(found) + 1} of {total})")
            found.append(_recompute(paper, name, one, data))
    return Reproductions(tuple(found), single=table is not None)


def _recompute(paper: str, name: str, table: PaperTable, data: DataSets) -> Reproduction:
    reason = table.reason or data.missing(table.needs)
    if reason or table.make is None:
        unchecked = all_unchecked(table.expected, reason) if table.expected else []
        found = Reproduction(unchecked=unchecked, notes=() if unchecked else (f"Not recomputed. {reason}",))
    else:
        found = _made(table.make, data, f"{paper}, {title_of(name)}")
        notes = (note.format_map(found.note_values) for note in table.notes)
        found = replace(found, cells=[_required(cell, table) for cell in found.cells], notes=(*notes, *found.notes))
        found = _without_left_out(found, [row for row, spec in table.own_rows.items() if not data.asks_for(row, spec)])
    layout = printed(table.expected) if table.expected else Printed({})
    derived = _derived(table.expected, found) if table.expected else []
    followed = {(cell.row, cell.column) for cell in derived}
    return replace(
        found,
        derived=derived,
        unchecked=[one for one in found.unchecked if (one.row, one.column) not in followed],
        paper=paper,
        table=name,
        caption=table.caption,
        rows=tuple(layout.cells),
        columns=tuple(layout.columns),
        needs=tuple(table.needs),
    )


def _without_left_out(found: Reproduction, rows: Sequence[str]) -> Reproduction:
    """Return the table with a note on rows that were not asked for; their numbers are unchecked for this reason."""
    if not rows:
        return found
    columns = {cell.column for cell in found.cells}
    unchecked = [
        replace(one, reason=LEFT_OUT) if one.row in rows and one.column in columns else one for one in found.unchecked
    ]
    note = f"Left out of this run (--rows all computes all rows): {', '.join(rows)}."
    return replace(found, unchecked=unchecked, notes=(*found.notes, note))


def _derived(expected: str, found: Reproduction) -> list[Cell]:
    """Return the numbers that follow from other printed numbers and were not recomputed from data."""
    from .derived import derived_cells

    known = {(cell.row, cell.column) for cell in found.cells}
    return [cell for cell in derived_cells(expected) if (cell.row, cell.column) not in known]


def _required(cell: Cell, table: PaperTable) -> Cell:
    """Return the cell, required if the table says so of its row."""
    must = cell.must or cell.row in table.required
    return replace(cell, must=must and f"{cell.row} {cell.column}" not in table.differs)


def _made(make: Callable[[DataSets], Reproduction], data: DataSets, title: str) -> Reproduction:
    """Return a recomputed table. Missing content in the data folder raises DataError instead of UsageError."""
    try:
        return make(data)
    except MissingDependency:
        raise
    except UsageError as error:
        raise DataError(f"{title}: {error} Is the data set complete?") from error


@dataclass(frozen=True)
class Printed:
    """A printed table: row -> column -> text; empty text is a cell without a number."""

    cells: Mapping[str, Mapping[str, str]]

    @property
    def columns(self) -> list[str]:
        return list(next(iter(self.cells.values()), {}))

    def numbers(self) -> Iterator[tuple[str, str, str]]:
        """Yield row, column and text of every number."""
        for row, columns in self.cells.items():
            for column, text in columns.items():
                if text:
                    yield row, column, text

    def half_width(self, row: str, column: str) -> float | None:
        """Return what is printed after ± beside a number, or None."""
        text = self.cells[row].get(f"{column}_ci", "")
        return float(text) if text else None


def printed(name: str) -> Printed:
    """Return a table of `expected/`, such as wmt19_t3; the names of columns of half-widths end in _ci."""
    rows = list(csv.reader(io.StringIO(_expected_text(name))))
    header = rows[0][1:]
    return Printed({row[0]: dict(zip(header, row[1:], strict=True)) for row in rows[1:]})


def _expected_text(name: str) -> str:
    return files(__name__).joinpath("expected", f"{name}.csv").read_text(encoding="utf-8")


def check(
    row: str,
    column: str,
    text: str,
    value: float,
    *,
    within: float | None = None,
    interval: float | None = None,
    decimals: int | None = None,
    must: bool = True,
) -> Cell:
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


def compare_rows(
    expected: str, values: Mapping[str, Mapping[str, float]], *, decimals: int = 3, no_half_widths: str = ""
) -> Reproduction:
    """Compare values by row and column with a printed table; none is required to be equal.

    no_half_widths: why columns of half-widths are not checked.
    """
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    for row, column, text in printed(expected).numbers():
        if column in values.get(row, {}):
            cells.append(check(row, column, text, values[row][column], must=False))
        else:
            reason = no_half_widths if column.endswith("_ci") else f"The data have no {column} of {row}."
            unchecked.append(Unchecked(row, column, float(text), reason))
    return Reproduction(cells, unchecked, decimals=decimals)


def all_unchecked(name: str, reason: str) -> list[Unchecked]:
    """Return every number of a table as unchecked, with the same reason."""
    return [Unchecked(row, column, float(text), reason) for row, column, text in printed(name).numbers()]
