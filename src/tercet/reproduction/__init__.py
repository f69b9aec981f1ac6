"""Tables of papers, recomputed from the data and compared with the printed numbers, cell by cell.

`tables.toml` lists the tables and figures of each paper; the functions that recompute them are in the paper's module;
`expected/` has the printed numbers as CSV. A cell is equal if it rounds to the printed number. Numbers that cannot be
recomputed are listed with the reason.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from importlib import import_module
from importlib.resources import files
from math import isnan
from pathlib import Path
from typing import Any, TypeVar

from ..data.catalogue import data_folder, installed, where
from ..errors import DataError, MissingDependency, UnknownName, UsageError
from .results import Cell as Cell
from .results import Curve as Curve
from .results import Matrix as Matrix
from .results import Reproduction as Reproduction
from .results import Reproductions as Reproductions
from .results import Statement as Statement
from .results import Unchecked as Unchecked
from .results import title_of as title_of

T = TypeVar("T")

ALL = "all"  # every paper

_LISTED = tomllib.loads(files(__name__).joinpath("tables.toml").read_text(encoding="utf-8"))
PAPERS: dict[str, str] = _LISTED["papers"]
CATALOGUE: Mapping[str, str] = _LISTED["catalogue"]


class DataSets:
    """The data sets of one run, by their names in the papers' modules (wmt14, wmt19_sys, …) or in the catalogue."""

    def __init__(self, find: Callable[[str], Path | None]) -> None:
        self._find = find
        self._kept: dict[Hashable, Any] = {}

    @classmethod
    def under(cls, folder: str | Path) -> DataSets:
        """Return the data sets in a folder that has one folder for each; the folder may also be a data set itself."""
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
        """Return the data sets in the folder of `tercet data`."""
        names = {item.name for item in installed(folder)}

        def find(name: str) -> Path | None:
            known = next((known for known in _names(name) if known in names), None)
            return None if known is None else _inner(where(known, folder), name)

        return cls(find)

    def __call__(self, name: str) -> Path | None:
        """Return the folder of a data set, or None if it is missing."""
        return self._find(name)

    def needed(self, name: str) -> Path:
        """Return the folder of a data set. Raise UsageError if it is missing."""
        found = self(name)
        if found is None:
            raise UsageError(self.missing([name]))
        return found

    def missing(self, names: Iterable[str]) -> str:
        """Return a message on missing data sets and how to provide them; empty if none is missing."""
        absent = [name for name in names if self(name) is None]
        if not absent:
            return ""
        many = len(absent) > 1
        return (
            f"The data set{'s' if many else ''} {', '.join(map(_described, absent))} {'were' if many else 'was'} not "
            f"found. Give the folder that contains {'them' if many else 'it'} with --data, or add "
            f"{'each' if many else 'it'}: tercet data add FOLDER {absent[0]}."
        )

    def has(self, key: Hashable) -> bool:
        """Return whether `once` has computed this before."""
        return key in self._kept

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return `make()`, computed only once for all tables of the run that need it."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept


def _names(name: str) -> list[str]:
    """Return the names of a data set: in the papers' modules and, if it differs, in the catalogue."""
    return [name, *([CATALOGUE[name]] if name in CATALOGUE else [])]


def _inner(folder: Path, name: str) -> Path:
    """Return the subfolder of this name if there is one: a catalogue entry may contain several data sets."""
    return folder / name if (folder / name).is_dir() else folder


