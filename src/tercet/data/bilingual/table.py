"""Read CSV and TSV files with a header, and write notes as further columns into a copy.

CSV may be separated by commas, semicolons, tabs or bars, and is quoted. TSV has no quoting, unless only quoting makes
its rows equally long (as Excel writes it). Texts are UTF-8, or UTF-16 with a byte order mark.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import DataError
from ..formats.text_columns import STATES as STATES
from ..formats.text_columns import find_roles
from ..lines import csv_reader, not_utf8, open_bytes
from ..names import bare_name
from .segments import HEADER, Choice, Edit, Notes, Segment, new_columns

ENDINGS = (".csv", ".tsv")
SEPARATORS = ",;\t|"
_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True)
class _Record:
    """The fields of a record, the line where it begins, its text, and the byte where it ends, before the line's end."""

    fields: list[str]
    line: int
    text: str
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


def read_records(path: str | Path) -> list[tuple[int, list[str]]]:
    """Return the fields of the header and of each row, with the lines where they begin."""
    table = _read(path)
    return [(record.line, record.fields) for record in (table.header, *table.rows)]


def peek_header(path: str | Path) -> list[str]:
    """Return the fields of the first line of a tab-separated file, to recognise it, without reading the rest."""
    with open_bytes(path) as stream:
        raw = stream.read(1 << 16)
    start, encoding = _encoding(raw)
    return re.split("[\r\n]", raw[start:].decode(encoding, "replace"), maxsplit=1)[0].split("\t")


def edits(path: str | Path, choice: Choice, notes: Notes) -> Iterator[Edit]:
    """Yield where and how columns are inserted, or those that Tercet wrote earlier are replaced."""
    table = _read(path)
    new = new_columns(table.header.fields, notes)
    old = {
        place: notes[name] for name in notes for place, head in enumerate(table.header.fields) if head == HEADER + name
    }
    for row, record in enumerate((table.header, *table.rows), -1):
        if row >= 0 and old:
            spans = _spans(record, table)
            yield from ((*spans[place], _field(old[place][row], table).encode(table.encoding)) for place in sorted(old))
        fields = [HEADER + name if row < 0 else notes[name][row] for name in new]
        text = "".join(table.separator + _field(field, table) for field in fields)
        yield record.end, record.end, text.encode(table.encoding)


def _spans(record: _Record, table: _Table) -> list[tuple[int, int]]:
    """Return the bytes of each field of a record, with its quotation marks."""
    mark = re.escape(table.separator)
    quoted = '"(?:[^"]|"")*"|' if table.quoted else ""
    fields = re.findall(rf"({quoted}[^{mark}]*)(?:{mark}|\Z)", record.text)[: len(record.fields)]
    sizes = [len(field.encode(table.encoding)) for field in fields]
    step = len(table.separator.encode(table.encoding))
    start = record.end - len(record.text.encode(table.encoding))
    starts = [start + sum(sizes[:place]) + place * step for place in range(len(fields))]
    return [(start, start + size) for start, size in zip(starts, sizes, strict=True)]


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
        place = error.start + start
        if encoding == "utf-8":
            raise not_utf8(raw, place, str(path)) from None
        raise DataError(f"{path}: byte {place} is not UTF-16. The file is damaged or cut off.") from None
    if "\0" in text:
        raise DataError(f"{path}: a NUL character. This is not a table of text; it may be UTF-16 or binary.")
    lines = list(io.StringIO(text, newline=""))
    if not lines:
        raise DataError(f"{path} is empty; a table with a header is needed.")
    if not lines[0].strip():
        raise DataError(f"{path}, line 1: the line is empty. The first line must name the columns.")
    if bare_name(path).endswith(".tsv"):
        widths = {line.count("\t") for line in lines if line.strip()}
        separator, quoted = "\t", len(widths) > 1 and '"' in "".join(lines)
    else:
        fields = {mark: len(next(csv_reader(lines[:1], delimiter=mark))) for mark in SEPARATORS}
        separator, quoted = max(SEPARATORS, key=lambda mark: (fields[mark], mark == ",")), True
    header, *records = _records(lines, separator, quoted, encoding, start, path)
    rows = [row for row in records if any(row.fields)]
    for row in rows:
        if len(row.fields) != len(header.fields):
            problem = f"{len(row.fields)} fields, but the header has {len(header.fields)}."
            raise DataError(f"{path}, line {row.line}: {problem}")
    if not rows:
        raise DataError(f"{path} has a header but no segments.")
    return _Table(header, rows, separator, quoted, encoding)


def _encoding(raw: bytes) -> tuple[int, str]:
    """Return the length of the byte order mark, and the encoding."""
    return next(((len(bom), name) for bom, name in _BOMS.items() if raw.startswith(bom)), (0, "utf-8"))


def _records(
    lines: list[str], separator: str, quoted: bool, encoding: str, start: int, path: str | Path
) -> Iterator[_Record]:
    dialect = {"strict": True} if quoted else {"quoting": csv.QUOTE_NONE}
    reader = csv_reader(lines, delimiter=separator, **dialect)
    before, end = 0, start
    try:
        for fields in reader:
            mine = "".join(lines[before : reader.line_num])
            text = mine.rstrip("\r\n")
            yield _Record(fields, before + 1, text, end + len(text.encode(encoding)))
            before, end = reader.line_num, end + len(mine.encode(encoding))
    except csv.Error as error:
        raise DataError(f"{path}, line {before + 1}: not a table in CSV: {error}.") from None
