"""Tables with a header, separated by tabs, or else commas (quoted as in CSV) or blanks; and the scores in them."""

import csv
import logging
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from ..errors import DataError
from ..types import Floats
from .field_checks import choose_pair, same_width
from .field_checks import number as number
from .formats.format import separator_of
from .lines import csv_reader, read_lines
from .scores import MetricRecord, Scores

log = logging.getLogger(__name__)

LONGEST_ROW = 1000  # lines of a row with quoted fields; real ones have a few

# Names of columns with human scores -> (our name, label, kind of judgement). In all of WMT's tables "DA" alone means
# scores standardised by rater. System and segment scores of one name are one gold standard.
HUMAN: Mapping[str, tuple[str, str, str]] = {
    column: (metric, label, kind)
    for metric, label, kind, columns in (
        ("da", "DA", "z", "DA DA_z Z.SCR HUMAN"),
        ("da_raw", "DA raw", "da", "DA_raw RAW.SCR HUMAN_RAW"),
        ("da_sqm", "DA+SQM", "da", "da_sqm da-sqm"),
        ("mqm", "MQM", "mqm", "mqm mqm_avg_score"),
        ("esa", "ESA", "esa", "esa"),
        ("effort", "effort", "likert", "effort"),
        ("wmt-z", "wmt-z", "z", "wmt-z"),
        ("wmt-raw", "wmt-raw", "da", "wmt-raw"),
    )
    for column in columns.split()
}
SAME_NUMBER = 1e-6  # numbers of two files with a smaller relative difference are the same, rounded differently


@dataclass(frozen=True)
class Table:
    """A table with a header. `rows[0]` is line 2 of the file, or line `chosen_lines[0]` if rows were selected."""

    path: Path
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    chosen_lines: Sequence[int] | None = None

    @property
    def lines(self) -> Sequence[int]:
        """Return the line number of each row in the file."""
        return range(2, len(self.rows) + 2) if self.chosen_lines is None else self.chosen_lines

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.header)}

    def column(self, name: str) -> list[str]:
        place = self._place(name)
        return [row[place] for row in self.rows]

    def records(self, *names: str) -> Iterator[tuple[str, list[str]]]:
        """Yield for each row its place ("FILE, line N", for messages) and its fields in these columns."""
        places = [self._place(name) for name in names]
        for line, row in zip(self.lines, self.rows, strict=True):
            yield f"{self.path}, line {line}", [row[place] for place in places]

    def numbers_of(self, name: str) -> list[float]:
        """Return a column as numbers, NaN where a number is missing."""
        texts = self.column(name)
        try:
            return [number(text, "") for text in texts]
        except DataError:  # again with the places, which take time to write
            rows = zip(self.lines, texts, strict=True)
            return [number(text, f"{self.path}, line {line}, column {name!r}") for line, text in rows]

    def where(self, name: str, value: str) -> "Table":
        place = self._place(name)
        kept = [(line, row) for line, row in zip(self.lines, self.rows, strict=True) if row[place] == value]
        return Table(self.path, self.header, [row for _, row in kept], [line for line, _ in kept])

    def of_pair(self, column: str, pair: str | None) -> "Table":
        """Return the rows of one language pair; None selects the only one."""
        present = list(dict.fromkeys(self.column(column)))
        chosen = choose_pair(present, pair, self.path)
        return self if len(present) == 1 else self.where(column, chosen)

    def _place(self, name: str) -> int:
        if name not in self._places:
            raise DataError(f"{self.path}, line 1: no column {name!r}. Columns: {', '.join(self.header)}.")
        if self.header.index(name) != self._places[name]:  # an error only if this column is needed
            raise DataError(f"{self.path}, line 1: two columns are called {name!r}.")
        return self._places[name]


