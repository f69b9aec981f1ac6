"""Recompute tables: make each, mark what is required, and list what could not be checked, with the reason."""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from ...errors import DataError, MissingDependency, UnknownName, UsageError
from .derived import derived_cells
from .printed import all_unchecked, printed
from .results import Cell, Reproduction, Reproductions, title_of
from .sources import EVERY_ROW, DataSets
from .tables import PaperTable

LEFT_OUT = "It was left out of this run; --rows all computes all rows."


@contextmanager
def rare_collection() -> Iterator[None]:
    """Look for cyclic garbage less often: with the texts of all papers in memory it took a third of a run."""
    usual = gc.get_threshold()
    gc.set_threshold(100_000, 50, 50)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def recompute(
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
            found.append(replace(_recompute(one, data), paper=paper, table=name))
    return Reproductions(tuple(found), single=table is not None)


def _recompute(table: PaperTable, data: DataSets) -> Reproduction:
    reason = table.reason or data.missing(table.needs) or _left_out(table, data)
    if reason or table.make is None:
        unchecked = all_unchecked(table.expected, reason) if table.expected else []
        found = Reproduction(unchecked=unchecked, notes=() if unchecked else (f"Not recomputed. {reason}",))
    else:
        found = _made(table.make, data)
        notes = (note.format_map(found.note_values) for note in table.notes)
        found = replace(found, cells=[_required(cell, table) for cell in found.cells], notes=(*notes, *found.notes))
        found = _without_left_out(found, [row for row, spec in table.own_rows.items() if not data.asks_for(row, spec)])
    found = replace(found, caption=table.caption, needs=tuple(table.needs))
    if not table.expected:
        return found
    layout, recomputed = printed(table.expected), {(cell.row, cell.column) for cell in found.cells}
    derived = [cell for cell in derived_cells(table.expected) if (cell.row, cell.column) not in recomputed]
    followed = {(cell.row, cell.column) for cell in derived}
    unchecked = [one for one in found.unchecked if (one.row, one.column) not in followed]
    rows, columns = tuple(layout.cells), tuple(layout.columns)
    return replace(found, derived=derived, unchecked=unchecked, rows=rows, columns=columns)


def _left_out(table: PaperTable, data: DataSets) -> str:
    """Return why a table of one metric is not made; empty if its row was asked for."""
    return "" if all(data.asks_for(row, spec) for row, spec in table.of.items()) else LEFT_OUT


def _without_left_out(found: Reproduction, rows: Sequence[str]) -> Reproduction:
    """Return the table with a note on rows that were not asked for; their numbers are unchecked for this reason."""
    if not rows:
        return found
    columns = {cell.column for cell in found.cells}
    unchecked = [
        replace(one, reason=LEFT_OUT) if one.row in rows and (not columns or one.column in columns) else one
        for one in found.unchecked
    ]
    note = f"Left out of this run (--rows all computes all rows): {', '.join(rows)}."
    return replace(found, unchecked=unchecked, notes=(*found.notes, note))


def _required(cell: Cell, table: PaperTable) -> Cell:
    """Return the cell, required if the table says so of its row."""
    must = cell.must or cell.row in table.required
    return replace(cell, must=must and f"{cell.row} {cell.column}" not in table.differs)


def _made(make: Callable[[DataSets], Reproduction], data: DataSets) -> Reproduction:
    """Return a recomputed table. Missing content in the data folder raises DataError instead of UsageError."""
    try:
        return make(data)
    except MissingDependency:
        raise
    except UsageError as error:
        raise DataError(f"{data.title}: {error} Is the data set complete?") from error
