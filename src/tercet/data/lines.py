"""Plain text: one segment per line, UTF-8, perhaps compressed (gzip, bzip2, xz), or standard input as '-'.

A column of a Parquet file is such a text too: FILE.parquet:COLUMN, or FILE.parquet if it has one column.

Only a line feed ends a line. `str.splitlines()` also cuts at U+2028 and others, which shifts every later segment.
A file that is not UTF-8 text raises DataError with file and line. A byte order mark and carriage returns before line
feeds, which would change scores, are removed with a warning.
"""

import logging
import re
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO, cast

from ..errors import DataError, MissingDependency, MissingFile, UnknownName, UsageError

log = logging.getLogger(__name__)

MAX_LINE = 100 << 20  # bytes of one line; `tercet --max-line` changes it
BLOCK = 1 << 18  # bytes decoded at once: large enough to be fast, small enough for inputs larger than memory
BOM = b"\xef\xbb\xbf"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
UTF32 = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz"}  # by how a file begins: the program
_MODULES = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma"}
ROWS = 20_000  # of a Parquet file, read at once
_PARQUET = re.compile(r"(?P<file>.+\.parquet)(?::(?P<column>.+))?", re.IGNORECASE | re.DOTALL)


def csv_reader(lines: Iterable[str], **dialect: Any) -> Any:
    """Return a reader of CSV whose fields may be as long as lines."""
    import csv  # slow to import

    csv.field_size_limit(MAX_LINE)
    return csv.reader(lines, **dialect)


def read_lines(path: str | Path) -> list[str]:
    """Read all lines of a text file."""
    return [line for block in read_blocks(path) for line in block]


def read_blocks(path: str | Path) -> Generator[list[str]]:
    """Yield the lines of a text file in lists of a few megabytes, so that only one list is in memory."""
    if (place := split_column(path)) is not None:
        yield from read_column(*place)
        return
    with open_bytes(path) as stream:
        yield from _decode_blocks(stream, str(path))


def split_column(path: str | Path) -> tuple[Path, str | None] | None:
    """Return file and column of FILE.parquet:COLUMN; None for the name of another file."""
    found = _PARQUET.fullmatch(str(path))
    if found is None:
        return None
    whole = found["column"] is None or Path(path).is_file()
    return (Path(path), None) if whole else (Path(found["file"]), found["column"])


def read_column(path: Path, column: str | None = None) -> Generator[list[str]]:
    """Yield the texts of a column in lists, one of which is in memory at a time. column: None if there is one."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependency("Reading Parquet files", "parquet") from None
    if not path.is_file():
        raise UsageError(f"There is no file {path}.")
    done = 0
    try:
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as file:
            names = file.schema_arrow.names
            if column is None and len(names) != 1:
                raise UsageError(
                    f"{path} has {len(names)} columns: {', '.join(names)}. Name one, as {path}:{names[0]}."
                )
            column = names[0] if column is None else column
            if column not in names:
                raise UnknownName(f"column in {path}", column, names)
            for batch in file.iter_batches(ROWS, columns=[column], use_threads=False):
                texts = batch.column(0).to_pylist()
                for row, text in enumerate(texts, done + 1):
                    if not isinstance(text, str):
                        raise DataError(f"{path}, row {row}: the column {column} has no text there.")
                done += len(texts)
                yield texts
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(f"{path} is no Parquet file that can be read: {str(error).splitlines()[0]}") from None


@contextmanager
def open_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file, or standard input for '-', as bytes. What is compressed, by its content, is decompressed."""
    if str(path) == "-":
        with _plain_or_unzipped(sys.stdin.buffer, Path("standard input")) as piped:
            yield piped
        return
    if not str(path):
        raise UsageError("The file name is empty.")
    path = Path(path)
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        raise MissingFile(path) from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a directory; a file is needed.") from None
    except (OSError, ValueError) as error:  # no permission, a name that is too long or holds a NUL
        raise UsageError(f"{str(path)[:200]!r} cannot be read: {error}.") from None
    with stream, _plain_or_unzipped(stream, path) as opened:
        yield opened


@contextmanager
def _plain_or_unzipped(stream: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    """Yield the stream, decompressed if it begins like a compressed file. Errors of reading become DataError."""
    try:
        # A pipe cannot be rewound, but peeked bytes stay in the buffer.
        begin = getattr(stream, "peek", lambda _: b"")(6)
        kind = next((name for magic, name in COMPRESSED.items() if begin.startswith(magic)), None)
        if kind is None:
            yield stream
            return
        import zlib
        from importlib import import_module

        module = import_module(_MODULES[kind])
        own = (getattr(module, name, EOFError) for name in ("BadGzipFile", "LZMAError"))
        damaged = (EOFError, zlib.error, *own)
        try:
            with module.open(stream, "rb") as unzipped:
                yield cast(BinaryIO, unzipped)
        except damaged as error:
            raise DataError(f"{path} is a damaged {kind} file: {error}.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None


def _decode_blocks(stream: BinaryIO, name: str) -> Iterator[list[str]]:
    done = carriage_returns = 0
    while block := stream.read(BLOCK):
        if not done:
            block = _without_mark(block, name)
        if not block.endswith(b"\n"):
            _refuse_nul(block, name, done)  # before the rest: /dev/zero has no end
            start = block.rfind(b"\n") + 1
            block += stream.readline(max(0, MAX_LINE + 1 - len(block) + start))
            if len(block) - start > MAX_LINE:
                line = done + block.count(b"\n", 0, start) + 1
                raise DataError(
                    f"{name}, line {line}: longer than {MAX_LINE} bytes. One segment "
                    "per line is expected; if this is right, raise the limit: tercet --max-line MEGABYTES …"
                )
        _refuse_nul(block, name, done)
        try:
            lines = block.decode("utf-8").removesuffix("\n").split("\n") if block else []
        except UnicodeDecodeError as error:
            raise not_utf8(block, error.start, name, done) from None
        if b"\r" in block and (found := block.count(b"\r\n")):  # searching for one byte is fast
            carriage_returns += found
            lines = [line.removesuffix("\r") for line in lines]
        done += len(lines)
        yield lines
    if carriage_returns:
        message = "%s has %d lines that end in CR LF (as on Windows). The carriage returns were removed."
        log.warning(message, name, carriage_returns)


def _without_mark(block: bytes, name: str) -> bytes:
    """Return the beginning of a file without a byte order mark. Raises DataError for UTF-16 and UTF-32."""
    if block[:2] in UTF16:
        kind = "UTF-32" if block[:4] in UTF32 else "UTF-16"
        raise DataError(f"{name} is {kind}, not UTF-8. Convert it: iconv -f {kind} -t UTF-8 {quote(name)}")
    if block.startswith(BOM):
        log.warning("%s begins with a byte order mark, which is not part of the text. It was removed.", name)
    return block.removeprefix(BOM)


def _refuse_nul(block: bytes, name: str, lines_before: int) -> None:
    if b"\0" in block:
        line = lines_before + block[: block.index(b"\0")].count(b"\n") + 1
        raise DataError(f"{name}, line {line}: a NUL byte. This is not UTF-8 text; it may be UTF-16 or binary.")


def not_utf8(block: bytes, place: int, name: str, lines_before: int = 0) -> DataError:
    """Return the error for a byte of a block that is not UTF-8."""
    line = lines_before + block[:place].count(b"\n") + 1
    return DataError(
        f"{name}, line {line}: byte 0x{block[place]:02x} is not UTF-8. Convert the file, for example: "
        f"iconv -f ISO-8859-1 -t UTF-8 {quote(name)}"
    )


def write_lines(path: str | Path, lines: list[str]) -> None:
    """Write one segment per line. Raises DataError if a segment holds a line feed, which would shift later ones."""
    for number, line in enumerate(lines, 1):
        if "\n" in line:
            raise DataError(f"Segment {number} contains a line feed and cannot be written as one line of {path}.")
    from .files import writing  # reading does not need it

    with writing(path) as stream:
        stream.writelines(f"{line}\n" for line in lines)