def _described(name: str) -> str:
    return f"{name} (in the catalogue: {CATALOGUE[name]})" if name in CATALOGUE else name


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper. expected: its CSV. needs: the data sets that are required to recompute it.

    make: the function that recomputes it; without one, `reason` says why. slow: it takes minutes, and is recomputed
    only if it is requested alone. notes: printed below it, with {names} of `Reproduction.note_values`.
    """

    caption: str
    expected: str | None = None
    needs: Sequence[str] = ()
    make: Callable[[DataSets], Reproduction] | None = None
    reason: str = ""
    slow: bool = False
    notes: Sequence[str] = ()


def read_tables(paper: str, module: Mapping[str, Any]) -> dict[str, PaperTable]:
    """Return the tables of a paper from `tables.toml`, with the functions of its module."""
    found = {}
    for name, fields in _LISTED[paper].items():
        fields = dict(fields)
        if "make" in fields:
            make, options = module[fields["make"]], fields.pop("options", None)
            fields["make"] = partial(make, **options) if options else make
        found[name] = PaperTable(**fields)
    return found


def tables(paper: str) -> Mapping[str, PaperTable]:
    """Return the tables of a paper by number; figures are "figure N"."""
    if paper not in PAPERS:
        raise UnknownName("paper", paper, [*PAPERS, ALL])
    found: Mapping[str, PaperTable] = import_module(f".{paper}", __name__).TABLES
    return found


def reproduce(
    paper: str,
    *,
    table: str | None = None,
    figure: str | None = None,
    data: str | Path | DataSets | None = None,
    progress: Callable[[str], None] | None = None,
) -> Reproductions:
    """Recompute the tables and figures of a paper and compare them with the printed numbers.

    This is the function of `tercet reproduce`.

    Parameters
    ----------
    paper : {"wmt14", "wmt19", "kobe", "thesis", "specia", "all"}
        The paper.
    table, figure : str, optional
        The number of one table or figure, such as "3" or "A.1". Default: all. Of a whole paper, tables that take
        minutes or whose data are missing are returned with all their numbers unchecked. A table that is requested alone
        is computed even if it takes minutes, and missing data raise UsageError.
    data : str, Path or DataSets, optional
        The folder that contains the data sets, one folder each. Default: the folder of `tercet data`.
    progress : callable, optional
        Called with the name of the next table.

    Returns
    -------
    Reproductions
        One `Reproduction` per table. It has `to_dict()` and `to_pandas()`.

    Examples
    --------
    Tables for which there are no data are returned too, with the reason:

    >>> import tercet
    >>> found = tercet.reproduce("wmt19", table="8")
    >>> found[0].title
    'wmt19, Table 8: segment level, without English, tau of daRR'
    >>> found[0].unchecked[0].reason
    "The task's daRR pairs of these language pairs are not available."
    """
    if table is not None and figure is not None:
        raise UsageError("Give --table or --figure, not both.")
    if figure is not None:
        table = f"figure {figure}"
    if table is not None and paper == ALL:
        raise UsageError("--table and --figure need a paper: tercet reproduce PAPER --table N.")
    known = {name: tables(name) for name in (PAPERS if paper == ALL else (paper,))}
    if not isinstance(data, DataSets):
        data = DataSets.installed(data_folder()) if data is None else DataSets.under(data)
    if table is not None:
        if table not in known[paper]:
            raise UnknownName(f"table or figure of {paper}", table, known[paper])
        missing = data.missing(known[paper][table].needs)
        if missing:
            raise UsageError(f"{paper}, {title_of(table)}: {missing}")
        known = {paper: {table: known[paper][table]}}
    found = []
    for of_paper, those in known.items():
        for name, one in those.items():
            if progress is not None:
                progress(f"{of_paper}, {title_of(name)}")
            found.append(_recompute(of_paper, name, one, data, alone=table is not None))
    return Reproductions(tuple(found), single=table is not None)


def _recompute(paper: str, name: str, table: PaperTable, data: DataSets, *, alone: bool) -> Reproduction:
    reason = table.reason or data.missing(table.needs)
    if not reason and table.slow and not alone:
        option = f"--{name}" if name.startswith("figure") else f"--table {name}"
        reason = f"It takes minutes. To recompute it, run: tercet reproduce {paper} {option}."
    if reason or table.make is None:
        unchecked = all_unchecked(table.expected, reason) if table.expected else []
        found = Reproduction(unchecked=unchecked, notes=() if unchecked else (f"Not recomputed. {reason}",))
    else:
        found = _made(table.make, data, f"{paper}, {title_of(name)}")
        notes = (note.format_map(found.note_values) for note in table.notes)
        found = replace(found, notes=(*notes, *found.notes))
    layout = printed(table.expected) if table.expected else Printed({})
    return replace(
        found, paper=paper, table=name, caption=table.caption, rows=tuple(layout.cells), columns=tuple(layout.columns)
    )


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


def printed(name: str) -> Printed:
    """Return a table of `expected/`, such as wmt19_t3; the names of columns of half-widths end in _ci."""
    text = files(__name__).joinpath("expected", f"{name}.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(io.StringIO(text)))
    header = rows[0][1:]
    return Printed({row[0]: dict(zip(header, row[1:], strict=True)) for row in rows[1:]})


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
    """Return a cell: equal if the value rounds to the printed text, or if the difference is at most `within`.

    decimals: the number of printed decimals, if the copy of the table has lost final zeros.
    """
    number = float(text)
    if decimals is None:
        decimals = -int(Decimal(text).as_tuple().exponent)
    if isnan(value) or round(value, decimals) == round(number, decimals):
        return Cell(row, column, number, value, not isnan(value), must)
    near = within is not None and abs(value - number) <= within
    return Cell(row, column, number, value, near, must, within if near else None)


def all_unchecked(name: str, reason: str) -> list[Unchecked]:
    """Return every number of a table as unchecked, with the same reason."""
    return [Unchecked(row, column, float(text), reason) for row, column, text in printed(name).numbers()]