@dataclass(frozen=True)
class Published:
    """Published scores: one row per system, or one per system and segment if `segments` is given.

    columns: by name, one number per row, NaN where there is none. human: names of the columns with human scores.
    higher_is_better: by column, False or None (not known); columns that are not listed are True.
    signs: by column, text to append to the signature.
    """

    path: Path
    lines: Sequence[int]
    systems: Sequence[str]
    segments: Sequence[str] | None
    columns: Mapping[str, Sequence[float]]
    human: frozenset[str] = frozenset()
    higher_is_better: Mapping[str, bool | None] = field(default_factory=dict)
    signs: Mapping[str, str] = field(default_factory=dict)


def read_table(path: str | Path, *, separator: str = "") -> Table:
    """Read a table; by default its header tells the separator. Raises DataError if it has no rows, or uneven ones."""
    lines = read_lines(path)
    if not lines:
        raise DataError(f"{path} is empty; a table with a header is needed.")
    separator = separator or separator_of(lines[0])

    if separator == ",":
        try:
            rows = list(csv_reader(lines, strict=True))
        except csv.Error as error:
            raise DataError(f"{path} is not CSV: {error}.") from None
        if len(rows) != len(lines):
            raise DataError(f"{path}: a quoted field spans several lines. Put every row on one line.")
    else:
        rows = [line.split("\t") if separator == "\t" else line.replace("\t", " ").split(" ") for line in lines]
    same_width(rows, path, "fields" if separator == "," else "tab-separated fields")
    header = rows[0]
    if header[-1] == "" and separator == " ":  # every line of WMT20's system scores ends in a blank
        rows = [row[:-1] for row in rows]
        header = rows[0]
    for place, name in enumerate(header):
        if not name:
            raise DataError(f"{path}, line 1: column {place + 1} has no name. The first line must name the columns.")
    if len(rows) == 1:
        raise DataError(f"{path} has a header but no rows.")
    return Table(Path(path), header, rows[1:])


