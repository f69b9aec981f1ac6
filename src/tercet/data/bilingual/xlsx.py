"""Read a sheet of an XLSX workbook, and write notes as further columns into a copy.

A workbook is a zip archive of XML files. New cells are spliced into the sheet's XML and every other part is copied, so
that styles, formulas, charts and images stay. Workbooks with macros and archives that would fill the memory are
refused.
"""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ...errors import DataError, MissingFile, UnknownName, UsageError
from ..formats.text_columns import SHEET, find_roles
from ..formats.text_columns import STATES as STATES
from ..markup import Found, Parser, escaped
from .segments import HEADER, Choice, Edit, Notes, Segment, new_columns, splice
from .states import AMBER, DONE, GREEN, RED, REVIEW

ENDINGS = (".xlsx",)
LARGEST = 1 << 30  # bytes of all parts together, unpacked
RATIO, SMALL = 200, 10 << 20  # parts above this size must not be packed more tightly than this
MOST_COLUMNS = 16384
_MACROS = ("vbaProject.bin", "xl/macrosheets/")
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_DIMENSION = re.compile(rb'(<(?:\w+:)?dimension\b[^>]*?\bref=")([^"]*)(")')
_SPANS = re.compile(rb'\sspans="[^"]*"')
COLOURS = {RED: "F4B183", AMBER: "FFE699", GREEN: "C6E0B4", DONE: "D9D9D9"}
_STYLES = [  # lists in the styles of a workbook, without their end tags: the prefix, the count
    re.compile(rb'<((?:\w+:)?)%b\b[^>]*?\bcount="(\d+)"[^>]*>.*?(?=</(?:\w+:)?%b>)' % (name, name), re.DOTALL)
    for name in (b"fills", b"cellXfs")
]
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError)


@dataclass(frozen=True)
class _Row:
    """A row: number, cells by column, bytes of its tags; places: bytes and style of cells that Tercet may replace."""

    number: int
    cells: Mapping[int, str]
    start: int
    end: int
    places: Mapping[int, tuple[int, int, str | None]]

    def span(self, column: int) -> tuple[int, int]:
        """Return the bytes of a cell; twice the place where it belongs if it is not there."""
        if column in self.places:
            return self.places[column][:2]
        at = next((start for place, (start, _, _) in sorted(self.places.items()) if place > column), self.end)
        return at, at

    def style(self, column: int) -> str | None:
        return self.places[column][2] if column in self.places else None

    def padded(self, width: int) -> list[str]:
        return [self.cells.get(place, "") for place in range(width)]


@dataclass(frozen=True)
class _Sheet:
    name: str
    part: str
    workbook: str
    header_cells: _Row
    rows: Sequence[_Row]
    width: int
    prefix: str
    encoding: str

    @property
    def header(self) -> list[str]:
        return self.header_cells.padded(self.width)


def read_segments(path: str | Path, choice: Choice) -> Iterator[Segment]:
    """Yield the segments of a sheet: the first one, or that of `--columns sheet=NAME`."""
    sheet = _open(path, choice)
    roles = find_roles(sheet.header, choice, f"{path}, sheet {sheet.name!r}, row {sheet.header_cells.number}")
    for number, row in enumerate(sheet.rows, 1):
        yield roles.segment(row.padded(len(sheet.header)), number, row.number, row.end)


def read_records(path: str | Path, sheet: str | None = None) -> list[tuple[int, list[str]]]:
    """Return the cells of the header and of each row of a sheet, with their numbers. By default the first sheet."""
    found = _open(path, Choice({SHEET: sheet} if sheet else {}))
    return [(row.number, row.padded(found.width)) for row in (found.header_cells, *found.rows)]


def write(path: str | Path, choice: Choice, notes: Notes, out: BinaryIO) -> None:
    """Write a copy of the workbook in which the sheet has a column for each note."""
    sheet = _open(path, choice)
    new = new_columns(sheet.header, notes)
    if sheet.width + len(new) > MOST_COLUMNS:
        raise UsageError(f"{path}: a sheet cannot have more than {MOST_COLUMNS} columns.")
    with _archive(path) as archive, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as copy:
        part = posixpath.join(posixpath.dirname(sheet.workbook), "styles.xml")
        styles, looks = b"", dict[str, str]()
        if REVIEW in notes and part in archive.namelist():
            styles, looks = _with_colours(archive.read(part))
        for info in archive.infolist():
            content = styles if styles and info.filename == part else archive.read(info)
            if info.filename == sheet.part:
                spliced = io.BytesIO()
                splice(io.BytesIO(content), _edits(sheet, content, notes, new, looks), spliced)
                content = spliced.getvalue()
            copy.writestr(info, content)


