"""Read the inputs of quality estimation: sources, outputs, labels, groups and extra features; one line per segment.

Every input is FILE, with one value per line, or FILE:COLUMN, a column of a table with a header: tab-separated without
quoting, or CSV or XLSX. A bilingual file (`data.bilingual`) holds source and output. Errors name file and line.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..data.field_checks import same_width, table_rows
from ..data.files import file_state
from ..data.formats import is_bilingual
from ..data.lines import read_lines
from ..errors import DataError, UnknownName, UsageError
from ..text.scripts import base_code
from ..types import Floats

Range = tuple[float, float]
ParallelTexts = tuple[Sequence[str], Sequence[str]]
LARGEST = 1e100  # squares and sums of larger numbers would overflow
_WITH_COMMAS = re.compile(r"\s*[-+]?[\d.,]*\d,\d[\d.,]*\s*")
ANY_LANGUAGE = "mul"  # the source language of a model for all
_CODE = re.compile(r"([A-Za-z]{2,3})((?:[-_][A-Za-z0-9]+)*)")


@dataclass(frozen=True)
class Column:
    """The values of a file's lines, or of a table's column, and their place."""

    path: str
    values: tuple[str, ...]
    column: str | None = None
    first_line: int = 1

    def __len__(self) -> int:
        return len(self.values)

    @property
    def name(self) -> str:
        """FILE or FILE:COLUMN, as the user gave it."""
        return self.path if self.column is None else f"{self.path}:{self.column}"

    def place(self, row: int) -> str:
        return f"{self.path}, line {row + self.first_line}"


def read_column(path: str | Path, role: str | None = None) -> Column:
    """Read the lines of FILE, or the column of FILE:COLUMN. role: the side to take of a bilingual file."""
    file, column = file_and_column(path)
    if is_bilingual(file):
        from ..data.bilingual import open_bitext

        if column is None and role is None:
            raise UsageError(f"{file} is a file with sources and translations. Name one of its columns: {file}:COLUMN.")
        bitext = open_bitext(file, columns={"output": column} if column else None)
        texts = bitext.output() if column or role is None else bitext.side(role)
        return Column(file, tuple(text or "" for text in texts), column, first_line=bitext.segments[0].line)
    if column is not None:
        found = _table_column(file, column)
    else:
        found = Column("standard input" if file == "-" else file, tuple(read_lines(path)))
    if not len(found):
        raise DataError(f"{found.name} is empty: one line per segment is needed.")
    return found


def file_and_column(path: str | Path) -> tuple[str, str | None]:
    """Return FILE and None, or FILE and COLUMN; a colon may also be part of a file's name."""
    name = str(path)
    file, colon, column = name.rpartition(":")
    if colon and file and file_state(name) is None and file_state(file) is not None:
        return file, column
    return name, None


def _table_column(file: str, column: str) -> Column:
    header, *rows = table_rows(file) or [[]]
    if column not in header:
        _check_tabs(header, file)
        raise UnknownName(f"column of {file}", column, header)
    if header.count(column) > 1:
        raise DataError(f"{file}, line 1: {header.count(column)} columns are called {column!r}. Rename all but one.")
    same_width([header, *rows], file)
    at = header.index(column)
    return Column(file, tuple(row[at] for row in rows), column, first_line=2)


def _check_tabs(header: Sequence[str], path: str | Path) -> None:
    """Raise DataError for a table that is obviously not separated by tabs."""
    for separator in ",;":
        if len(header) == 1 and separator in header[0]:
            raise DataError(
                f"{path}, line 1: there is no tab, but {separator!r}. Tables must be separated by tabs and have no "
                "quoting: save it as tab-separated text."
            )


def read_names(path: str | Path, what: str) -> Column:
    """Read the name of each segment's document or system. Raises DataError if a line is empty."""
    try:
        column = read_column(path)
    except UsageError as error:
        raise UsageError(f"{error} A file with the {what} of each segment is needed, or FILE:COLUMN.") from None
    for row, name in enumerate(column.values):
        if not name.strip():
            raise DataError(f"{column.place(row)}: the {what} is missing. Every line needs one.")
    return column


def check_parallel(*columns: Column) -> None:
    """Raise DataError for columns of different lengths."""
    if len({len(column) for column in columns}) < 2:
        return
    counts = ", ".join(f"{column.name}: {len(column)}" for column in columns)
    tables = {column.path for column in columns if column.column is not None}
    advice = "Run 'tercet check' on the texts to see where they drift apart."
    for path in (column.path for column in columns if column.column is None and column.path in tables):
        advice = f"{path} without a column means all its lines, with the header: name a column, as {path}:COLUMN."
    raise DataError(f"These files are not parallel. Segments: {counts}. {advice}")