def quoted_rows(lines: Iterable[str], path: str | Path, *, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table with CSV quoting, after the number of their last line; DataError if a " is open."""
    reader = csv_reader((line + "\n" for line in lines), delimiter=delimiter)
    last, error = 0, "a row of too many lines"
    try:
        for fields in reader:
            if reader.line_num - last > LONGEST_ROW:
                break
            last = reader.line_num
            yield last, fields
        else:
            return
    except csv.Error as reason:
        error = str(reason)
    raise DataError(f"{path}, line {last + 1}: {error}. Is a quotation mark in this line never closed?")


def merged(published: Iterable[Published], segments: Mapping[str, int]) -> tuple[list[Scores], list[Scores]]:
    """Merge tables into one `Scores` per name. Returns human scores and metric scores.

    segments: the position of each segment in the arrays of segment scores. Systems without any number are left out. A
    system score that no table has is NaN. Several tables may hold the same number. Raises DataError if they hold
    different ones, if a file has two rows for a system, or two different rows for a system and segment.
    """
    sheets: dict[tuple[bool, str], _Sheet] = {}
    for table in published:
        rows = _Rows(table, segments)
        for column, values in table.columns.items():
            human = column in table.human
            key = HUMAN[column][0] if human and column in HUMAN else column
            sheet = sheets.setdefault((human, key), _Sheet(table, column, key))
            sheet.add(table, rows, np.array(values, dtype=np.float64), len(segments))
    made = {key: sheet.scores(len(segments)) for key, sheet in sheets.items() if sheet.names}
    return [made[key] for key in made if key[0]], [made[key] for key in made if not key[0]]


class _Rows:
    """The rows of a table as indices of systems and segments. Raises DataError for unknown segments, repeated rows."""

    def __init__(self, table: Published, segments: Mapping[str, int]) -> None:
        places: dict[str, int] = {}
        self.system = np.array([places.setdefault(name, len(places)) for name in table.systems], dtype=np.intp)
        self.names = list(places)
        self.segment: np.ndarray[tuple[int], np.dtype[np.intp]] | None = None
        keys = self.system
        if table.segments is not None:
            for line, name in zip(table.lines, table.segments, strict=True):
                if name not in segments:
                    check_segment(name, segments, f"{table.path}, line {line}")
            self.segment = np.array([segments[name] for name in table.segments], dtype=np.intp)
            keys = self.system * len(segments) + self.segment
        order = np.argsort(keys, kind="stable")
        again = np.flatnonzero(np.diff(keys[order]) == 0)
        repeated = sorted((int(order[place + 1]), int(order[place])) for place in again)
        for second, first in repeated:
            same = all(same_number(values[first], values[second]) for values in table.columns.values())
            if table.segments is None or not same:
                of = "" if table.segments is None else f", segment {table.segments[second]!r}"
                raise DataError(
                    f"{table.path}, line {table.lines[second]}: system {table.systems[second]!r}{of} again, "
                    f"after line {table.lines[first]}. Remove one of the two."
                )
        if repeated:  # as in ten rows of WMT19's COMET scores of de-cs
            second, first = (table.lines[row] for row in repeated[0])
            log.warning(
                "%s: %d rows repeat earlier rows, the first one in line %d (equal to line %d). They were ignored.",
                table.path, len(repeated), second, first,
            )  # fmt: skip


def check_segment(segment: str, segments: Collection[str] | None, place: str) -> None:
    """Raise DataError for a segment that the test set does not have."""
    if segments is not None and segment not in segments:
        raise DataError(
            f"{place}: there is no segment {segment!r} in the test set, which has {len(segments)}. "
            "Is this the file of another test set?"
        )


def same_number(one: float, other: float) -> bool:
    """Return whether two numbers are equal or both NaN."""
    return one == other or (math.isnan(one) and math.isnan(other))


class _Sheet:
    """The scores of one metric or gold standard, collected from several tables."""

    def __init__(self, table: Published, column: str, key: str) -> None:
        self.human, self.column, self.key = column in table.human, column, key
        self.higher_is_better = table.higher_is_better.get(column, True)
        self.sign = table.signs.get(column, "")
        self.files: list[str] = []
        self.names: dict[str, None] = {}  # of all systems, in order
        self.system: dict[str, Floats] = {}  # arrays of one number
        self.segment: dict[str, Floats] = {}

    def add(self, table: Published, rows: _Rows, values: Floats, length: int) -> None:
        self.files += [str(table.path)] if str(table.path) not in self.files else []
        known, size, places = self.system, 1, np.zeros(len(values), dtype=np.intp)
        if rows.segment is not None:
            known, size, places = self.segment, length, rows.segment
        for place, system in enumerate(rows.names):
            mine = rows.system == place
            if np.isnan(values[mine]).all():
                continue
            column = np.full(size, np.nan)
            column[places[mine]] = values[mine]
            old = known.get(system, column)
            both = ~np.isnan(old) & ~np.isnan(column)
            if not np.allclose(old[both], column[both], rtol=SAME_NUMBER, atol=SAME_NUMBER):
                raise DataError(
                    f"{self.column} of system {system!r} differs between {table.path} and "
                    f"{' or '.join(self.files[:-1])}. Give the file you mean, not the folder."
                )
            known[system] = np.where(np.isnan(old), column, old)
            self.names[system] = None

    def scores(self, length: int) -> Scores:
        unnamed = (self.key, self.key, "")
        metric, label, kind = HUMAN.get(self.column, unnamed) if self.human else unnamed
        signature = "|".join(filter(None, (label, f"kind:{kind}" if kind else "published", self.sign)))
        record = MetricRecord(metric, label, signature, self.higher_is_better)
        system = {name: float(self.system[name][0]) if name in self.system else math.nan for name in self.names}
        n, files = length if self.segment else 0, {"files": self.files}
        return Scores(record, system, self.segment, n_segments=n, provenance=files)