def _with_colours(styles: bytes) -> tuple[bytes, dict[str, str]]:
    """Return the styles of a workbook with a colour for each judgement of a review, and the numbers of these styles."""
    fills, formats = (pattern.search(styles) for pattern in _STYLES)
    if fills is None or formats is None:
        return b"", {}
    prefix, fill, look = fills[1].decode(), int(fills[2]), int(formats[2])
    colours = "".join(
        f'<{prefix}fill><{prefix}patternFill patternType="solid"><{prefix}fgColor rgb="FF{colour}"/>'
        f'<{prefix}bgColor indexed="64"/></{prefix}patternFill></{prefix}fill>'
        for colour in COLOURS.values()
    )
    cells = "".join(
        f'<{prefix}xf numFmtId="0" fontId="0" fillId="{fill + place}" borderId="0" xfId="0" applyFill="1"/>'
        for place in range(len(COLOURS))
    )
    for found, new in ((formats, cells), (fills, colours)):  # formats are behind fills
        count = str(int(found[2]) + len(COLOURS)).encode()
        start, stop, end = *found.span(2), found.end()
        styles = styles[:start] + count + styles[stop:end] + new.encode() + styles[end:]
    return styles, {judgement: str(look + place) for place, judgement in enumerate(COLOURS)}


def _edits(sheet: _Sheet, content: bytes, notes: Notes, new: Sequence[str], looks: Mapping[str, str]) -> Iterator[Edit]:
    """Yield the edits of a sheet. looks: the style of a cell with a judgement of a review."""
    if dimension := _DIMENSION.search(content, 0, 1 << 14):
        first, _, last = dimension[2].decode("ascii", "replace").partition(":")
        if corner := _CELL.fullmatch(last or first):
            wider = f"{first}:{letters(sheet.width + len(new) - 1)}{corner[2]}"
            yield dimension.start(2), dimension.end(2), wider.encode()
    old = {place: notes[name] for name in notes for place, head in enumerate(sheet.header) if head == HEADER + name}
    for number, row in enumerate((sheet.header_cells, *sheet.rows), -1):
        spans = _SPANS.search(content, row.start, content.index(b">", row.start))
        if spans:  # a hint for programs, which would be wrong now
            yield spans.start(), spans.end(), b""
        for place in sorted(old) if number >= 0 else ():
            look = looks.get(old[place][number]) if sheet.header[place] == HEADER + REVIEW else None
            written = cell(f"{letters(place)}{row.number}", old[place][number], sheet.prefix, look or row.style(place))
            yield *row.span(place), written.encode(sheet.encoding, "xmlcharrefreplace")
        texts = [HEADER + name if number < 0 else notes[name][number] for name in new]
        styles = [looks.get(text) if name == REVIEW else None for name, text in zip(new, texts, strict=True)]
        cells = "".join(
            cell(f"{letters(place)}{row.number}", text, sheet.prefix, style)
            for place, (text, style) in enumerate(zip(texts, styles, strict=True), sheet.width)
        )
        yield row.end, row.end, cells.encode(sheet.encoding, "xmlcharrefreplace")


def cell(reference: str, text: str, prefix: str = "", style: str | None = None) -> str:
    """Return the XML of a cell: a number if the text is one, else a text. Nothing for an empty text without a style."""
    look = "" if style is None else f' s="{escaped(style)}"'
    if not text:
        return f'<{prefix}c r="{reference}"{look}/>' if look else ""
    if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text):
        return f'<{prefix}c r="{reference}"{look}><{prefix}v>{text}</{prefix}v></{prefix}c>'
    content = f'<{prefix}t xml:space="preserve">{escaped(text)}</{prefix}t>'
    return f'<{prefix}c r="{reference}"{look} t="inlineStr"><{prefix}is>{content}</{prefix}is></{prefix}c>'


def _open(path: str | Path, choice: Choice) -> _Sheet:
    with _archive(path) as archive:
        names = archive.namelist()
        workbook = next((name for name in names if name.endswith("xl/workbook.xml")), None)
        if workbook is None:
            raise DataError(f"{path} is not an XLSX workbook: it has no xl/workbook.xml.")
        sheets = _sheets(archive, workbook, path)
        wanted = choice.columns.get(SHEET)
        if wanted is not None and wanted not in sheets:
            raise UnknownName(f"sheet in {path}", wanted, sheets)
        name = wanted or next(iter(sheets))
        if sheets[name] not in names:
            raise DataError(f"{path}: the part {sheets[name]} of sheet {name!r} is missing. The file is damaged.")
        shared = posixpath.join(posixpath.dirname(workbook), "sharedStrings.xml")
        strings = _parsed(_Strings(f"{path} ({shared})"), archive, shared) if shared in names else []
        parser = _Cells(f"{path} ({sheets[name]})", strings)
        found = _parsed(parser, archive, sheets[name])
    rows = [row for row in found if any(text.strip() for text in row.cells.values())]
    if len(rows) < 2:
        raise DataError(f"{path}: sheet {name!r} has {'a header but no segments' if rows else 'no cells'}.")
    return _Sheet(name, sheets[name], workbook, rows[0], rows[1:], parser.widest + 1, parser.prefix, parser.encoding)


def _sheets(archive: zipfile.ZipFile, workbook: str, path: str | Path) -> dict[str, str]:
    folder, file = posixpath.split(workbook)
    relations = f"{folder}/_rels/{file}.rels"
    if relations not in archive.namelist():
        raise DataError(f"{path}: the part {relations} is missing. The file is damaged.")
    links = _Attributes(f"{path} ({relations})", ("Relationship", "Id", "Target"))
    targets = dict(_parsed(links, archive, relations))
    sheets = {}
    for name, relation in _parsed(_Attributes(f"{path} ({workbook})", ("sheet", "name", "r:id")), archive, workbook):
        target = targets.get(relation, "")
        part = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"{folder}/{target}")
        if "worksheets/" in part:  # not a sheet that is only a chart
            sheets[name] = part
    if not sheets:
        raise DataError(f"{path} has no sheets.")
    return sheets


@contextmanager
def _archive(path: str | Path) -> Iterator[zipfile.ZipFile]:
    if not Path(path).exists():
        raise MissingFile(path)
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            if sum(part.file_size for part in parts) > LARGEST:
                raise DataError(f"{path} would be larger than {LARGEST >> 30} GiB when unpacked, which is refused.")
            for part in parts:
                if part.file_size > max(SMALL, RATIO * max(part.compress_size, 1)):
                    problem = f"{part.filename} is packed as in an archive made to fill the memory. Refused."
                    raise DataError(f"{path}: {problem}")
                if any(mark in part.filename for mark in _MACROS):
                    raise DataError(f"{path} has macros, which are refused. Save it as .xlsx without macros.")
                if part.flag_bits & 1:
                    raise DataError(f"{path} is protected by a password. Remove the password.")
            yield archive
    except _DAMAGED as error:
        raise DataError(f"{path} is not an XLSX workbook, or is damaged: {error}.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None


def _parsed(parser: Parser[Found], archive: zipfile.ZipFile, part: str) -> list[Found]:
    with archive.open(part) as stream:
        return list(parser.parse(stream))


class _Attributes(Parser[tuple[str, str]]):
    """Yields two attributes of every element of a name."""

    def __init__(self, path: str, wanted: tuple[str, str, str]) -> None:
        super().__init__(path)
        self.wanted = wanted

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element, first, second = self.wanted
        if name == element:
            # The prefix of r:id is the file's choice.
            values = attributes | {f"r:{key.partition(':')[2]}": text for key, text in attributes.items() if ":" in key}
            self.found.append((values.get(first, ""), values.get(second, "")))


class _Strings(Parser[str]):
    """Yields the shared strings; phonetic readings are not part of them."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.pieces: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "si":
            self.pieces = []

    def text(self, text: str) -> None:
        if self.stack[-1] == "t" and "rPh" not in self.stack:
            self.pieces.append(text)

    def end(self, name: str) -> None:
        if name == "si":
            self.found.append("".join(self.pieces))


class _Cells(Parser[_Row]):
    """Yields the rows of a sheet."""

    def __init__(self, path: str, strings: Sequence[str]) -> None:
        super().__init__(path)
        self.strings = strings
        self.cells: dict[int, str] = {}
        self.number = 0
        self.began = 0
        self.column = self.widest = -1
        self.kind = ""
        self.pieces: list[str] = []
        self.annotated = False  # whether the header has a column that Tercet wrote
        self.places: dict[int, tuple[int, int, str | None]] = {}
        self.cell: tuple[int, str | None] = (0, None)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "row":
            self.number = self._whole(attributes.get("r", str(self.number + 1)))
            self.cells, self.places, self.column, self.began = {}, {}, -1, self.byte
        elif name == "c":
            reference = attributes.get("r")
            found = _CELL.fullmatch(reference) if reference else None
            if reference and not found:
                self.refuse(f"{reference[:20]!r} is not a cell")
            self.column = _number(found[1]) if found else self.column + 1
            if self.column >= MOST_COLUMNS:
                self.refuse(f"a sheet cannot have more than {MOST_COLUMNS} columns")
            self.widest = max(self.widest, self.column)  # also cells without text, which have a format
            self.kind, self.pieces = attributes.get("t", "n"), []
            self.cell = self.byte, attributes.get("s")
        elif name == "mergeCell" and (found := _CELL.fullmatch(attributes.get("ref", "").rpartition(":")[2])):
            self.widest = max(self.widest, _number(found[1]))

    def text(self, text: str) -> None:
        inside = self.stack[-1]
        if inside == "v" or (inside == "t" and "rPh" not in self.stack):
            self.pieces.append(text)

    def end(self, name: str) -> None:
        if name == "c":
            text = "".join(self.pieces)
            if self.kind == "s":
                place = self._whole(text)
                if place >= len(self.strings):
                    self.refuse(f"there is no shared string {place}. The file is damaged")
                text = self.strings[place]
            if text:
                self.cells[self.column] = text
                self.annotated = self.annotated or text.startswith(HEADER)
            if self.annotated:
                self.places[self.column] = self.cell[0], self.behind, self.cell[1]
        elif name == "row":
            self.found.append(_Row(self.number, self.cells, self.began, self.byte, self.places))

    def _whole(self, text: str) -> int:
        if not re.fullmatch("[0-9]{1,9}", text.strip()):
            self.refuse(f"{text[:20]!r} where a number is needed")
        return int(text)


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def letters(number: int) -> str:
    """Return the letters of a column, counted from 0."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
