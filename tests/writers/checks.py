"""Checks of what is written: a text that would not be read back unchanged is refused."""

from collections.abc import Iterable
from pathlib import Path

from tercet.data.field_checks import check_encodable, check_text
from tercet.data.testset import TestSet
from tercet.errors import DataError


def check_lines(
    lines: Iterable[str | None], where: str, *, forbidden: str = "\n\0", starts_file: bool = False
) -> list[str]:
    """Return the lines after checking that each can be a line, or a field of a line, of a file.

    starts_file: whether the first line begins the file.
    """
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


def further_labels(testset: TestSet, expressible: Iterable[str], path: str | Path) -> None:
    """Raise DataError for labels that a format cannot hold. Segment numbers 1, 2, … need not be written."""
    for name, values in testset.labels.items():
        if name in expressible or (name == "seg" and is_numbering(values)):
            continue
        raise DataError(
            f"Test set {testset.name!r} has the label {name!r}, which {path} cannot hold. "
            "Write JSONL or TSV, or remove the label."
        )


def is_numbering(values: Iterable[str]) -> bool:
    """Return whether these are the numbers 1, 2, 3, …"""
    return all(value == str(number) for number, value in enumerate(values, 1))


def file_in(folder: str | Path, name: str) -> Path:
    """Return the path of this name in a folder. Raises DataError if it would be outside or is not a file name."""
    check_encodable(name, f"The file name {name!r}")
    if not name or name in (".", "..") or "/" in name or "\\" in name or "\0" in name or len(name.encode()) > 200:
        raise DataError(f"{name[:80]!r} cannot be a file name. Rename the test set, reference or system.")
    return Path(folder) / name
