"""Read CSV and TSV files with a header, and write notes as further columns into a copy.

CSV may be separated by commas, semicolons, tabs or bars, and is quoted. TSV has no quoting, unless only quoting makes
its rows equally long (as Excel writes it). Texts are UTF-8, or UTF-16 with a byte order mark.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import DataError, UsageError
from ..files import bare_name
from ..lines import not_utf8, open_bytes
from .columns import find_roles
from .segments import Choice, Edit, Notes, Segment

ENDINGS = (".csv", ".tsv")
SEPARATORS = ",;\t|"
_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True)
class _Record:
    """The fields of a record, the line where it begins, and the byte where it ends, before the line's end."""

    fields: list[str]
    line: int
    end: int


@dataclass(frozen=True)
class _Table:
    header: _Record
    rows: list[_Record]
    separator: str
    quoted: bool
    encoding: str


def read_segments(path: str | Path, choice: Choice) -> Iterator[Segment]:
    """Yield the segments of a table."""
    table = _read(path)
    roles = find_roles(table.header.fields, choice, f"{path}, line 1")
    for number, row in enumerate(table.rows, 1):
        yield roles.segment(row.fields, number, row.line, row.end)


def peek_header(path: str | Path) -> list[str]:
    """Return the fields of the first line of a tab-separated file, to recognise it, without reading the rest."""
    with open_bytes(path) as stream:
        raw = stream.read(1 << 16)
    start, encoding = _encoding(raw)
    return re.split("[\r\n]", raw[start:].decode(encoding, "replace"), maxsplit=1)[0].split("\t")


def language_pair(path: str | Path) -> str | None:
    """Return None: tables do not name languages."""
    return None


def edits(path: str | Path, choice: Choice, notes: Notes) -> Iterator[Edit]:
    """Yield where and how the new columns are inserted."""
    table = _read(path)
    for name in notes:
        if name in table.header.fields:
            raise UsageError(f"{path} has a column {name!r} already. Remove it, or write to another file.")
    rows = [list(notes), *([values[row] for values in notes.values()] for row in range(len(table.rows)))]
    for record, fields in zip((table.header, *table.rows), rows, strict=True):
        text = table.separator + table.separator.join(_field(field, table) for field in fields)
        yield record.end, record.end, text.encode(table.encoding)


def _field(text: str, table: _Table) -> str:
    if not table.quoted:
        return " ".join(text.split())
    if any(mark in text for mark in (table.separator, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


def _read(path: str | Path) -> _Table:
    with open_bytes(path) as stream:
        raw = stream.read()
    start, encoding = _encoding(raw)
    try:
        text = raw[start:].decode(encoding)
    except UnicodeDecodeError as error:
        raise not_utf8(raw, error.start + start, str(path)) from None
    if "\0" in text:
        raise DataError(f"{path}: a NUL character. This is not a table of text; it may be UTF-16 or binary.")
    lines = list(io.StringIO(text, newline=""))
    if not lines or not lines[0].strip():
        raise DataError(f"{path} is empty; a table with a header is needed." if not lines else _no_header(path))
    separator, quoted = _dialect(lines, path)
    records = list(_records(lines, separator, quoted, encoding, start, path))
    header, *rows = records
    rows = [row for row in rows if any(row.fields)]
    for row in rows:
        if len(row.fields) != len(header.fields):
            raise DataError(
                f"{path}, line {row.line}: {len(row.fields)} fields, but the header has {len(header.fields)}."
            )
    if not rows:
        raise DataError(f"{path} has a header but no segments.")
    return _Table(header, rows, separator, quoted, encoding)


def _encoding(raw: bytes) -> tuple[int, str]:
    """Return the length of the byte order mark, and the encoding."""
    return next(((len(bom), name) for bom, name in _BOMS.items() if raw.startswith(bom)), (0, "utf-8"))


def _no_header(path: str | Path) -> str:
    return f"{path}, line 1: the line is empty. The first line must name the columns."


def _dialect(lines: list[str], path: str | Path) -> tuple[str, bool]:
    if bare_name(path).endswith(".tsv"):
        return "\t", len({line.count("\t") for line in lines if line.strip()}) > 1 and '"' in "".join(lines)
    return max(SEPARATORS, key=lambda mark: (len(next(csv.reader(lines[:1], delimiter=mark))), mark == ",")), True


def _records(
    lines: list[str], separator: str, quoted: bool, encoding: str, start: int, path: str | Path
) -> Iterator[_Record]:
    if quoted:
        reader = csv.reader(lines, delimiter=separator, strict=True)
    else:
        reader = csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE)
    before, end = 0, start
    while True:
        try:
            fields = next(reader, None)
        except csv.Error as error:
            raise DataError(f"{path}, line {before + 1}: not a table in CSV: {error}.") from None
        if fields is None:
            return
        mine = lines[before : reader.line_num]
        size = len("".join(mine).encode(encoding))
        closing = mine[-1][len(mine[-1].rstrip("\r\n")) :] if mine else ""
        yield _Record(fields, before + 1, end + size - len(closing.encode(encoding)))
        before, end = reader.line_num, end + size
