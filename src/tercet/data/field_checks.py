"""What one line or one field of a text file can hold; the rest is refused when writing, so that nothing is lost.

Our readers leave out a byte order mark and carriage returns before line feeds, and refuse NUL bytes (`lines.py`);
a text with one of these would not come back as it was written.
"""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..errors import DataError, UnknownName
from .lines import read_lines
from .testset import TestSet

NAMES = {"\n": "a line feed", "\r": "a carriage return", "\t": "a tab", "\0": "a NUL character", "\ufeff": "U+FEFF"}


def check_text(text: str, where: str, *, forbidden: str = "\n\0") -> None:
    """Refuse a text with one of these characters, or with a lone surrogate, which UTF-8 cannot hold."""
    for character in forbidden:
        if character in text:
            raise DataError(f"{where} holds {NAMES[character]}, which this format cannot hold. JSONL can.")
    check_encodable(text, where)


def check_encodable(text: str, where: str) -> None:
    """Refuse a lone surrogate: half a character, which no UTF-8 file can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"{where}: U+{ord(text[error.start]):04X} at character {error.start + 1} is half a surrogate pair, "
            "not a character. It cannot be kept in UTF-8."
        ) from None


def check_lines(
    lines: Iterable[str | None], where: str, *, forbidden: str = "\n\0", starts_file: bool = False
) -> list[str]:
    """The lines, each fit to be a line (or a field of a line) of a file; `starts_file` if the first begins the file."""
    checked = []
    for number, line in enumerate(lines, 1):
        place = f"{where}, segment {number}"
        if line is None:
            raise DataError(f"{place} is missing. This format has no way to say so; JSONL has.")
        check_text(line, place, forbidden=forbidden)
        if line.endswith("\r"):
            raise DataError(f"{place} ends in a carriage return, which readers take for the end of the line.")
        if starts_file and number == 1 and line.startswith("\ufeff"):
            raise DataError(f"{place} begins with U+FEFF, which readers take for a byte order mark.")
        checked.append(line)
    return checked


def table_rows(path: str | Path) -> list[list[str]]:
    """The fields of a tab-separated file without quoting: a quotation mark is a character like any other."""
    return [line.split("\t") for line in read_lines(path)]


def same_width(rows: list[list[str]], path: str | Path, *, first_line: int = 1) -> int:
    """The number of fields of every row; refuses rows that differ from the first."""
    width = len(rows[0])
    for number, row in enumerate(rows, first_line):
        if len(row) != width:
            raise DataError(
                f"{path}, line {number}: {len(row)} tab-separated fields, where line {first_line} has {width}."
            )
    return width


def chosen(outputs: Mapping[str, object], systems: Iterable[str] | None) -> list[str]:
    """The systems asked for, or all; refuses one that does not exist."""
    if systems is None:
        return list(outputs)
    wanted = list(systems)
    for system in wanted:
        if system not in outputs:
            raise UnknownName("system", system, outputs)
    return wanted


def further_labels(testset: TestSet, expressible: Iterable[str], path: str | Path) -> None:
    """Refuse labels that a format cannot hold. Segment numbers 1, 2, … follow from the order and need no place."""
    for name, values in testset.labels.items():
        if name in expressible or (name == "seg" and is_numbering(values)):
            continue
        raise DataError(
            f"Test set {testset.name!r} has the label {name!r}, which has no place in {path}. "
            "Write JSONL or TSV, or leave the label out."
        )


def is_numbering(values: Iterable[str]) -> bool:
    """Whether these are the numbers 1, 2, 3, …"""
    return all(value == str(number) for number, value in enumerate(values, 1))


def file_in(folder: str | Path, name: str) -> Path:
    """The file of this name in a folder; refuses a name that would be in another place or is no file name."""
    check_encodable(name, f"The file name {name!r}")
    if not name or name in (".", "..") or "/" in name or "\\" in name or "\0" in name or len(name.encode()) > 200:
        raise DataError(f"{name[:80]!r} cannot be a file name. Rename the test set, reference or system.")
    return Path(folder) / name


def parse_number(text: str) -> float:
    """The number that a field of a file holds, NaN if it holds none; Python's own 1_000 and ٣ are none."""
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan
