"""Checks of texts before they are written, and of rows, fields and numbers after they are read."""

import math
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from ..errors import DataError, UnknownName, UsageError
from .lines import read_lines
from .names import find_name
from .testset import TestSet

MISSING = frozenset({"", "None", "NA", "nan", "NaN"})
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
NAMES = {"\n": "a line feed", "\r": "a carriage return", "\t": "a tab", "\0": "a NUL character", "\ufeff": "U+FEFF"}


def check_text(text: str, where: str, *, forbidden: str = "\n\0") -> None:
    """Raise DataError if a text contains one of these characters, or a lone surrogate, which UTF-8 cannot hold."""
    for character in forbidden:
        if character in text:
            raise DataError(f"{where} holds {NAMES[character]}, which this format cannot hold. Write JSONL.")
    check_encodable(text, where)


def check_encodable(text: str, where: str) -> None:
    """Raise DataError if a text contains a lone surrogate, half a character that no UTF-8 file can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"{where}: U+{ord(text[error.start]):04X} at character {error.start + 1} is half a surrogate pair, "
            "not a character. It cannot be written in UTF-8."
        ) from None


def check_lines(
    lines: Iterable[str | None], where: str, *, forbidden: str = "\n\0", starts_file: bool = False
) -> list[str]:
    """Return the lines, checked to be lines, or fields, of a file. starts_file: whether the first begins the file."""
    checked = []
    for number, line in enumerate(lines, 1):
        place = f"{where}, segment {number}"
        if line is None:
            raise DataError(f"{place} is missing, which this format cannot hold. Write JSONL.")
        check_text(line, place, forbidden=forbidden)
        if line.endswith("\r"):
            raise DataError(f"{place} ends in a carriage return, which readers take for the end of the line.")
        if starts_file and number == 1 and line.startswith("\ufeff"):
            raise DataError(f"{place} begins with U+FEFF, which readers take for a byte order mark.")
        checked.append(line)
    return checked


def table_rows(path: str | Path) -> list[list[str]]:
    """Read the fields of a tab-separated file without quoting: a quotation mark is an ordinary character."""
    return [line.split("\t") for line in read_lines(path)]


def same_width(rows: list[list[str]], path: str | Path, fields: str = "tab-separated fields") -> int:
    """Return the number of fields per row. Raises DataError if a row differs from the first."""
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise DataError(f"{path}, line {number}: {len(row)} {fields}, but line 1 has {width}.")
    return width


def check_distinct(segments: Iterable[str], path: str | Path) -> None:
    """Raise DataError if a segment occurs twice in a table with a header."""
    seen: dict[str, int] = {}
    for line, segment in enumerate(segments, 2):
        if seen.setdefault(segment, line) != line:
            raise DataError(f"{path}, line {line}: segment {segment!r} again, after line {seen[segment]}.")


def chosen(outputs: Mapping[str, object], systems: Iterable[str] | None) -> list[str]:
    """Return the names of the selected systems, all for None. Raises UnknownName for one that does not exist."""
    if systems is None:
        return list(outputs)
    return [find_name(system, outputs) for system in systems]


def choose_pair(known: Collection[str], pair: str | None, path: str | Path, how: str = "") -> str:
    """Return the language pair if it is known, or the only one for None. how: how to choose one, for the message."""
    if pair is None and len(known) != 1:
        raise UsageError(f"{path} has several language pairs. Choose one{how}: {', '.join(sorted(known))}.")
    if pair is not None and pair not in known:
        raise UnknownName(f"language pair in {path}", pair, known)
    return pair if pair is not None else next(iter(known))


def number(text: str, where: str) -> float:
    """Return the number in a field, NaN if the field marks a missing number. Raises DataError for other text."""
    if text in MISSING:
        return math.nan
    if _NUMBER.fullmatch(text) and math.isfinite(value := float(text)):
        return value
    shown = text if len(text) <= 40 else text[:40] + "…"
    raise DataError(f"{where}: {shown!r} is not a number; write None where there is none.")


def is_number(text: str) -> bool:
    """Return whether a field holds a number or marks a missing one."""
    return text in MISSING or _NUMBER.fullmatch(text) is not None


def further_labels(testset: TestSet, expressible: Iterable[str], path: str | Path) -> None:
    """Raise DataError for labels that a format cannot hold. Segment numbers 1, 2, … need not be written."""
    for name, values in testset.labels.items():
        if name in expressible or (name == "seg" and list(values) == [str(n) for n in range(1, len(values) + 1)]):
            continue
        raise DataError(
            f"Test set {testset.name!r} has the label {name!r}, which {path} cannot hold. "
            "Write JSONL or TSV, or remove the label."
        )


def file_in(folder: str | Path, name: str) -> Path:
    """Return the path of this name in a folder. Raises DataError if it would be outside or is not a file name."""
    check_encodable(name, f"The file name {name!r}")
    if not name or name in (".", "..") or "/" in name or "\\" in name or "\0" in name or len(name.encode()) > 200:
        raise DataError(f"{name[:80]!r} cannot be a file name. Rename the test set, reference or system.")
    return Path(folder) / name


def parse_number(text: str) -> float:
    """Return the number in a field, NaN if it is not a number. 1_000 and ٣, numbers for Python, are refused."""
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan


def finite_number(value: object, where: str, *, from_text: bool = False) -> float:
    """Return a finite number of a JSON file, or of a field with `from_text`. Raises DataError for anything else."""
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:  # a whole number that no float can hold
        number = math.nan
    number = parse_number(value) if from_text and isinstance(value, str) else number
    if not math.isfinite(number):
        raise DataError(f"{where} must be a number, not {value!r:.80}.")
    return number