def read_texts(source: str | Path, output: str | Path, *others: Column) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read sources and outputs. They and `others` must have the same length."""
    sources, outputs = read_column(source, "source"), read_column(output, "output")
    check_parallel(sources, outputs, *others)
    return sources.values, outputs.values


def read_labels(path: str | Path, label_range: Range | None = None) -> tuple[Column, Floats]:
    """Read labels. Raises DataError if one is not a number, or outside the range if one is given."""
    column = read_column(path)
    try:
        labels = np.array([_number(text, column.place(row), "label") for row, text in enumerate(column.values)])
    except DataError as error:
        first = column.values[0]
        on_first = column.column is None and str(error).startswith(f"{column.place(0)}:")
        if not on_first or not ("\t" in first or _is_name(first)):
            raise
        name = "COLUMN" if "\t" in first else first.strip()[:40]
        raise DataError(f"{error} If line 1 is a header, name the column: {column.path}:{name}.") from None
    check_labels(labels, label_range, column.place)
    return column, labels


def _is_name(text: str) -> bool:
    """Return whether a text may be the name of a column: it begins with a letter and is not a number or NaN."""
    try:
        float(text)
    except ValueError:
        return text.strip()[:1].isalpha()
    return False


def _number(text: str, place: str, what: str) -> float:
    if not text.strip():
        raise DataError(f"{place}: the {what} is missing. Every line needs a number.")
    try:
        value = math.nan if "_" in text else float(text)  # only Python reads 1_5 as a number
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST:
        fault = f"{place}: {text.strip()[:40]!r} where a {what} is needed, which must be a finite number"
        if math.isfinite(value):
            fault += f" of at most {LARGEST:g}"
        elif _WITH_COMMAS.fullmatch(text):
            fault += ". Write decimals with a point and no commas, as 72.5"
        raise DataError(f"{fault}.")
    return value


def check_labels(labels: Floats, label_range: Range | None, place: Callable[[int], str]) -> None:
    """Raise DataError for labels that are not numbers or outside the range. place: returns the place of a row."""
    for row in np.flatnonzero(~(np.abs(labels) <= LARGEST)):
        most = f" of at most {LARGEST:g}" if np.isfinite(labels[row]) else ""
        raise DataError(f"{place(int(row))}: the label is missing or not a finite number{most}.")
    if label_range is not None:
        low, high = label_range
        for row in np.flatnonzero((labels < low) | (labels > high)):
            raise DataError(
                f"{place(int(row))}: the label {labels[row]:g} is outside the range from {low:g} to {high:g}."
            )


def check_range(label_range: Sequence[float]) -> Range:
    """Return the lowest and the highest label, or raise UsageError if they are not a range."""
    low, high = map(float, label_range)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"The range of labels must go from a lower to a higher number, not from {low:g} to {high:g}.")
    return low, high


@dataclass(frozen=True, eq=False)
class GivenFeatures:
    """The user's own features, shape (segments, features)."""

    names: tuple[str, ...]
    values: Floats

    def __post_init__(self) -> None:
        if self.values.shape[1:] != (len(self.names),):
            raise UsageError(f"There are {len(self.names)} names of features, but values of shape {self.values.shape}.")
        if len(set(self.names)) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise DataError(f"The feature {twice!r} is given twice.")
        for row, column in np.argwhere(~(np.abs(self.values) <= LARGEST)):
            most = f" of at most {LARGEST:g}" if np.isfinite(self.values[row, column]) else ""
            raise DataError(f"Feature {self.names[column]!r}, segment {row + 1}: not a finite number{most}.")

    def check_rows(self, segments: int) -> None:
        if len(self.values) != segments:
            raise DataError(f"There are {segments} segments, but `extra_features` for {len(self.values)}.")

    def only(self, names: Sequence[str]) -> "GivenFeatures":
        for name in names:
            if name not in self.names:
                raise UnknownName("given feature", name, self.names)
        return GivenFeatures(tuple(names), self.values[:, [self.names.index(name) for name in names]])


def read_features(path: str | Path, segments: int) -> GivenFeatures:
    """Read a tab-separated table with a header and one row of numbers per segment, or one column, FILE:COLUMN."""
    path, wanted = file_and_column(path)
    if wanted is None:
        header, *rows = table_rows(path) or [[]]
        _check_tabs(header, path)
    else:
        header, rows = [wanted], [[text] for text in _table_column(path, wanted).values]
    if not rows:
        raise DataError(f"{path} has no rows: a header with the features' names and a line per segment are needed.")
    same_width([header, *rows], path)
    for column, name in enumerate(header, 1):
        if not name.strip():
            raise DataError(f"{path}, line 1: column {column} has no name.")
    if len(rows) != segments:
        raise DataError(f"{path} has {len(rows)} rows below its header, but there are {segments} segments.")
    places = [f"column {name!r}" for name in header]
    values = [
        [_number(text, f"{path}, line {line}, {place}", "feature") for place, text in zip(places, row, strict=True)]
        for line, row in enumerate(rows, 2)
    ]
    return GivenFeatures(tuple(header), np.array(values))


def check_languages(languages: str | Sequence[str]) -> tuple[str, str]:
    """Return source and target language from "et-en", or from a pair of codes; a region is as in zh_CN."""
    parts = languages.split("-") if isinstance(languages, str) else list(languages)
    codes = [_CODE.fullmatch(part.strip()) if isinstance(part, str) else None for part in parts]
    known = [code[1].lower() + code[2].replace("-", "_") for code in codes if code]
    if len(known) != 2 or len(codes) != 2:
        raise UsageError(f"Give the languages as SRC-TGT, such as et-en, not {languages!r}.{_language_hint(parts)}")
    return known[0], known[1]


def _language_hint(parts: Sequence[object]) -> str:
    """Return a hint at what was probably meant."""
    words = [part.strip() for part in parts if isinstance(part, str)]
    if len(words) > 2:
        return " Join a region or script to its language with an underscore, as in pt_BR-en."
    if len(words) == 1 and re.fullmatch("[A-Za-z]{2,3}_[A-Za-z]{2,3}", words[0]):
        return f" Write {words[0].replace('_', '-')}."
    if len(words) == 2 and all(words):
        return " Use language codes of two or three letters."
    return ""


def same_languages(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether pairs are the same but for regions and scripts; mul (ISO 639) stands for any language."""
    (source, target), (other_source, other_target) = (map(base_code, pair) for pair in (one, other))
    sides = (source, other_source), (target, other_target)
    return all(own == theirs or ANY_LANGUAGE in (own, theirs) for own, theirs in sides)
